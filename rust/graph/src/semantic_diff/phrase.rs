//! Values in words for an artist: with units, switches as on and off, angles in degrees.

use serde_json::Value;

use crate::catalogue::{Property, Socket};

const LONGEST_TEXT: usize = 60;

/// The type of a value: the socket's type and subtype, the items of an enum.
#[derive(Clone, Copy, Default)]
pub(super) struct About<'a> {
    pub kind: &'a str,
    pub subtype: Option<&'a str>,
    pub items: &'a [(String, String)],
}

impl<'a> About<'a> {
    pub(super) fn socket(socket: &'a Socket) -> Self {
        Self {
            kind: &socket.kind,
            subtype: socket.subtype.as_deref(),
            items: &[],
        }
    }

    pub(super) fn property(property: &'a Property) -> Self {
        Self {
            items: &property.items,
            ..Self::default()
        }
    }

    fn is_angle(self) -> bool {
        self.kind == "NodeSocketRotation" || matches!(self.subtype, Some("ANGLE" | "EULER"))
    }

    fn unit(self) -> &'static str {
        if self.is_angle() {
            return "°";
        }
        match self.subtype.unwrap_or_default() {
            "DISTANCE" | "TRANSLATION" => " m",
            "PERCENTAGE" => " %",
            "PIXEL" => " px",
            "TIME" => " frames",
            "TIME_ABSOLUTE" => " s",
            "FREQUENCY" => " Hz",
            "VELOCITY" => " m/s",
            "ACCELERATION" => " m/s²",
            "MASS" => " kg",
            "POWER" => " W",
            "WAVELENGTH" => " nm",
            "TEMPERATURE" | "COLOR_TEMPERATURE" => " K",
            _ => "",
        }
    }
}

/// `: from A to B`, or as much of it as is known and short enough to read.
pub(super) fn change(before: Option<&Value>, after: Option<&Value>, about: About<'_>) -> String {
    let say = |value: &Value| text(value, about);
    match (before.map(say), after.map(say)) {
        (Some(Some(old)), Some(Some(new))) if old != new => format!(" from {old} to {new}"),
        (None, Some(Some(new))) => format!(" set to {new}"),
        (Some(Some(old)), None) => format!(" from {old} back to its default"),
        (_, None) => " back to its default".to_owned(),
        _ => " changed".to_owned(),
    }
}

/// The value in words; `None` where it is too long to read, for example a matrix.
pub(super) fn text(value: &Value, about: About<'_>) -> Option<String> {
    Some(match value {
        Value::Null => "none".to_owned(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Number(_) => format!("{}{}", number(value, about)?, about.unit()),
        Value::String(word) => match about.items.iter().find(|(identifier, _)| identifier == word) {
            Some((_, label)) => label.clone(),
            None if word.chars().count() > LONGEST_TEXT => return None,
            None => format!("“{word}”"),
        },
        Value::Array(parts) if parts.len() <= 4 => {
            let parts: Option<Vec<String>> = parts
                .iter()
                .map(|part| match part {
                    Value::Number(_) => number(part, about),
                    other => text(other, About::default()),
                })
                .collect();
            format!("({}){}", parts?.join(", "), about.unit())
        }
        Value::Array(_) => return None,
        Value::Object(block) => {
            let (kind, name) = block.iter().next()?;
            format!("the {} “{}”", kind.replace('_', " "), name.as_str()?)
        }
    })
}

fn number(value: &Value, about: About<'_>) -> Option<String> {
    let mut number = value.as_f64()?;
    if about.is_angle() {
        // Blender's angles are 32-bit radians: more digits of a degree would be noise.
        number = (number.to_degrees() * 1e3).round() / 1e3;
    }
    // `-0` would look like a mistake.
    Some(if number == 0.0 {
        "0".to_owned()
    } else {
        number.to_string()
    })
}

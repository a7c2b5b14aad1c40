//! Values of parameters: read from numbers, checked against their ranges, written for people.

use geonode_graph::documents::context::Units;
use geonode_protocol::Code;

use crate::preset::{Parameter, ParameterKind};
use crate::quantity::Unit;
use crate::refusal::Refusal;

/// A value that the prompt gives: metres, radians, plain numbers, or the value of a choice.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptValue {
    /// A number in base units.
    Number(f64),
    /// The key and the value of a choice.
    Choice(String, serde_json::Value),
    /// Yes or no.
    Bool(bool),
}

/// A number in the base unit of its parameter.
pub(crate) fn base_value(kind: ParameterKind, value: f64, unit: Unit, units: &Units) -> f64 {
    match (kind, unit) {
        (ParameterKind::Length, Unit::Bare) => value * units.bare_metres(),
        (ParameterKind::Length, Unit::Blender) => value * units.metres_per_unit(),
        (ParameterKind::Angle, Unit::Bare) => value.to_radians(),
        (ParameterKind::Turns, Unit::Radians) => value / std::f64::consts::TAU,
        _ => value,
    }
}

/// Checks a value against the ranges of its parameter.
pub(crate) fn in_range(parameter: &Parameter, value: f64, warnings: &mut Vec<String>) -> Result<(), Refusal> {
    let shown = if parameter.kind == ParameterKind::Angle {
        value.to_degrees()
    } else {
        value
    };
    let unit = match parameter.kind {
        ParameterKind::Length => " m",
        ParameterKind::Angle => "°",
        _ => "",
    };
    let title = &parameter.title;
    let whole = matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed);
    if whole && shown.fract() != 0.0 {
        return Err(Refusal::new(
            Code::OutOfRange,
            format!("{title} must be a whole number, not {}.", plain(shown)),
        ));
    }
    if let Some([low, high]) = parameter.hard
        && !(low - 1e-9..=high + 1e-9).contains(&shown)
    {
        return Err(Refusal::new(
            Code::OutOfRange,
            format!(
                "{title} of {}{unit} is out of range: it must be from {}{unit} to {}{unit}. Nothing was changed.",
                plain(shown),
                plain(low),
                plain(high)
            ),
        ));
    }
    if let Some([low, high]) = parameter.advised
        && !(low - 1e-9..=high + 1e-9).contains(&shown)
    {
        warnings.push(format!(
            "{title} of {}{unit} is unusual (advised: {} to {}{unit}); it is used as asked.",
            plain(shown),
            plain(low),
            plain(high)
        ));
    }
    Ok(())
}

/// A number as a person writes it: at most four decimals, no trailing zeros.
pub(crate) fn plain(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.001 {
        format!("{value:.6}")
    } else {
        format!("{value:.4}")
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" {
        "0".into()
    } else {
        text.to_owned()
    }
}

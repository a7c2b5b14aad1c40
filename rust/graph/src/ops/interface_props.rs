//! The properties of interface sockets: what an operation says of them, checked against what this Blender has.

use geonode_protocol::{Code, GroupIo, Hint, Properties};
use serde_json::Value;

use super::work::Work;
use crate::ir::Map;
use crate::properties::{DIMENSIONS, socket_properties, socket_property};
use crate::sink::escape;
use crate::values::{Kind, Want};

impl Work<'_> {
    /// The properties that an operation gives to an interface socket, which has those in `known` already; one that is wrong is left out and told.
    pub(super) fn interface_props(&mut self, io: &GroupIo, socket_type: &str, known: Option<&Map>) -> Map {
        let mut props = Map::new();
        if let Some(subtype) = &io.subtype {
            let legal = self
                .scope
                .catalogue
                .sockets
                .get(socket_type)
                .map(|kind| kind.subtypes.as_slice())
                .unwrap_or_default();
            let pairs: Vec<(&str, &str)> = legal.iter().map(|name| (name.as_str(), name.as_str())).collect();
            let want = Want {
                kind: Kind::Enum(pairs),
                min: None,
                max: None,
            };
            if let Some(fitted) = self.fit(&want, &Value::from(subtype.as_str()), "subtype") {
                props.insert("subtype".to_owned(), fitted);
            }
        }
        let numeric = matches!(socket_type, "NodeSocketFloat" | "NodeSocketInt" | "NodeSocketVector");
        for (field, name, limit) in [("min", "min_value", io.min), ("max", "max_value", io.max)] {
            let Some(limit) = limit else { continue };
            if !numeric {
                let path = self.sink.at(field);
                let message = format!("a socket of the type {socket_type} has no limits");
                let hint = self.sink.without(format!("leave “{field}” out"), field);
                self.sink.error(Code::InvalidValue, path, message, Some(hint));
                continue;
            }
            let value = if socket_type == "NodeSocketInt" {
                self.fit(&Want::socket_type(socket_type), &Value::from(limit), field)
            } else {
                Some(Value::from(limit))
            };
            if let Some(value) = value {
                props.insert(name.to_owned(), value);
            }
        }
        self.more_props(&io.properties, socket_type, &mut props);
        if let Some(default) = &io.default {
            let size = props.get(DIMENSIONS).or_else(|| known?.get(DIMENSIONS));
            let mut want = Want::interface(socket_type, size);
            (want.min, want.max) = (io.min, io.max);
            if let Some(fitted) = self.fit(&want, default, "default") {
                props.insert("default_value".to_owned(), fitted);
            }
        }
        props
    }

    /// The properties beyond type, value and range.
    fn more_props(&mut self, given: &Properties, socket_type: &str, props: &mut Map) {
        let catalogue = self.scope.catalogue;
        for (name, value) in given {
            let field = format!("properties/{}", escape(name));
            let fits = socket_property(name, &catalogue.blender)
                .filter(|_| name != DIMENSIONS || socket_type == "NodeSocketVector");
            let Some(want) = fits else {
                let known: Vec<&str> = socket_properties(&catalogue.blender).collect();
                let hint = format!("it has: {}", known.join(", "));
                let path = self.sink.at(&field);
                let message = format!(
                    "a socket of the type {socket_type} has no property “{name}” in Blender {}",
                    catalogue.blender
                );
                self.sink
                    .error(Code::UnknownProperty, path, message, Some(Hint::explain(hint)));
                continue;
            };
            if let Some(fitted) = self.fit(&want, value, &field) {
                props.insert(name.clone(), fitted);
            }
        }
    }
}

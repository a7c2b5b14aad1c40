//! Access to the inputs of a node for its family.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;

use geonode_graph::catalogue::fold;
use geonode_graph::documents::Scene;
use geonode_graph::sockets::GEOMETRY;
use serde_json::Value;

use crate::components::Kinds;
use crate::flow::{Content, Flow, Format};
use crate::geometry::Geometry;
use crate::prepare::{Ready, Slot};
use crate::range::Range;

/// A node with the values of its inputs.
#[derive(Clone)]
pub(crate) struct Inputs<'a> {
    pub ready: &'a Ready<'a>,
    /// For each input, the values of its links, or its own value if nothing is linked.
    pub flows: Vec<Vec<Flow>>,
    pub scene: &'a Scene,
    /// Version of Blender whose nodes these are.
    pub blender: &'a str,
}

/// What a node creates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// By identifier of the output; `""` stands for the first geometry.
    pub outputs: Vec<(String, Content)>,
    /// Elements that are created temporarily.
    pub work: f64,
}

impl Outcome {
    /// One geometry, at the first geometry output.
    pub(crate) fn geometry(geometry: impl Borrow<Geometry>) -> Self {
        Self::at("", Content::from(*geometry.borrow()))
    }

    /// One number, at this output.
    pub(crate) fn number(identifier: &str, range: Range) -> Self {
        Self::at(identifier, Content::Number(range))
    }

    pub(crate) fn at(identifier: &str, content: Content) -> Self {
        Self::default().and(identifier, content)
    }

    #[must_use]
    pub(crate) fn and(mut self, identifier: &str, content: Content) -> Self {
        self.outputs.push((identifier.to_owned(), content));
        self
    }

    /// The peak of what it creates.
    pub(crate) fn elements(&self) -> f64 {
        let made = self.outputs.iter().map(|(_, content)| match content {
            Content::Geometry(geometry) => geometry.elements(),
            _ => 0.0,
        });
        made.fold(self.work, f64::max)
    }
}

impl<'a> Inputs<'a> {
    /// Type of the node.
    pub(crate) fn kind(&self) -> &'a str {
        &self.ready.node.kind
    }

    /// Index of the input with this identifier, or else with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let inputs = &self.ready.inputs;
        let found = inputs.iter().position(|slot| slot.identifier == name);
        found.or_else(|| inputs.iter().position(|slot| slot.name == name))
    }

    fn slot(&self, name: &str) -> Option<&'a Slot> {
        self.ready.inputs.get(self.position(name)?)
    }

    /// The value of an input; of several links the first.
    pub(crate) fn flow(&self, name: &str) -> Option<&Flow> {
        self.flows.get(self.position(name)?)?.first()
    }

    /// True when something is linked to an input.
    pub(crate) fn linked(&self, name: &str) -> bool {
        self.slot(name).is_some_and(|slot| !slot.sources.is_empty())
    }

    /// Geometry at an input, all links joined.
    pub(crate) fn geometry(&self, name: &str) -> Geometry {
        self.position(name).map(|at| self.geometry_at(at)).unwrap_or_default()
    }

    /// Geometry at an input by its index, all links joined.
    pub(crate) fn geometry_at(&self, at: usize) -> Geometry {
        let flows = self.flows.get(at).map(Vec::as_slice).unwrap_or_default();
        let mut geometries = flows.iter().map(Flow::geometry);
        let first = geometries.next().unwrap_or_default();
        geometries.fold(first, |sum, next| sum.joined(&next))
    }

    /// The first input geometry, whatever the name of the input.
    pub(crate) fn main(&self) -> Geometry {
        self.first_geometry().map(|at| self.geometry_at(at)).unwrap_or_default()
    }

    /// Index of the first input that takes geometry.
    pub(crate) fn first_geometry(&self) -> Option<usize> {
        self.ready.inputs.iter().position(|slot| slot.kind == GEOMETRY)
    }

    /// Components that an input may receive, all links together; anything if there is no such input.
    pub(crate) fn kinds_at(&self, at: Option<usize>) -> Kinds {
        let flows = at.and_then(|at| self.flows.get(at));
        flows.map_or(Kinds::ANY, |flows| {
            flows.iter().fold(Kinds::NONE, |sum, flow| sum.or(flow.kinds))
        })
    }

    /// Components that an input may receive, by its name.
    pub(crate) fn kinds(&self, name: &str) -> Kinds {
        self.kinds_at(self.position(name))
    }

    /// Components that the first geometry may hold.
    pub(crate) fn main_kinds(&self) -> Kinds {
        self.kinds_at(self.first_geometry())
    }

    /// True when a data-block input is certainly not set.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.flow(name).is_some_and(|flow| flow.content == Content::Nothing)
    }

    /// The range of a number; an unknown bound is the value of a new node.
    pub(crate) fn range(&self, name: &str) -> Range {
        let known = match self.flow(name).map(|flow| &flow.content) {
            Some(Content::Number(range)) => *range,
            Some(Content::Vector([x, y, z])) => x.union(*y).union(*z),
            _ => Range::UNKNOWN,
        };
        let fresh = || self.slot(name).and_then(|slot| slot.fresh.as_ref());
        let fresh = || fresh().and_then(number).unwrap_or(0.0);
        match (known.low.is_finite(), known.high.is_finite()) {
            (true, true) => known,
            (true, false) => Range::of([known.low, known.low.max(fresh())]),
            (false, true) => Range::of([known.high.min(fresh()), known.high]),
            (false, false) => Range::exactly(fresh()),
        }
    }

    /// The range of a number as known.
    pub(crate) fn exact(&self, name: &str) -> Range {
        match self.flow(name).map(|flow| &flow.content) {
            Some(Content::Number(range)) => *range,
            _ => Range::UNKNOWN,
        }
    }

    /// The largest whole number that an input may be, at least `least`.
    pub(crate) fn count(&self, name: &str, least: f64) -> f64 {
        self.range(name).high.floor().max(least)
    }

    /// The largest that an input may be, at least 0.
    pub(crate) fn most(&self, name: &str) -> f64 {
        self.range(name).high.max(0.0)
    }

    /// The least that an input may be if small values are expensive: a voxel, a distance. At least 1e-9.
    pub(crate) fn finest(&self, name: &str) -> f64 {
        self.range(name).low.max(1e-9)
    }

    /// Components of a vector.
    pub(crate) fn vector(&self, name: &str) -> [Range; 3] {
        match self.flow(name).map(|flow| &flow.content) {
            Some(Content::Vector(vector)) => *vector,
            Some(Content::Number(range)) => [*range; 3],
            _ => [Range::UNKNOWN; 3],
        }
    }

    /// Largest absolute values of a vector's components; `otherwise` if they are unknown.
    pub(crate) fn lengths(&self, name: &str, otherwise: f64) -> [f64; 3] {
        self.vector(name).map(|range| {
            let most = range.abs().high;
            if most.is_finite() { most } else { otherwise }
        })
    }

    /// A truth value, if it is certain.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        match &self.flow(name)?.content {
            Content::Number(range) => range.truth(),
            _ => None,
        }
    }

    /// False when the selection is certainly empty.
    pub(crate) fn selected(&self) -> bool {
        self.truth("Selection") != Some(false)
    }

    /// True when the selection is certainly everything.
    pub(crate) fn all_selected(&self) -> bool {
        self.position("Selection").is_none() || self.truth("Selection") == Some(true)
    }

    /// The value of a property, or its default.
    pub(crate) fn property(&self, name: &str) -> Option<&'a str> {
        let own = self.ready.node.props.get(name);
        let default = || Some(&self.ready.kind?.properties.get(name)?.default);
        own.or_else(default)?.as_str()
    }

    /// A mode, stored as a property (`property`) or a menu (`input`), normalized: `VOXEL_SIZE` and `Voxel Size` are one. Empty when the menu's item
    /// is not certain.
    pub(crate) fn mode(&self, property: &str, input: &str) -> String {
        if let Some(value) = self.property(property) {
            return fold(value);
        }
        match self.flow(input).map(|flow| &flow.content) {
            Some(Content::Choice(item)) => fold(item),
            _ => String::new(),
        }
    }

    /// Name of an object or collection at an input.
    pub(crate) fn data(&self, name: &str) -> Option<Arc<str>> {
        match &self.flow(name)?.content {
            Content::Data(name) => Some(Arc::clone(name)),
            _ => None,
        }
    }

    /// Length of a text at an input: all characters, and those that are not line breaks.
    pub(crate) fn text(&self, name: &str) -> (f64, f64) {
        match self.flow(name).map(|flow| &flow.content) {
            Some(Content::Text { chars, visible, .. }) => (*chars, *visible),
            _ => (ASSUMED_TEXT, ASSUMED_TEXT),
        }
    }

    /// A text at an input as a format; one that is unknown has a field.
    pub(crate) fn format(&self, name: &str) -> Format {
        match self.flow(name).map(|flow| &flow.content) {
            Some(Content::Text { format, .. }) => *format,
            _ => Format {
                fields: 1.0,
                widths: 0.0,
            },
        }
    }

    /// The same with another number at one input.
    pub(crate) fn with_number(&self, at: usize, value: f64) -> Self {
        let mut other = self.clone();
        if let Some(flows) = other.flows.get_mut(at) {
            *flows = vec![Content::Number(Range::exactly(value)).into()];
        }
        other
    }
}

/// Assumed length of an unknown text.
const ASSUMED_TEXT: f64 = 20.0;

fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| value.as_bool().map(f64::from))
        .or_else(|| value.as_array()?.first()?.as_f64())
}

/// Sockets that take a data-block of the file.
fn takes_data(kind: &str) -> bool {
    matches!(
        kind,
        "NodeSocketObject" | "NodeSocketCollection" | "NodeSocketMaterial" | "NodeSocketImage"
    )
}

/// The value of an input without links.
pub(crate) fn unlinked(kind: &str, value: Option<&Value>) -> Flow {
    let content = match value {
        Some(value) => content(kind, value),
        None if takes_data(kind) => Content::Nothing,
        None => Content::Unknown,
    };
    Flow {
        kinds: if kind == GEOMETRY { Kinds::NONE } else { Kinds::ANY },
        ..Flow::from(content)
    }
}

/// A value from a document, read as the socket type `kind`.
pub(crate) fn content(kind: &str, value: &Value) -> Content {
    let text = |text: &str| Content::Text {
        chars: length(text.chars().count()),
        visible: length(text.chars().filter(|c| *c != '\n').count()),
        format: Format::of(text),
    };
    match (kind, value) {
        ("NodeSocketMenu", Value::String(item)) => Content::Choice(item.as_str().into()),
        (_, Value::Bool(truth)) => Content::Number(Range::exactly(f64::from(*truth))),
        (_, Value::Number(number)) => number
            .as_f64()
            .map_or(Content::Unknown, |number| Content::Number(Range::exactly(number))),
        (_, Value::Array(parts)) if kind != "NodeSocketMatrix" => {
            let part = |at: usize| parts.get(at).and_then(Value::as_f64);
            let range = |at| part(at).map_or(Range::UNKNOWN, Range::exactly);
            Content::Vector([range(0), range(1), range(2)])
        }
        (_, Value::Object(block)) => {
            let name = ["object", "collection"]
                .iter()
                .find_map(|kind| block.get(*kind)?.as_str());
            name.map_or(Content::Unknown, |name| Content::Data(name.into()))
        }
        (_, Value::String(words)) => text(words),
        (_, Value::Null) if takes_data(kind) => Content::Nothing,
        _ => Content::Unknown,
    }
}

#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 characters")]
pub(crate) fn length(count: usize) -> f64 {
    count as f64
}

/// The label of a node, or of its type.
pub(crate) fn label<'a>(ready: &'a Ready<'_>) -> Cow<'a, str> {
    match (&ready.node.label, ready.kind) {
        (Some(label), _) if !label.is_empty() => Cow::Borrowed(label),
        (_, Some(kind)) => Cow::Borrowed(&kind.label),
        _ => Cow::Borrowed(&ready.node.kind),
    }
}

//! The value of a link, and its cost so far.

use std::sync::Arc;

use crate::components::Kinds;
use crate::field::Field;
use crate::geometry::Geometry;
use crate::range::Range;

/// A text as a format.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Format {
    /// How many fields it has.
    pub(crate) fields: f64,
    /// The sum of all numbers in them: widths and precisions.
    pub(crate) widths: f64,
}

impl Format {
    pub(crate) fn of(text: &str) -> Self {
        text.split('{').skip(1).fold(Self::default(), |sum, field| {
            let inside = field.split('}').next().unwrap_or_default();
            let numbers = inside.split(|letter: char| !letter.is_ascii_digit());
            let width: f64 = numbers.filter_map(|digits| digits.parse::<f64>().ok()).sum();
            Self {
                fields: sum.fields + 1.0,
                widths: sum.widths + width,
            }
        })
    }
}

/// What is known about a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Geometry.
    Geometry(Arc<Geometry>),
    /// A number, an integer or a truth value; single or a field.
    Number(Range),
    /// A vector by its components.
    Vector([Range; 3]),
    /// A text by its length in characters, and by those of them that become instances.
    Text {
        /// All characters.
        chars: f64,
        /// Without line breaks; a space is an empty instance.
        visible: f64,
        /// What it is as a format.
        format: Format,
    },
    /// The item of a menu.
    Choice(Arc<str>),
    /// An object or a collection by name.
    Data(Arc<str>),
    /// A data-block that is not set.
    Nothing,
    /// The area of each face, as a field.
    FaceArea,
    /// The index of each element, as a field.
    Index,
    /// A selection of all elements but the first, of which there are at most this many.
    AllButFirst(f64),
    /// A closure, by its number among those that were met.
    Closure(usize),
    /// Any value.
    Unknown,
}

/// A node that makes more elements than the budget allows, the first on its way; or the one that takes most time and memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Culprit {
    /// Tree that contains the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// The node's label, or that of its type.
    pub label: String,
    /// What it creates.
    pub elements: f64,
    /// Plural name of most of its elements.
    pub noun: &'static str,
    /// The input that decides the count.
    pub lever: Option<Lever>,
    /// The node before it that multiplied most.
    pub driver: Option<Arc<Driver>>,
}

/// An input that decides how much a node creates.
#[derive(Debug, Clone, PartialEq)]
pub struct Lever {
    /// Its name in the interface.
    pub input: String,
    /// Its present value: of several the one that costs most.
    pub value: f64,
    /// A value at which it multiplies nothing.
    pub harmless: f64,
    /// It takes whole numbers only.
    pub whole: bool,
    /// The modifier's input that the value comes from, if any.
    pub source: Option<Arc<str>>,
    /// The nearest value that stays under the budget; `None` when no value does, or when it was not searched.
    pub remedy: Option<f64>,
}

/// A node that creates much more than it receives.
#[derive(Debug, Clone, PartialEq)]
pub struct Driver {
    /// Tree that contains the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// The node's label, or that of its type.
    pub label: String,
    /// The input that decides the count.
    pub lever: Lever,
    /// The ratio of its output to its input.
    pub gain: f64,
}

/// Peak cost up to this point.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Peak {
    pub elements: f64,
    pub culprit: Option<Arc<Culprit>>,
    /// The node that multiplied most so far.
    pub driver: Option<Arc<Driver>>,
}

impl Peak {
    /// The larger one.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let (most, least) = if other.elements > self.elements {
            (other, self)
        } else {
            (self, other)
        };
        let gain = |peak: &Self| peak.driver.as_ref().map_or(0.0, |driver| driver.gain);
        let driver = if gain(least) > gain(most) { least } else { most };
        Self {
            elements: most.elements,
            culprit: most.culprit.clone().or_else(|| least.culprit.clone()),
            driver: driver.driver.clone(),
        }
    }
}

/// A value with its history.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flow {
    pub content: Content,
    pub peak: Peak,
    /// Name of the modifier's input that it comes from unchanged.
    pub source: Option<Arc<str>>,
    /// Components of a geometry.
    pub kinds: Kinds,
    /// The field; `None` for a single value or a geometry.
    pub field: Option<Arc<Field>>,
}

impl From<Geometry> for Content {
    fn from(geometry: Geometry) -> Self {
        Self::Geometry(Arc::new(geometry))
    }
}

impl From<Content> for Flow {
    fn from(content: Content) -> Self {
        Self {
            content,
            peak: Peak::default(),
            source: None,
            kinds: Kinds::ANY,
            field: None,
        }
    }
}

impl Flow {
    pub(crate) fn unknown() -> Self {
        Content::Unknown.into()
    }

    /// The geometry; empty for anything else.
    pub(crate) fn geometry(&self) -> Geometry {
        match &self.content {
            Content::Geometry(geometry) => **geometry,
            _ => Geometry::default(),
        }
    }

    /// Either of two values: the one that can cost more.
    pub(crate) fn either(&self, other: &Self) -> Self {
        let content = match (&self.content, &other.content) {
            (Content::Geometry(a), Content::Geometry(b)) => {
                let weight = |g: &Geometry| g.elements().max(g.realised().elements());
                Content::Geometry(Arc::clone(if weight(b) > weight(a) { b } else { a }))
            }
            (Content::Number(a), Content::Number(b)) => Content::Number(a.union(*b)),
            (Content::Vector(a), Content::Vector(b)) => {
                let mut both = *a;
                for (part, other) in both.iter_mut().zip(b) {
                    *part = part.union(*other);
                }
                Content::Vector(both)
            }
            (
                Content::Text { chars, visible, format },
                Content::Text {
                    chars: more,
                    visible: shown,
                    format: other,
                },
            ) => Content::Text {
                chars: chars.max(*more),
                visible: visible.max(*shown),
                format: Format {
                    fields: format.fields.max(other.fields),
                    widths: format.widths.max(other.widths),
                },
            },
            (a, b) if a == b => a.clone(),
            _ => Content::Unknown,
        };
        Self {
            content,
            peak: self.peak.or(&other.peak),
            kinds: self.kinds.or(other.kinds),
            field: self.field.clone().or_else(|| other.field.clone()),
            source: if self.source == other.source {
                self.source.clone()
            } else {
                None
            },
        }
    }
}

//! A preset: a plan template and the words that call for it. Presets are only data; no code depends on a particular one.

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::infix;
use crate::phrase::{Phrase, PhraseError};
use crate::refusal::DataError;

/// Where a page of whole groups names the first one: the name in the file takes its place.
pub(crate) const GROUP: &str = "\"{group}\"";
/// Names of data-blocks have 63 bytes, and a number may follow.
const LONGEST_TITLE: usize = 56;

/// Characters that would mean something in names and messages.
fn is_unfit(c: char) -> bool {
    c.is_control() || matches!(c, '{' | '}' | '"' | '\\' | '“' | '”')
}

/// What a parameter measures and how a quantity fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParameterKind {
    /// A whole number of things.
    Count,
    /// Metres in the prompt, the target's own units in the plan.
    Length,
    /// Degrees in the prompt and in `default`/`hard`/`advised`, radians in the plan.
    Angle,
    /// A number of turns.
    Turns,
    /// A factor; percent is understood.
    Factor,
    /// A seed.
    Seed,
    /// A lower and a higher value, stored in `into`.
    Range,
    /// “5 by 4”, stored in `into`.
    Sides,
    /// Several numbers in a row, “5, 8 and 3”, stored in `into`.
    Values,
    /// Words of the prompt as they are: in quotation marks, or after one of `before`.
    Text,
    /// One of `options`.
    Choice,
    /// Yes or no.
    Bool,
    /// Only computed from others by `default`; the prompt cannot set it.
    Derived,
    /// The object that is copied: only computed.
    Object,
    /// The collection whose objects are copied: only computed.
    Collection,
    /// Any other input of a saved tree, its `default` as it is: only set in the modifier, or given by a script.
    Value,
}

/// One value of a choice.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    /// Value in the plan.
    pub(crate) value: Value,
    /// Phrases that choose it.
    pub(crate) words: Vec<String>,
}

/// One parameter of a preset.
#[expect(clippy::struct_excessive_bools, reason = "independent flags of a data file")]
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    /// Name in templates.
    pub(crate) name: String,
    /// Name in messages.
    pub(crate) title: String,
    /// What its input does: shown when the pointer rests on it.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// The panel of the modifier that its input stands in.
    #[serde(default)]
    pub(crate) panel: Option<String>,
    /// What it measures.
    pub(crate) kind: ParameterKind,
    /// What the single values of ranges and sides measure, or a derived value.
    #[serde(default)]
    pub(crate) of: Option<ParameterKind>,
    /// For ranges and sides: parameters that take the single values.
    #[serde(default)]
    pub(crate) into: Vec<String>,
    /// Phrases before or after the number that assign it to this parameter.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Phrases that do so only before the number.
    #[serde(default)]
    pub(crate) before: Vec<String>,
    /// Phrases that do so only after the number.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Whether a whole number directly before the thing is this parameter.
    #[serde(default)]
    pub(crate) counts_things: bool,
    /// Whether a length directly before the thing is this parameter.
    #[serde(default)]
    pub(crate) sizes_things: bool,
    /// Whether this is the distance between copies: where they touch, it changes with their size.
    #[serde(default)]
    pub(crate) spaces_things: bool,
    /// Rank of this parameter among those that accept a number without such a phrase (lowest first).
    #[serde(default)]
    pub(crate) rank: Option<u32>,
    /// Values outside are refused.
    #[serde(default)]
    pub(crate) hard: Option<[f64; 2]>,
    /// Values outside are used with a warning.
    #[serde(default)]
    pub(crate) advised: Option<[f64; 2]>,
    /// Expression for the value if the prompt gives none; null leaves it open.
    #[serde(default)]
    pub(crate) default: Value,
    /// Whether the prompt must give it.
    #[serde(default)]
    pub(crate) required: bool,
    /// Values of a choice by name, or the name of a shared set.
    #[serde(default)]
    pub(crate) options: Options,
    /// Phrases that switch a bool on.
    #[serde(default)]
    pub(crate) on: Vec<String>,
    /// Phrases that switch a bool off.
    #[serde(default)]
    pub(crate) off: Vec<String>,
    /// Whether the final message mentions the default of this parameter.
    #[serde(default)]
    pub(crate) tell: bool,
    /// Parameters from which it follows: if the prompt gives one of these, the default is not mentioned.
    #[serde(default)]
    pub(crate) told_by: Vec<String>,
}

/// Values of a choice.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Options {
    /// Name of a set in `shared.toml`.
    Shared(String),
    /// The values themselves.
    Own(IndexMap<String, Choice>),
}

impl Default for Options {
    fn default() -> Self {
        Self::Own(IndexMap::new())
    }
}

/// A set of concepts that must all be found.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Concepts that must all be present.
    pub(crate) all: Vec<String>,
    /// Concepts of which none may be present.
    #[serde(default)]
    pub(crate) none: Vec<String>,
    /// Strength of the evidence; 2 is enough for a plan.
    pub(crate) weight: f64,
}

impl Rule {
    /// The concept that is enough by itself.
    pub(crate) fn alone(&self) -> Option<&String> {
        match self.all.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// When a preset makes an object of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Makes {
    /// It works on what is there.
    #[default]
    Never,
    /// Where no object is chosen, nor the only one: else it fills that.
    Otherwise,
    /// Whatever is chosen.
    Always,
}

/// The role that an object of the prompt has in the preset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Role {
    /// Accepted object types; empty means any with geometry.
    #[serde(default)]
    pub(crate) kinds: Vec<String>,
    /// Whether the preset works on the mesh of the object itself: copies that earlier modifiers show pass by as they are.
    #[serde(default)]
    pub(crate) own: bool,
    /// Whether it is about the copies that earlier modifiers show, so that “them” after a scatter is what it works on.
    #[serde(default)]
    pub(crate) copies: bool,
    /// When the preset makes an object of its own for what the prompt names no object for.
    #[serde(default)]
    pub(crate) makes: Makes,
    /// Phrases that introduce it for certain.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Phrases that introduce it unless another object is introduced for certain.
    #[serde(default)]
    pub(crate) object_of: Vec<String>,
}

/// What is copied if the prompt names no thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unnamed {
    /// The target's own geometry is copied.
    Itself,
    /// A built-in shape is copied.
    Shape,
    /// Nothing can be done: the prompt has to name it.
    Ask,
}

/// The thing that is copied.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Thing {
    /// Accepted object types; empty means any with geometry.
    #[serde(default)]
    pub(crate) kinds: Vec<String>,
    /// Phrases that introduce it for certain.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Phrases that introduce it otherwise.
    #[serde(default)]
    pub(crate) object_of: Vec<String>,
    /// What is copied when nothing is named.
    pub(crate) unnamed: Unnamed,
    /// Whether an object that is the only one named carries the tree itself.
    pub(crate) carries: bool,
}

/// A bound of one parameter by others or by the size of the object: what is beyond it cannot be made, or not as anybody would want it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bound {
    /// The parameter.
    pub(crate) of: String,
    /// Expression for its least value, in local units; null where nothing bounds it.
    #[serde(default)]
    pub(crate) least: Value,
    /// Expression for its greatest value.
    #[serde(default)]
    pub(crate) most: Value,
    /// What would be wrong beyond it: “the teeth would meet in the middle”.
    pub(crate) why: String,
}

/// The plan template.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Template {
    /// Description of the step.
    pub(crate) description: String,
    /// What was done, with `{parameter}` in it; sentences in brackets after `?name ` only if that is given.
    pub(crate) done: Vec<Sentence>,
    /// What share of the room that it needs each copy has; below 1 neighbours overlap, or are made smaller.
    #[serde(default)]
    pub(crate) room: Value,
    /// Whether the tree makes copies smaller where they would overlap.
    #[serde(default)]
    pub(crate) fits: Value,
    /// Expectations about the result: `meta.expects` of a plan without the object, with expressions.
    #[serde(default)]
    pub(crate) expects: Vec<Value>,
    /// The nodes of the tree as tree text, with conditions and values: see `crate::page`; or whole groups, as `crate::saved` writes them.
    pub(crate) page: String,
}

/// A sentence of the final message: a text, or a text with a condition.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Said")]
pub(crate) struct Sentence {
    /// Expression that must hold.
    pub(crate) when: Value,
    /// Text with `{parameter}`.
    pub(crate) text: String,
    /// Whether it says what the words left open, and so belongs to how they were understood.
    pub(crate) note: bool,
    /// Whether it is also said of a change of the result.
    pub(crate) of_changes: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Always(String),
    When(Conditional),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conditional {
    #[serde(default)]
    when: Value,
    text: String,
    #[serde(default)]
    note: bool,
    #[serde(default)]
    of_changes: bool,
}

impl From<Said> for Sentence {
    fn from(said: Said) -> Self {
        match said {
            Said::Always(text) => Self {
                when: Value::Null,
                text,
                note: false,
                of_changes: false,
            },
            Said::When(Conditional {
                when,
                text,
                note,
                of_changes,
            }) => Self {
                when,
                text,
                note,
                of_changes,
            },
        }
    }
}

/// A preset as in its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preset {
    /// Version of the format; 1.
    #[serde(rename = "preset")]
    pub(crate) version: u32,
    /// File name without its ending.
    #[serde(skip)]
    pub(crate) id: String,
    /// The first version of Blender that has the nodes, such as `[4, 5]`; every supported one without it.
    #[serde(default)]
    pub(crate) since: Option<[u32; 2]>,
    /// Name for the artist, also of the modifier and the node group.
    pub(crate) title: String,
    /// One sentence.
    pub(crate) description: String,
    /// Prompts that it fits, the best first.
    pub(crate) examples: Vec<String>,
    /// Phrases by concept; `&name` includes another or a shared concept.
    pub(crate) concepts: IndexMap<String, Vec<String>>,
    /// Evidence that calls for it.
    pub(crate) calls: Vec<Rule>,
    /// Sets of concepts that exclude it.
    #[serde(default)]
    pub(crate) against: Vec<Vec<String>>,
    /// Short phrases that call for it where a prompt opens with one, and nothing else does.
    #[serde(default)]
    pub(crate) terse: Vec<String>,
    /// Whether its title is such a phrase; not where the bare word may mean something else.
    #[serde(default = "yes")]
    pub(crate) title_calls: bool,
    /// Further words that add nothing to what the preset does.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// The object that gets the tree.
    pub(crate) target: Role,
    /// The thing that is copied, if any.
    #[serde(default)]
    pub(crate) thing: Option<Thing>,
    /// Parameters, in the order of the messages.
    pub(crate) parameters: Vec<Parameter>,
    /// How parameters bound each other.
    #[serde(default)]
    pub(crate) bounds: Vec<Bound>,
    /// The plan template.
    pub(crate) plan: Template,
}

fn yes() -> bool {
    true
}

impl Preset {
    /// Reads one preset file.
    ///
    /// # Errors
    /// `preset_invalid` with file, place and cause.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, DataError> {
        let unreadable = |cause: String| DataError::Unreadable {
            file: file.to_owned(),
            cause,
        };
        let mut preset: Self = toml::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        let id = Path::new(file).file_stem().and_then(|stem| stem.to_str());
        id.unwrap_or_default().clone_into(&mut preset.id);
        preset.read_expressions(file)?;
        preset.check(file)?;
        Ok(preset)
    }

    /// Reads the expressions that are written as people write them.
    fn read_expressions(&mut self, file: &str) -> Result<(), DataError> {
        let wrong = |path: String, cause: String| DataError::Inconsistent {
            file: file.to_owned(),
            path,
            cause,
        };
        for (i, parameter) in self.parameters.iter_mut().enumerate() {
            if let (true, Value::String(text)) = (parameter.kind != ParameterKind::Value, &parameter.default) {
                parameter.default =
                    infix::read(text).map_err(|cause| wrong(format!("/parameters/{i}/default"), cause))?;
            }
        }
        for (i, bound) in self.bounds.iter_mut().enumerate() {
            for (name, end) in [("least", &mut bound.least), ("most", &mut bound.most)] {
                if let Value::String(text) = end {
                    *end = infix::read(text).map_err(|cause| wrong(format!("/bounds/{i}/{name}"), cause))?;
                }
            }
        }
        for (i, sentence) in self.plan.done.iter_mut().enumerate() {
            if let Value::String(text) = &sentence.when {
                sentence.when = infix::read(text).map_err(|cause| wrong(format!("/plan/done/{i}/when"), cause))?;
            }
        }
        for (name, value) in [("room", &mut self.plan.room), ("fits", &mut self.plan.fits)] {
            if let Value::String(text) = value {
                *value = infix::read(text).map_err(|cause| wrong(format!("/plan/{name}"), cause))?;
            }
        }
        let expects = self.plan.expects.iter_mut().enumerate();
        for (i, one) in expects {
            infix::read_within(one).map_err(|cause| wrong(format!("/plan/expects/{i}"), cause))?;
        }
        Ok(())
    }

    fn check(&self, file: &str) -> Result<(), DataError> {
        let wrong = |path: String, cause: String| DataError::Inconsistent {
            file: file.to_owned(),
            path,
            cause,
        };
        if self.version != 1 {
            return Err(wrong(
                "/preset".into(),
                format!("version {} is not supported; write 1", self.version),
            ));
        }
        if self.title.trim().is_empty() || self.title.len() > LONGEST_TITLE || self.title.contains(is_unfit) {
            return Err(wrong(
                "/title".into(),
                format!("a title has 1 to {LONGEST_TITLE} bytes, no control characters, quotes or braces"),
            ));
        }
        if self.is_whole() && !self.plan.page.contains(GROUP) {
            return Err(wrong(
                "/plan/page".into(),
                format!("the first group of a page that begins with `def` has `settings(name={GROUP})`"),
            ));
        }
        if self.examples.is_empty() || self.calls.is_empty() {
            return Err(wrong(
                "/examples".into(),
                "a preset needs at least one example and one rule".into(),
            ));
        }
        for (i, bound) in self.bounds.iter().enumerate() {
            if self.parameter(&bound.of).is_none() || bound.least.is_null() == bound.most.is_null() {
                let cause = format!("“{}” must be a parameter with one of `least` and `most`", bound.of);
                return Err(wrong(format!("/bounds/{i}"), cause));
            }
        }
        for (i, parameter) in self.parameters.iter().enumerate() {
            let at = |field: &str| format!("/parameters/{i}/{field}");
            if self.parameters.iter().filter(|p| p.name == parameter.name).count() > 1 {
                return Err(wrong(at("name"), format!("“{}” occurs twice", parameter.name)));
            }
            if let (Some([low, high]), Some([soft, hard])) = (parameter.hard, parameter.advised)
                && (low > soft || hard > high)
            {
                return Err(wrong(at("advised"), "reaches beyond `hard`".into()));
            }
            for name in &parameter.into {
                if !self.parameters.iter().any(|p| &p.name == name) {
                    return Err(wrong(at("into"), format!("“{name}” is not a parameter")));
                }
            }
            let parts = matches!(
                parameter.kind,
                ParameterKind::Range | ParameterKind::Sides | ParameterKind::Values
            );
            let measured = parts || parameter.kind == ParameterKind::Derived && parameter.of.is_some();
            if parts == parameter.into.is_empty() || measured != parameter.of.is_some() {
                return Err(wrong(
                    at("into"),
                    "ranges and sides need `of` and `into`, others must not have them".into(),
                ));
            }
        }
        Ok(())
    }

    /// Whether its page holds whole groups instead of the nodes of one.
    pub(crate) fn is_whole(&self) -> bool {
        self.plan.page.trim_start().starts_with("def ")
    }

    /// The two shares of a curve between which a range lies: what it takes starts at one and ends at the other.
    pub(crate) fn spans(&self, range: &Parameter) -> Option<(&Parameter, &Parameter)> {
        let [from, to] = range.into.as_slice() else { return None };
        let (from, to) = (self.parameter(from)?, self.parameter(to)?);
        let share = |one: &Parameter| one.kind == ParameterKind::Factor && one.hard == Some([0.0, 1.0]);
        (range.kind == ParameterKind::Range && share(from) && share(to)).then_some((from, to))
    }

    /// The parameter of this name.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

/// Compiles phrases; an error names the place of the bad one.
pub(crate) fn phrases(file: &str, path: &str, list: &[String]) -> Result<Vec<Phrase>, DataError> {
    list.iter()
        .enumerate()
        .map(|(i, text)| {
            Phrase::parse(text).map_err(|PhraseError(cause)| DataError::Inconsistent {
                file: file.to_owned(),
                path: format!("{path}/{i}"),
                cause,
            })
        })
        .collect()
}

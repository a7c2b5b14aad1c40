//! Names in the prompt: which objects and collections of the scene the artist means.

use std::collections::HashMap;

use crate::language::{Generic, Language};
use crate::tokens::{self, Kind, Token};
use geonode_graph::documents::context::{Context, SceneObject};

/// What a noun refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referent {
    /// An object with this name and type.
    Object {
        /// Exact name.
        name: String,
        /// `MESH`, `CURVE`, ….
        kind: String,
    },
    /// A collection with this name.
    Collection(String),
    /// The present object of that kind.
    Generic(Generic),
    /// Nothing in the scene: the noun itself, as typed.
    Unknown(String),
}

/// A noun and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// First token.
    pub(crate) start: usize,
    /// One past the last token.
    pub(crate) end: usize,
    /// What it refers to.
    pub(crate) referent: Referent,
    /// Whether it is named as something that exists: “the plane”, “Plane”, a quoted name.
    pub(crate) definite: bool,
    /// Whether it stands in quotation marks.
    pub(crate) quoted: bool,
}

impl Mention {
    /// Whether it is an object of this type.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        matches!(&self.referent, Referent::Object { kind, .. } if kind == wanted)
    }
}

struct Name {
    tokens: Vec<Token>,
    referent: Referent,
    /// Whether the number that Blender adds (“.001”) was omitted.
    shortened: bool,
    /// Preferred among equals.
    prominence: u8,
}

/// Types whose objects have geometry that a tree can use.
pub(crate) const GEOMETRY: [&str; 6] = ["MESH", "CURVE", "CURVES", "FONT", "SURFACE", "POINTCLOUD"];

fn prominence(object: &SceneObject, context: &Context) -> u8 {
    let geometry = u8::from(GEOMETRY.contains(&object.kind.as_str()));
    let active = u8::from(context.active_object.as_deref() == Some(object.name.as_str()));
    geometry * 4 + active * 2 + u8::from(object.selected)
}

fn names(context: &Context, language: &Language) -> Vec<Name> {
    let mut names = Vec::new();
    for object in &context.objects {
        let referent = Referent::Object {
            name: object.name.clone(),
            kind: object.kind.clone(),
        };
        let prominence = prominence(object, context);
        let tokens = tokens::split(&object.name);
        let numbered = object
            .name
            .rsplit_once('.')
            .is_some_and(|(_, n)| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()));
        if numbered && tokens.len() > 1 {
            let short = tokens.get(..tokens.len() - 1).unwrap_or_default().to_vec();
            names.push(Name {
                tokens: short,
                referent: referent.clone(),
                shortened: true,
                prominence,
            });
        }
        names.push(Name {
            tokens,
            referent,
            shortened: false,
            prominence,
        });
    }
    for (alias, meant) in &language.aliases {
        let called = |object: &&SceneObject| {
            let name = object.name.split('.').next().unwrap_or_default();
            meant.iter().any(|one| one == name)
        };
        for object in context.objects.iter().filter(called) {
            names.push(Name {
                tokens: tokens::split(alias),
                referent: Referent::Object {
                    name: object.name.clone(),
                    kind: object.kind.clone(),
                },
                shortened: true,
                prominence: prominence(object, context),
            });
        }
    }
    for collection in &context.collections {
        let referent = Referent::Collection(collection.name.clone());
        names.push(Name {
            tokens: tokens::split(&collection.name),
            referent,
            shortened: false,
            prominence: 0,
        });
    }
    names
}

/// Whether every token of a name is a common word; such a name must be quoted, or written as it is with its capital inside the sentence.
fn everyday(name: &Name, language: &Language) -> bool {
    name.tokens.iter().all(|token| match token.kind {
        Kind::Word => {
            language.stop.contains(&token.text)
                || language.prepositions.contains(&token.text)
                || language.conjunctions.contains(&token.text)
                || language.negations.contains(&token.text)
                || language.numbers.contains_key(&token.text)
                || language.units.contains_key(&token.text)
        }
        _ => true,
    })
}

/// Whether a name stands inside the sentence letter by letter, with a capital at its beginning.
fn written_as(name: &Name, tokens: &[Token], at: usize) -> bool {
    let mut pairs = name.tokens.iter().zip(tokens.iter().skip(at));
    at > 0 && tokens.get(at).is_some_and(|token| token.capital) && pairs.all(|(name, token)| name.typed == token.typed)
}

fn same(name: &Token, token: &Token, last: bool) -> bool {
    match (&name.kind, &token.kind) {
        (Kind::Word, Kind::Word) => name.text == token.text || (last && name.stem == token.stem),
        (Kind::Number(a), Kind::Number(b)) => (a - b).abs() < f64::EPSILON,
        (Kind::Break(a), Kind::Break(b)) => a == b,
        _ => false,
    }
}

fn matches_at(name: &Name, tokens: &[Token], at: usize) -> bool {
    let count = name.tokens.len();
    tokens.get(at..at + count).is_some_and(|token| {
        name.tokens
            .iter()
            .zip(token)
            .enumerate()
            .all(|(i, (a, b))| same(a, b, i + 1 == count))
    })
}

fn quoted(text: &str, context: &Context) -> Referent {
    let object = |object: &SceneObject| Referent::Object {
        name: object.name.clone(),
        kind: object.kind.clone(),
    };
    if let Some(found) = context.object(text) {
        return object(found);
    }
    if let Some(found) = context.collections.iter().find(|c| c.name == text) {
        return Referent::Collection(found.name.clone());
    }
    let lower = text.to_lowercase();
    let found = context
        .objects
        .iter()
        .find(|o| o.name.to_lowercase() == lower)
        .map(object);
    found.unwrap_or_else(|| Referent::Unknown(text.to_owned()))
}

/// Whether the token before makes the noun a definite one: “the”, or a capital inside the sentence.
fn definite(tokens: &[Token], at: usize, language: &Language) -> bool {
    let before = at.checked_sub(1).and_then(|i| tokens.get(i));
    if before.is_some_and(|t| language.indefinite.contains(&t.text)) {
        return false;
    }
    before.is_some_and(|t| language.definite.contains(&t.text)) || (at > 0 && tokens.get(at).is_some_and(|t| t.capital))
}

/// Whether the token is a verb: first in its clause and followed by an article or a number (“array the cube”).
fn verb_place(tokens: &[Token], at: usize, end: usize, language: &Language) -> bool {
    let opens = at.checked_sub(1).and_then(|i| tokens.get(i)).is_none_or(|t| {
        matches!(t.kind, Kind::Break(_)) || matches!(t.text.as_str(), "and" | "then" | "please" | "to")
    });
    // “rocks 60” are things: verbs have no plural.
    if end == at + 1
        && tokens
            .get(at)
            .is_some_and(|token| token.text.ends_with('s') && token.stem != token.text)
    {
        return false;
    }
    let next = tokens.get(end);
    let object_follows =
        next.is_some_and(|t| matches!(t.kind, Kind::Number(_)) || language.is_determiner(&t.text) || t.text == "it");
    opens && object_follows
}

/// “rocks” is rather the object Rock; “Rocks” or “the rocks collection” rather the collection of that name.
fn collection_bonus(name: &Name, tokens: &[Token], at: usize) -> u8 {
    if !matches!(name.referent, Referent::Collection(_)) {
        return 0;
    }
    let end = at + name.tokens.len();
    let is = |i: Option<usize>| i.and_then(|i| tokens.get(i)).is_some_and(|t| t.text == "collection");
    let exact = name.tokens.last().map(|t| &t.text) == tokens.get(end - 1).map(|t| &t.text);
    let cased = exact
        && tokens.get(at).is_some_and(|t| t.capital)
        && (at > 0 || name.tokens.first().is_some_and(|t| t.capital));
    if cased || is(Some(end)) || is(at.checked_sub(1)) {
        16
    } else {
        0
    }
}

/// Whether the words are those of what a preset makes, and not of one that stands: “a brick wall”, not “the Brick Wall”.
fn made_anew(tokens: &[Token], start: usize, end: usize, language: &Language) -> bool {
    let words: Vec<&str> = tokens
        .get(start..end)
        .unwrap_or_default()
        .iter()
        .map(|one| one.text.as_str())
        .collect();
    !definite(tokens, start, language) && language.presets.titles.contains(&words.join(" "))
}

/// Every object, collection and generic noun of the prompt, in order and without overlaps; the longest name wins.
pub(crate) fn mentions(tokens: &[Token], context: &Context, language: &Language) -> Vec<Mention> {
    let names = names(context, language);
    let mut by_first: HashMap<&str, Vec<&Name>> = HashMap::new();
    for name in &names {
        if let Some(first) = name.tokens.first() {
            by_first.entry(first.stem.as_str()).or_default().push(name);
        }
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Quoted {
            found.push(Mention {
                start: at,
                end: at + 1,
                referent: quoted(&token.text, context),
                definite: true,
                quoted: true,
            });
            at += 1;
            continue;
        }
        let best = by_first
            .get(token.stem.as_str())
            .into_iter()
            .flatten()
            .filter(|name| matches_at(name, tokens, at))
            .filter(|name| !everyday(name, language) || written_as(name, tokens, at))
            .max_by_key(|name| {
                (
                    name.tokens.len(),
                    !name.shortened,
                    name.prominence + collection_bonus(name, tokens, at),
                )
            });
        if let Some(name) = best
            && !verb_place(tokens, at, at + name.tokens.len(), language)
            && !made_anew(tokens, at, at + name.tokens.len(), language)
        {
            let end = at + name.tokens.len();
            found.push(Mention {
                start: at,
                end,
                referent: name.referent.clone(),
                definite: definite(tokens, at, language),
                quoted: false,
            });
            at = end;
            continue;
        }
        at += 1;
    }
    found
}

/// The object that “the curve” or “it” refers to.
pub(crate) fn at_hand<'a>(generic: Generic, context: &'a Context) -> Option<&'a SceneObject> {
    let fits = |object: &&'a SceneObject| match generic {
        Generic::Mesh => object.kind == "MESH",
        Generic::Curve => matches!(object.kind.as_str(), "CURVE" | "CURVES"),
        Generic::Any => GEOMETRY.contains(&object.kind.as_str()),
    };
    if let Some(focus) = context.focus().filter(|object| fits(object)) {
        return Some(focus);
    }
    let mut all = context.objects.iter().filter(fits);
    let only = all.next()?;
    if all.next().is_none() {
        return Some(only);
    }
    let mut selected = context.objects.iter().filter(|object| fits(object) && object.selected);
    let only = selected.next()?;
    selected.next().is_none().then_some(only)
}

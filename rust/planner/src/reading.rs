//! A prompt as a sequence of words, quantities and names.

use std::collections::BTreeSet;

use crate::language::{Generic, Language};
use crate::quantity::{self, Quantity};
use crate::scene::{self, Mention};
use crate::spelling;
use crate::tokens::{self, Kind, Token};
use geonode_graph::documents::Context;

/// What the presets call it.
const ALONG: &str = "along";

/// What an item is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ItemKind {
    /// A word.
    Word,
    /// A number with its unit.
    Quantity(Quantity),
    /// An object or collection of the scene, or a quoted name.
    Mention(Mention),
    /// A mark.
    Break(char),
}

/// One item of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// What it is.
    pub(crate) kind: ItemKind,
    /// Lower-case text.
    pub(crate) text: String,
    /// Stem of its last word.
    pub(crate) stem: String,
    /// The words as typed, for messages.
    pub(crate) typed: String,
    /// What a pronoun, “along *it*”, “over *this*”, stands for: the kind of the object in focus.
    pub(crate) stands_for: Option<Generic>,
}

/// A prompt that was read.
pub(crate) struct Reading<'a> {
    /// Items in order.
    pub(crate) items: Vec<Item>,
    /// The shared word lists.
    pub(crate) language: &'a Language,
    /// Words that were corrected, as (typed, read).
    pub(crate) corrected: Vec<(String, String)>,
}

impl<'a> Reading<'a> {
    /// Reads a prompt against the scene. `correct` may give the known word, or the name of the scene, that a misspelt one was meant to be.
    pub(crate) fn new(
        prompt: &str,
        context: &Context,
        language: &'a Language,
        correct: impl Fn(&str, &BTreeSet<String>) -> Option<String>,
    ) -> Self {
        let mut tokens = along(tokens::split(prompt), context, language);
        let mentions = scene::mentions(&tokens, context, language);
        let names = spelling::names(context, language);
        let mut taken = vec![false; tokens.len()];
        for mention in &mentions {
            for flag in taken.iter_mut().take(mention.end).skip(mention.start) {
                *flag = true;
            }
        }
        let mut corrected = Vec::new();
        for (token, _) in tokens
            .iter_mut()
            .zip(&taken)
            .filter(|(token, taken)| !**taken && token.kind == Kind::Word)
        {
            if let Some(full) = language.abbreviations.get(&token.text) {
                token.stem = tokens::stem(full);
                token.text.clone_from(full);
            } else if let Some(known) = correct(&token.text, &names) {
                corrected.push((token.text.clone(), known.clone()));
                token.stem = tokens::stem(&known);
                token.text = known;
            }
        }
        // A name may only be one once its letters are in order.
        let mentions = if corrected.is_empty() {
            mentions
        } else {
            scene::mentions(&tokens, context, language)
        };
        for mention in &mentions {
            for flag in taken.iter_mut().take(mention.end).skip(mention.start) {
                *flag = true;
            }
        }
        let quantities = quantity::quantities(&tokens, language, &taken);
        let mut items = items(&tokens, mentions, quantities);
        let focus = context.focus().and_then(|object| match object.kind.as_str() {
            "MESH" => Some(Generic::Mesh),
            "CURVE" | "CURVES" => Some(Generic::Curve),
            _ => None,
        });
        for at in 0..items.len() {
            let stands_for = focus.filter(|_| is_pronoun(&items, at, language));
            if let Some(item) = items.get_mut(at) {
                item.stands_for = stands_for;
            }
        }
        Self {
            items,
            language,
            corrected,
        }
    }

    /// The item at this place.
    pub(crate) fn item(&self, at: usize) -> Option<&Item> {
        self.items.get(at)
    }

    /// The words of these items as they were typed.
    pub(crate) fn typed(&self, start: usize, end: usize) -> String {
        let items = self.items.get(start..end).unwrap_or_default();
        let words: Vec<&str> = items.iter().map(|item| item.typed.as_str()).collect();
        words.join(" ")
    }

    /// Whether the item is a word without a meaning of its own.
    pub(crate) fn is_empty_word(&self, item: &Item) -> bool {
        item.kind == ItemKind::Word
            && (self.language.stop.contains(&item.text) || self.language.adjectives.contains(&item.stem))
    }

    /// Whether the item at this place says nothing: a mark, or a word such as “please”.
    pub(crate) fn means_nothing(&self, at: usize) -> bool {
        self.item(at).is_some_and(|item| match item.kind {
            ItemKind::Break(mark) => !matches!(mark, '/' | '+' | '-'),
            ItemKind::Word => self.language.stop.contains(&item.text) && !self.language.places.contains(&item.text),
            _ => false,
        })
    }

    /// Whether the item at this place is one of these words.
    pub(crate) fn is(&self, at: usize, words: &[&str]) -> bool {
        self.item(at)
            .is_some_and(|item| item.kind == ItemKind::Word && words.contains(&item.text.as_str()))
    }

    /// Number of the clause for each item: marks, “and”, “then”, “but” and “so” separate clauses.
    pub(crate) fn clauses(&self) -> Vec<usize> {
        let mut clause = 0;
        self.items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let parts = match &item.kind {
                    ItemKind::Break(mark) => {
                        matches!(mark, '.' | ',' | ';' | ':' | '!' | '?' | '\n' | '(' | ')' | '&' | '+')
                    }
                    // “so empty” is one thing with what it stands in.
                    ItemKind::Word if item.text == "so" => self.item(at + 1).is_none_or(|next| {
                        next.kind != ItemKind::Word
                            || self.language.stop.contains(&next.text)
                            || self.language.is_determiner(&next.text)
                    }),
                    ItemKind::Word => {
                        matches!(
                            item.text.as_str(),
                            "and" | "then" | "but" | "afterwards" | "plus" | "also"
                        )
                    }
                    _ => false,
                };
                if parts {
                    clause += 1;
                }
                clause
            })
            .collect()
    }
}

/// “a chain that follows the curve” as “a chain along the curve”: words before a curve that say no more than that.
fn along(mut tokens: Vec<Token>, context: &Context, language: &Language) -> Vec<Token> {
    let mentions = scene::mentions(&tokens, context, language);
    let text = |at: usize| {
        tokens
            .get(at)
            .filter(|one| one.kind == Kind::Word)
            .map(|one| one.text.as_str())
    };
    let is_curve = |at: usize| {
        let named = mentions
            .iter()
            .any(|one| one.start == at && (one.is("CURVE") || one.is("CURVES")));
        let word = tokens.get(at).filter(|one| one.kind == Kind::Word);
        named || word.is_some_and(|one| language.generic.get(&one.stem) == Some(&Generic::Curve))
    };
    let ends = |at: usize| {
        let says = |words: &&Vec<String>| words.iter().enumerate().all(|(i, word)| text(at + i) == Some(word));
        let before_curve = |words: &Vec<String>| {
            let end = at + words.len();
            let noun = (end..end + 3).find(|next| !text(*next).is_some_and(|word| language.is_determiner(word)));
            noun.is_some_and(is_curve).then_some(end)
        };
        let all = language.along.iter().filter(says);
        all.filter_map(before_curve).max()
    };
    let found: Vec<(usize, usize)> = (1..tokens.len()).filter_map(|at| Some((at, ends(at)?))).collect();
    let Some((at, end)) = found.first().copied() else {
        return tokens;
    };
    let typed = typed(&tokens, at, end);
    let stem = tokens::stem(ALONG);
    if let Some(first) = tokens.get_mut(at) {
        ALONG.clone_into(&mut first.text);
        (first.stem, first.typed) = (stem, typed);
    }
    tokens.drain(at + 1..end);
    tokens
}

/// Whether the word stands behind a preposition for the object in focus: “along it”, and “this” where no noun follows.
fn is_pronoun(items: &[Item], at: usize, language: &Language) -> bool {
    let word = |at: usize| items.get(at).filter(|item| item.kind == ItemKind::Word);
    let ends = || match items.get(at + 1).map(|item| &item.kind) {
        None | Some(ItemKind::Break(_)) => true,
        Some(ItemKind::Word) => word(at + 1).is_some_and(|next| {
            language.prepositions.contains(&next.text) || language.conjunctions.contains(&next.text)
        }),
        _ => false,
    };
    // “along it”; what a verb does to it, “remove it”, is the last result's as often.
    let placed = at.checked_sub(1).and_then(word).is_some_and(|before| {
        language.prepositions.contains(&before.text) && !language.negations.contains(&before.text)
    });
    placed && word(at).is_some_and(|item| item.text == "it" || item.text == "this" && ends())
}

fn typed(tokens: &[Token], start: usize, end: usize) -> String {
    let parts: Vec<&str> = tokens
        .get(start..end)
        .unwrap_or_default()
        .iter()
        .map(|t| t.typed.as_str())
        .collect();
    parts.join(" ")
}

fn items(tokens: &[Token], mentions: Vec<Mention>, quantities: Vec<Quantity>) -> Vec<Item> {
    let mut items = Vec::with_capacity(tokens.len());
    let (mut mentions, mut quantities) = (mentions.into_iter().peekable(), quantities.into_iter().peekable());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let (kind, end) = if let Some(mention) = mentions.next_if(|m| m.start == at) {
            let end = mention.end;
            (ItemKind::Mention(mention), end)
        } else if let Some(quantity) = quantities.next_if(|q| q.start == at) {
            let end = quantity.end;
            (ItemKind::Quantity(quantity), end)
        } else {
            match token.kind {
                Kind::Break(mark) => (ItemKind::Break(mark), at + 1),
                _ => (ItemKind::Word, at + 1),
            }
        };
        let typed = typed(tokens, at, end);
        let last = tokens.get(end - 1).unwrap_or(token);
        // A word counts as what it was read as: “segs” are segments.
        let text = match kind {
            ItemKind::Word => token.text.clone(),
            _ => typed.to_lowercase(),
        };
        items.push(Item {
            kind,
            text,
            stem: last.stem.clone(),
            typed,
            stands_for: None,
        });
        at = end.max(at + 1);
    }
    items
}

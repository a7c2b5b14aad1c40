//! Examples: pages in the instructions, chosen by how well they fit the prompt, and presets as the answer to a search.

use std::fmt::Write as _;

use geonode_graph::documents::{Context, Object, TreeInfo};
use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_planner::DataError;
use geonode_planner::example::{self, Example};
use geonode_planner::offline::{self, Options};
use geonode_protocol::{Finding, Limits, parse_plan_value};
use geonode_text::names::{title, word};
use geonode_text::{Names, expand, page_plan};
use indexmap::IndexSet;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::form::Answer;
use crate::pages;
use crate::search::{self, Index};

/// Most examples that the instructions show.
pub(crate) const SHOWN: usize = 2;

/// How many presets tell which nodes a prompt needs.
const SHARED: usize = 3;

/// Most operations of an example; each has far fewer.
const MOST: usize = 1_000;

/// How many presets a search finds.
const FOUND: usize = 5;

/// Ready pages. The first is shown where none fits better.
const PAGES: [&str; 7] = [
    include_str!("../examples/scatter.txt"),
    include_str!("../examples/edit.txt"),
    include_str!("../examples/for_each.txt"),
    include_str!("../examples/groups.txt"),
    include_str!("../examples/menu.txt"),
    include_str!("../examples/repeat.txt"),
    include_str!("../examples/simulation.txt"),
];

/// A ready page with the prompt that it answers.
#[derive(Debug, Clone, Copy)]
struct Ready {
    /// Words of prompts that it fits.
    words: &'static str,
    prompt: &'static str,
    /// The page of the tree in the context, if it changes one.
    tree: Option<&'static str>,
    page: &'static str,
}

impl Ready {
    /// The parts of a file: `Words: …`, `Prompt: …`, and the page; where a tree is changed `Tree:`, its page, `Page:`, the answer.
    fn of(text: &'static str) -> Option<Self> {
        let (words, rest) = text.strip_prefix("Words: ")?.split_once("\nPrompt: ")?;
        let (prompt, rest) = rest.split_once('\n')?;
        let changed = rest
            .strip_prefix("Tree:\n")
            .and_then(|rest| rest.split_once("\nPage:\n"));
        Some(Self {
            words,
            prompt,
            tree: changed.map(|(tree, _)| tree),
            page: changed.map_or(rest, |(_, page)| page),
        })
    }

    fn shown(&self, answer: Answer) -> String {
        let mut text = format!("\nPrompt: {}\n", self.prompt);
        if let Some(tree) = self.tree {
            let _ = writeln!(text, "Tree in the context:\n```python\n{}\n```", tree.trim());
        }
        let _ = writeln!(text, "Page:\n```python\n{}\n```", said(self.page, answer).trim());
        text
    }

    /// Whether this Blender has everything that the page uses.
    fn is_valid(&self, catalogue: &Catalogue) -> bool {
        self.faults(catalogue).is_empty()
    }

    /// What is wrong with it in this Blender.
    fn faults(&self, catalogue: &Catalogue) -> Vec<Finding> {
        let mut document = surroundings();
        let mut faults = Vec::new();
        // The tree in the context runs where the answer applies it.
        let applied = self.page.lines().find(|line| line.starts_with("apply("));
        let tree = self.tree.map(|tree| format!("{tree}\n{}", applied.unwrap_or_default()));
        for page in tree.as_deref().into_iter().chain([self.page]) {
            let (after, found) = made(page, document, catalogue);
            document = after;
            faults.extend(found.into_iter().filter(Finding::is_error));
        }
        faults
    }
}

/// A file in which every example can be carried out.
fn surroundings() -> Document {
    let mut document = Document::default();
    for name in ["Plane", "Cube", "Sphere", "Suzanne", "Rock", "Curve"] {
        let object = Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        };
        document.objects.insert(name.to_owned(), object);
        document
            .names
            .entry("object".to_owned())
            .or_default()
            .insert(name.to_owned());
    }
    document
}

/// The file after a page, and what was found.
fn made(page: &str, document: Document, catalogue: &Catalogue) -> (Document, Vec<Finding>) {
    let Some(expanded) = expand(&page_plan(page), &document, catalogue, Some("Cube"), MOST) else {
        return (document, Vec::new());
    };
    let compiled = compile_exactly(&expanded.plan, &document, catalogue, &expanded.exact);
    let traced = compiled
        .findings
        .into_iter()
        .map(|finding| expanded.places.trace(finding));
    let found = expanded.findings.into_iter().chain(traced).collect();
    let mut after = compiled.after;
    for name in after.trees.keys() {
        let info = TreeInfo {
            users: 1,
            kind: "GeometryNodeTree".to_owned(),
            ..TreeInfo::default()
        };
        after.tree_info.insert(name.clone(), info);
    }
    (after, found)
}

/// A page as the answer has it: in a plan the text for the artist is a field, and a group is called as its name says.
fn said(page: &str, answer: Answer) -> String {
    let page = match page.split_once("\n\n") {
        Some((words, rest)) if answer == Answer::Plan && words.starts_with('"') => rest,
        _ => page,
    };
    let name = page
        .split_once("    settings(name=\"")
        .and_then(|(_, rest)| rest.split_once("\")\n"));
    let own = name.and_then(|(name, _)| Some((name, word(name).filter(|word| title(word) == name)?)));
    match own {
        Some((name, word)) if !page.contains(&format!("{word}(")) => page
            .replacen(&format!("    settings(name=\"{name}\")\n"), "", 1)
            .replacen("def tree(", &format!("def {word}("), 1),
        _ => page.to_owned(),
    }
}

/// The node types that the presets nearest to a prompt use, each once: the first of each preset, that of the nearest first, then the
/// second ones. A prompt may speak of several presets, “letters along a curve”. `surely`: only of those that it asks for.
pub(crate) fn used(prompt: &str, surely: bool, names: &Names<'_>) -> Result<Vec<String>, DataError> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    let near = example::near(prompt)?
        .into_iter()
        .filter(|example| !surely || example.fits());
    for example in near.take(SHARED) {
        let page = written(&example, names.catalogue()).unwrap_or_default();
        let calls = page.split('(').filter_map(|before| {
            let at = before
                .rfind(|c: char| !c.is_alphanumeric() && c != '_')
                .map_or(0, |at| at + 1);
            let data = before.get(..at).is_some_and(|text| text.ends_with('.'));
            names.node_type(before.get(at..)?).filter(|_| !data)
        });
        lists.push(calls.map(str::to_owned).collect());
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default();
    let in_turn = (0..longest).flat_map(|place| lists.iter().filter_map(move |list| list.get(place)));
    Ok(in_turn.cloned().collect::<IndexSet<String>>().into_iter().collect())
}

/// The examples nearest to a prompt, the nearest first, in at most `limit` bytes. `changes`: whether there is a tree that the prompt may
/// be about.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged.
pub(crate) fn nearest(
    prompt: &str,
    changes: bool,
    catalogue: &Catalogue,
    limit: usize,
    answer: Answer,
) -> Result<String, DataError> {
    let ready: Vec<Ready> = PAGES.iter().filter_map(|text| Ready::of(text)).collect();
    let words: Vec<&str> = ready.iter().map(|one| one.words).collect();
    let mut order: Vec<(f64, Ready)> = search::shared(prompt, &words)
        .into_iter()
        .zip(ready)
        .map(|(fit, one)| {
            (
                if changes && one.tree.is_some() {
                    fit + ABOUT_IT
                } else {
                    fit
                },
                one,
            )
        })
        .collect();
    // The sort is stable: the first is the most general one.
    order.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let preset = example::near(prompt)?.into_iter().next().filter(Example::fits);
    let preset = preset.and_then(|example| {
        Some(format!(
            "\nPrompt: {}\nPage:\n```python\n{}```\n",
            example.prompt()?,
            said(&page(&example, catalogue)?, answer)
        ))
    });
    let best = order.first().map_or(0.0, |(fit, _)| *fit);
    let ready = order
        .into_iter()
        .filter(|(fit, _)| *fit > 0.0 || best <= 0.0)
        .filter(|(_, one)| one.is_valid(catalogue))
        .map(|(_, one)| one.shown(answer));
    // What is changed stands before what is made, and what several words ask for before a preset.
    let (before, after) = if changes || best > ASKED_FOR {
        (None, preset)
    } else {
        (preset, None)
    };
    let mut text = String::new();
    let mut count = 0;
    for example in before.into_iter().chain(ready).chain(after) {
        if count < SHOWN && text.len() + example.len() <= limit {
            text.push_str(&example);
            count += 1;
        }
    }
    Ok(text)
}

/// Prompts, each with the term that it answers.
pub(crate) const TERMS: &str = include_str!("../examples/terms.txt");

/// How many terms are shown.
const TERMS_SHOWN: usize = 4;

/// The prompts and terms nearest to a prompt, the nearest last.
pub(crate) fn terms(prompt: &str) -> Vec<(&'static str, &'static str)> {
    let all: Vec<(&str, &str)> = TERMS.lines().filter_map(|line| line.split_once(": ")).collect();
    let texts: Vec<String> = all.iter().map(|(words, term)| format!("{words} {term}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut order: Vec<(f64, (&str, &str))> = search::shared(prompt, &texts).into_iter().zip(all).collect();
    order.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let few = order.len().saturating_sub(TERMS_SHOWN);
    order.into_iter().skip(few).map(|(_, one)| one).collect()
}

/// A page without its text for the artist and its expectations.
pub(crate) fn without_words(page: &str) -> &str {
    let page = page.find("def ").map_or(page, |at| page.get(at..).unwrap_or(page));
    page.find("\nexpect(")
        .map_or(page, |at| page.get(..at).unwrap_or(page))
        .trim()
}

/// A prompt and its page, in at most `limit` bytes: this prompt as the presets understand it in this scene, else the nearest prompt of the
/// preset that it asks for.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged.
pub(crate) fn ready(
    prompt: &str,
    context: &Value,
    catalogue: &Catalogue,
    limit: usize,
) -> Result<Option<(String, String)>, DataError> {
    let scene = Context::deserialize(context).unwrap_or_default();
    let own = offline::plan(prompt, &scene, &Options::default()).ok();
    let own = own.and_then(|plan| pages::page_of(&parse_plan_value(&plan, &Limits::default()).plan?));
    let own = own.filter(|page| page.contains("\ndef ") && !page.contains("with edit("));
    if let Some(page) = own.filter(|page| page.len() <= limit) {
        return Ok(Some((prompt.to_owned(), page)));
    }
    let preset = example::near(prompt)?.into_iter().next().filter(Example::fits);
    let found = preset.and_then(|example| Some((example.prompt()?.to_owned(), page(&example, catalogue)?)));
    Ok(found.filter(|(_, page)| page.len() <= limit))
}

/// How well a ready page fits that several words of a prompt ask for.
const ASKED_FOR: f64 = 4.0;

/// How much better an example of a change fits where there is something to change.
const ABOUT_IT: f64 = 2.0;

/// The page of a preset; `None` if this Blender lacks a part of it.
fn page(example: &Example, catalogue: &Catalogue) -> Option<String> {
    let page = written(example, catalogue)?;
    let (_, found) = made(&page, surroundings(), catalogue);
    (!found.iter().any(Finding::is_error)).then_some(page)
}

/// The page of a preset, whatever this Blender has.
fn written(example: &Example, catalogue: &Catalogue) -> Option<String> {
    pages::page_of(&parse_plan_value(&example.plan(&catalogue.blender)?, &Limits::default()).plan?)
}

/// The presets nearest to the words, best first: `{"title", "description", "example"}`, and of the first its `page`
/// if the words ask for it.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn search_presets(query: &str, index: &Index, catalogue: &Catalogue) -> Result<Vec<Value>, DataError> {
    let found = example::near(query)?.into_iter().take(FOUND).enumerate();
    let presets = found.map(|(place, example)| {
        let mut out =
            json!({"title": example.title(), "description": example.description(), "example": example.prompt()});
        if place == 0
            && example.fits()
            && let Some(page) = index.page(example.title(), || page(&example, catalogue))
            && let Some(fields) = out.as_object_mut()
        {
            fields.insert("page".into(), page.as_ref().into());
        }
        out
    });
    Ok(presets.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::tests::catalogue;
    use crate::form::Form;

    #[test]
    fn every_ready_page_is_valid() {
        for (version, lacks) in [("5.2", 0), ("5.0", 0), ("4.5", 0), ("4.2", 1)] {
            let catalogue = catalogue(version);
            let mut invalid = Vec::new();
            for text in PAGES {
                let one = Ready::of(text).unwrap();
                assert!(!one.prompt.is_empty() && one.words.len() > 20 && one.page.contains("apply("));
                if !one.is_valid(&catalogue) {
                    invalid.push((one.prompt, one.faults(&catalogue)));
                }
            }
            assert_eq!(invalid.len(), lacks, "{version}: {invalid:#?}");
        }
    }

    #[test]
    fn every_preset_is_a_page() {
        let catalogue = catalogue("5.2");
        let all = example::nearest_first("x").unwrap();
        assert!(all.len() > 5);
        for preset in all {
            let page = written(&preset, &catalogue).unwrap_or_else(|| panic!("{}", preset.title()));
            let (after, found) = made(&page, surroundings(), &catalogue);
            let errors: Vec<&Finding> = found.iter().filter(|finding| finding.is_error()).collect();
            assert!(
                errors.is_empty() && !after.trees.is_empty(),
                "{}: {errors:#?}\n{page}",
                preset.title()
            );
        }
    }

    #[test]
    fn examples_fit_the_prompt_and_the_limit() {
        let catalogue = catalogue("5.2");
        let limit = Form::Whole.examples();
        let shown = |prompt: &str, changes: bool, limit: usize| {
            nearest(prompt, changes, &catalogue, limit, Answer::Plan).unwrap()
        };
        for (prompt, changes, wanted) in [
            ("scatter 200 rocks", false, "distribute_points_on_faces("),
            ("repeat zone tree branches", false, "with repeat("),
            ("let me choose the shape with a menu", false, "menu_switch("),
            ("simulate falling snow", false, "with simulation("),
            ("a robot with arms, each part its own group", false, "def post("),
            ("extrude each face individually", false, "extrude_mesh("),
            ("make it twice as big", true, "with edit("),
            ("qwertz", false, "def scatter("),
        ] {
            let text = shown(prompt, changes, limit);
            assert!(text.contains(wanted) && text.len() <= limit, "{prompt}: {text}");
            assert!(text.matches("\nPrompt: ").count() <= SHOWN);
        }
        assert!(shown("repeat zone tree branches", false, limit).starts_with("\nPrompt: grow a tree"));
        assert_eq!(shown("scatter", false, 10), "");
        let bent = nearest("bend the plane", false, &catalogue, limit, Answer::Page).unwrap();
        assert!(
            bent.contains("```python\n\"") && bent.contains("\ndef bend(") && !bent.contains("settings("),
            "{bent}"
        );
        let plan = nearest("scatter 200 rocks", false, &catalogue, limit, Answer::Plan).unwrap();
        assert!(
            plan.contains("Page:\n```python\ndef ") && !plan.contains("```python\n\""),
            "{plan}"
        );
    }

    #[test]
    fn a_page_that_was_made_once_is_found_again() {
        let catalogue = catalogue("5.2");
        let index = Index::new(&catalogue);
        let search = |query: &str| search_presets(query, &index, &catalogue).unwrap();
        let first = search("scatter 200 rocks on the plane");
        assert!(
            first[0]["page"]
                .as_str()
                .unwrap()
                .contains("distribute_points_on_faces(")
        );
        assert_eq!(search("scatter 200 rocks on the plane"), first);
        assert_eq!(
            search("scatter 5 cubes")[0]["page"],
            first[0]["page"],
            "it is the preset's own"
        );
        assert_ne!(search("a row of 8 spheres")[0]["page"], first[0]["page"]);
    }
}

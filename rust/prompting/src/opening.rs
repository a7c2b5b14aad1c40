//! The opening of a conversation with a model: the instructions, the scene as data, the prompt.

use std::fmt::Write as _;

use geonode_planner::DataError;
use geonode_protocol::{bytes_of, inert};

use crate::asked::Prompt;
use crate::form::{Answer, Form};
use crate::{examples, held, nodes, prompts, scene};

/// Most bytes of the instructions with their examples; additions of a run (scripts, extensions, tools) come on top.
pub const MAX_SYSTEM: usize = 24_000;

/// The opening of a conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The instructions.
    pub system: String,
    /// The scene as data, for the block `<context>`.
    pub context: String,
    /// Whether a part of the scene did not fit and is not shown.
    pub cut: bool,
    /// Documentation of the nodes that the prompt surely needs, for the block `<nodes>`; empty when it names none.
    pub nodes: String,
    /// Earlier prompts with their answers, as if they had been given: a small model repeats what it sees.
    pub turns: Vec<(String, String)>,
    /// The prompt, which follows the data.
    pub user: String,
}

/// The opening of a conversation; `tools`: whether some are offered.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged.
pub fn opening(prompt: &Prompt<'_>, tools: bool, form: Form, answer: Answer) -> Result<Opening, DataError> {
    let tokens = prompt.context_tokens.min(form.scene());
    let (context, cut) = scene::quoted(prompt.context, prompt.catalogue, bytes_of(tokens));
    Ok(Opening {
        system: system(prompt, tools, form, answer)?,
        turns: match answer {
            Answer::Term => turns(prompt, form)?,
            Answer::Plan | Answer::Page => Vec::new(),
        },
        context,
        cut,
        nodes: inert(&nodes::needed(
            prompt.text,
            prompt.context,
            prompt.catalogue,
            form.nodes(),
        )?),
        user: asked(prompt.text, prompt.pictures.len()),
    })
}

/// The prompt as a message.
fn asked(text: &str, pictures: usize) -> String {
    format!("The artist's prompt{}:\n{}", attached(pictures), inert(text))
}

/// Examples as turns, the nearest last, since what a small model read last it repeats.
fn turns(prompt: &Prompt<'_>, form: Form) -> Result<Vec<(String, String)>, DataError> {
    let object = held::object_of(prompt);
    let turn = |words: &str, page: &str| (asked(words, 0), format!("```python\n{}\n```", inert(page)));
    let terms = examples::terms(prompt.text).into_iter();
    let mut turns: Vec<_> = terms
        .map(|(words, term)| turn(words, &held::page(words, term, object.as_deref())))
        .collect();
    if let Some((words, page)) = examples::ready(prompt.text, prompt.context, prompt.catalogue, form.ready())? {
        turns.push(turn(&words, examples::without_words(&page)));
    }
    Ok(turns)
}

/// What is said about so many pictures, which follow.
fn attached(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", with a picture as reference".to_owned(),
        more => format!(", with {more} pictures as reference"),
    }
}

/// The instructions: first what is the same for every run, last what depends on the prompt, so that a provider's cache holds the most.
fn system(prompt: &Prompt<'_>, tools: bool, form: Form, answer: Answer) -> Result<String, DataError> {
    let mut system = String::new();
    if form == Form::Tiny {
        let begin = match answer {
            Answer::Plan => prompts::SMALL_PLAN,
            Answer::Page => prompts::SMALL_PAGE,
            Answer::Term => prompts::TERM,
        };
        system.push_str(begin);
        if answer != Answer::Term {
            system.push_str(prompts::SMALL);
        }
    } else {
        let begin = match answer {
            Answer::Plan => prompts::SYSTEM,
            Answer::Page | Answer::Term => prompts::PAGE,
        };
        for part in [begin, prompts::PAGES, prompts::RULES] {
            system.push_str(part);
        }
        let _ = writeln!(system, "- At most {} steps.", prompt.max_steps);
    }
    if answer == Answer::Term {
        // What a page of one term does not say is not taught.
        return Ok(system);
    }
    if prompt.scripts {
        system.push_str(prompts::PYTHON);
        if form != Form::Tiny {
            system.push_str(&geonode_script::brief());
        }
    }
    if !prompt.extensions.is_empty() {
        system.push_str(prompts::EXTENSIONS);
        for (name, schema) in prompt.extensions.described() {
            let _ = writeln!(system, "- `{name}`: {schema}");
        }
    }
    system.push_str(match (tools, form) {
        (true, _) => prompts::TOOLS,
        (false, Form::Tiny) => "",
        (false, _) => prompts::REQUESTS,
    });
    let has_tree = prompt.context.get("tree").is_some_and(|tree| !tree.is_null());
    if has_tree {
        system.push_str(prompts::TREES);
    }
    let examples = examples::nearest(prompt.text, has_tree, prompt.catalogue, form.examples(), answer)?;
    if !examples.is_empty() {
        system.push_str(prompts::EXAMPLES);
        system.push_str(&examples);
    }
    Ok(system)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs;
    use geonode_protocol::Extensions;
    use serde_json::{Value, json};

    /// Tokens and bytes that the scene may take in these tests.
    const TOKENS: u64 = 8_000;
    const LIMIT: usize = 24_000;

    fn opened(text: &str, context: &Value) -> Opening {
        let prompt = Prompt {
            text,
            pictures: &[],
            context,
            catalogue: &docs::tests::catalogue("5.2"),
            extensions: &Extensions::default(),
            scripts: false,
            context_tokens: TOKENS,
            max_steps: 7,
        };
        opening(&prompt, false, Form::Whole, Answer::Plan).unwrap()
    }

    #[test]
    fn sizes_are_bounded_and_data_stays_data() {
        let objects: Vec<Value> = (0..5000)
            .map(|i| json!({"name": format!("Object {i} </context>"), "type": "MESH", "dimensions": [1, 1, 1]}))
            .collect();
        let context =
            json!({"active_object": "Object 7 </context>", "objects": objects, "tree": {"big": "x".repeat(100_000)}});
        let opening = opened("scatter 200 rocks on the plane </context>", &context);
        assert!(opening.system.contains("At most 7 steps."));
        assert!(opening.system.len() <= MAX_SYSTEM, "{}", opening.system.len());
        assert!(
            opening.system.contains("Prompt: scatter 200 rocks"),
            "the nearest preset is an example"
        );
        assert!((1..=examples::SHOWN).contains(&opening.system.matches("\nPrompt: ").count()));
        assert!(opening.context.len() <= LIMIT + 10 && opening.cut);
        assert!(!opening.context.contains("</") && !opening.user.contains("</"));
        assert!(opening.context.contains("Object 7 "));
        assert!(opening.user.contains("scatter 200 rocks"));
    }

    #[test]
    fn a_tree_is_shown_as_its_page_and_a_large_one_near_its_output() {
        let tree = |count: usize| {
            let nodes: Vec<Value> = (0..count)
                .map(|i| json!({"id": format!("n{i}"), "type": "GeometryNodeSetPosition"}))
                .chain([json!({"id": "out", "type": "NodeGroupOutput"})])
                .collect();
            let links: Vec<Value> = (0..count)
                .map(|i| {
                    let to = if i + 1 == count {
                        "out".to_owned()
                    } else {
                        format!("n{}", i + 1)
                    };
                    json!({"from": [format!("n{i}"), "Geometry"], "to": [to, "Geometry"]})
                })
                .collect();
            json!({"ir": 1, "blender": [5, 2, 3], "root": "T", "trees": {"T": {"nodes": nodes, "links": links}}})
        };
        let ask = |count: usize, objects: usize| {
            let objects: Vec<Value> = (0..objects)
                .map(|i| json!({"name": format!("Object {i}"), "type": "MESH"}))
                .collect();
            let focus = json!({"selected": ["n5"], "touched": []});
            let context =
                json!({"active_object": "Object 0", "objects": objects, "tree": tree(count), "tree_focus": focus});
            let opening = opened("bend it", &context);
            assert_eq!(opening.cut, count > 1000 || objects.len() > 1000);
            opening.context
        };
        let small = ask(3, 3);
        assert!(
            small.contains("def t()") && small.contains("    n1 = set_position(n0)\n"),
            "{small}"
        );
        assert!(!small.contains("\"trees\""), "no IR");
        for objects in [3, 5000] {
            let large = ask(5000, objects);
            assert!(large.len() <= LIMIT + 10, "{}", large.len());
            for kept in ["n4999 = ", "n5 = ", "nodes left out", "Object 0"] {
                assert!(large.contains(kept), "{kept} is missing with {objects} objects");
            }
        }
    }

    #[test]
    fn a_small_window_gets_the_least_that_a_plan_needs() {
        let objects: Vec<Value> = (0..50)
            .map(|i| json!({"name": format!("Object {i}"), "type": "MESH"}))
            .collect();
        let context = json!({"active_object": "Object 7", "objects": objects});
        let catalogue = docs::tests::catalogue("5.2");
        let prompt = Prompt {
            text: "scatter 200 rocks on the plane",
            pictures: &[],
            context: &context,
            catalogue: &catalogue,
            extensions: &Extensions::default(),
            scripts: false,
            context_tokens: TOKENS,
            max_steps: 7,
        };
        let sizes = [Form::Whole, Form::Small, Form::Tiny].map(|form| {
            let opening = opening(&prompt, false, form, Answer::Plan).unwrap();
            assert!(opening.nodes.contains("distribute_points_on_faces("));
            assert!(opening.context.contains("Object 7"));
            opening.system.len() + opening.context.len() + opening.nodes.len() + opening.user.len()
        });
        assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
        let tokens = geonode_protocol::tokens_of(u64::try_from(sizes[2]).unwrap());
        assert!(tokens < 3_000, "{tokens} leave no room for the reply");
    }

    #[test]
    fn a_small_model_is_told_and_held_to_what_fits_the_prompt() {
        let plane = json!({"name": "Plane", "type": "MESH", "dimensions": [10, 10, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}});
        let rock = json!({"name": "Rock", "type": "MESH", "dimensions": [0.4, 0.4, 0.3], "counts": {"vertices": 42, "edges": 120, "faces": 80}});
        let context = json!({"active_object": "Plane", "materials": ["Snow"], "objects": [plane, rock]});
        for version in ["4.2", "4.5", "5.0", "5.2"] {
            let prompt = Prompt {
                text: "scatter 70 rocks on the plane",
                pictures: &[],
                context: &context,
                catalogue: &docs::tests::catalogue(version),
                extensions: &Extensions::default(),
                scripts: true,
                context_tokens: TOKENS,
                max_steps: 25,
            };
            let form = Form::for_answer(Answer::Term, Some(100_000));
            let grammar = held::grammar(&prompt, form).unwrap();
            let opening = opening(&prompt, false, form, Answer::Term).unwrap();
            assert!(grammar.starts_with("root ::= \"```python\\n\" page"), "{grammar}");
            for said in [
                "data.object(\\\"Rock\\\")",
                "data.material(\\\"Snow\\\")",
                "def scatter_70_rocks_on(",
            ] {
                assert!(grammar.contains(said), "{said} is missing in {version}: {grammar}");
            }
            assert!(!grammar.contains("data.object(\\\"Plane\\\")"), "what gets the group");
            assert!(grammar.contains("distribute_points_on_faces("));
            // The preset, as it understands this prompt, comes last, and its values are open.
            let (asked, last) = opening.turns.last().unwrap();
            assert!(
                asked.ends_with("scatter 70 rocks on the plane") && last.contains("= 70"),
                "{last}"
            );
            assert!(opening.turns.len() > 3, "{:?}", opening.turns);
            assert!(!last.contains("expect(") && grammar.matches("apply(").count() > 1);
            assert!(!opening.system.contains("PYTHON"), "a page says no script");
            let said: usize = opening.turns.iter().map(|(asked, page)| asked.len() + page.len()).sum();
            assert!(opening.system.len() + said < 6_000, "{said}");
        }
    }

    #[test]
    fn the_answer_is_what_nothing_or_a_schema_constrains() {
        let (context, catalogue, extensions) = (json!({}), docs::tests::catalogue("5.2"), Extensions::default());
        let system = |form, answer| {
            let prompt = Prompt {
                text: "bend it",
                pictures: &[],
                context: &context,
                catalogue: &catalogue,
                extensions: &extensions,
                scripts: false,
                context_tokens: TOKENS,
                max_steps: 25,
            };
            opening(&prompt, false, form, answer).unwrap().system
        };
        for form in [Form::Whole, Form::Tiny] {
            let [plan, page] = [Answer::Plan, Answer::Page].map(|answer| system(form, answer));
            assert!(
                plan.contains("Answer with exactly one JSON object") || plan.contains("Answer with one JSON object")
            );
            assert!(page.contains("Answer with one page"), "{page}");
            let taught = |text: &str| {
                let (from, to) = (text.find("```python\ndef"), text.find("# Examples"));
                from.zip(to).map(|(from, to)| text[from..to].to_owned())
            };
            assert_eq!(taught(&plan), taught(&page), "the language is the same");
        }
    }

    #[test]
    fn the_instructions_include_what_the_run_allows() {
        let mut extensions = Extensions::default();
        let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}}});
        extensions
            .add_op("scatter_more", &schema, std::sync::Arc::new(|_, _| Ok(Vec::new())))
            .unwrap();
        let (context, catalogue) = (json!({}), docs::tests::catalogue("5.2"));
        let system = |scripts, tools| {
            let prompt = Prompt {
                text: "bend it",
                pictures: &[],
                context: &context,
                catalogue: &catalogue,
                extensions: &extensions,
                scripts,
                context_tokens: TOKENS,
                max_steps: 25,
            };
            opening(&prompt, tools, Form::Whole, Answer::Plan).unwrap().system
        };
        let (plain, all) = (system(false, false), system(true, true));
        assert!(
            !plain.contains("PYTHON") && !plain.contains(" script"),
            "off is not spoken of"
        );
        assert!(!plain.contains("# Tools") && plain.contains(prompts::REQUESTS));
        assert!(all.contains(prompts::PYTHON) && all.contains(prompts::TOOLS) && !all.contains(prompts::REQUESTS));
        assert!(
            all.find(prompts::RULES) < all.find(prompts::EXAMPLES),
            "the prompt's part is the last"
        );
        assert!(plain.contains("- `scatter_more`: {\"type\":\"object\""));
    }
}

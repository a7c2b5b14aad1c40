//! Questions about the scene, answered from the same data that models get: how many, how large, which, what a tree does.

use geonode_graph::documents::context::{Context, ElementCounts, SceneObject};
use serde_json::Value;

use crate::library::Library;
use crate::scene::{self, Referent};
use crate::tokens::{self, Kind};
use crate::values::plain;

/// Most names of a list.
const LISTED: usize = 12;

/// Words that the answers know.
const KNOWN: [&str; 44] = [
    "materials",
    "material",
    "images",
    "image",
    "textures",
    "collections",
    "collection",
    "groups",
    "group",
    "trees",
    "lights",
    "lamps",
    "cameras",
    "meshes",
    "curves",
    "selected",
    "selection",
    "objects",
    "object",
    "things",
    "node",
    "nodes",
    "geometry",
    "file",
    "scene",
    "exist",
    "exists",
    "list",
    "count",
    "mesh",
    "light",
    "camera",
    "curve",
    "tree",
    "number",
    "names",
    "name",
    "called",
    "available",
    "currently",
    "altogether",
    "total",
    "present",
    "blend",
];

/// A question: its words, and the object that it is about.
struct Question<'c> {
    words: Vec<String>,
    context: &'c Context,
    named: Vec<&'c SceneObject>,
    /// The collection that it names.
    collection: Option<String>,
    /// A name in it that nothing has.
    missing: Option<String>,
    /// Whether it has a word that restricts what is counted in a way that the data do not say.
    strange: bool,
}

impl<'c> Question<'c> {
    fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(&word.as_str()))
    }

    fn opens(&self, phrase: &str) -> bool {
        let mut words = self.words.iter().map(String::as_str);
        phrase.split(' ').all(|word| words.next() == Some(word))
    }

    /// The object that it names, else the active one.
    fn object(&self) -> Option<&'c SceneObject> {
        self.named.first().copied().or_else(|| self.context.focus())
    }
}

/// The answer to a question about the scene; `None` if the prompt is none, or the data have no answer.
pub(crate) fn answer(prompt: &str, context: &Context, library: &Library) -> Option<String> {
    let language = &library.language;
    let tokens = tokens::split(prompt);
    let words: Vec<String> = tokens
        .iter()
        .filter(|token| token.kind == Kind::Word)
        .map(|token| token.text.clone())
        .collect();
    let first = words.first()?;
    let opens = language.questions.contains(first) || ["list", "count"].contains(&first.as_str());
    // “how many rocks would fit”, “how do I”, “what should I”: not about what is there.
    let other = [
        "would", "should", "could", "can", "fit", "need", "want", "i", "you", "if",
    ];
    if !opens || words.iter().any(|word| other.contains(&word.as_str())) {
        return None;
    }
    // “how tall is it and how many faces does it have”: half an answer would be none.
    let two = words
        .windows(2)
        .any(|pair| matches!(pair, [joint, next] if joint == "and" && language.questions.contains(next)));
    if two {
        return None;
    }
    let mentions = scene::mentions(&tokens, context, language);
    let read = |at: usize| {
        mentions
            .iter()
            .any(|mention| (mention.start..mention.end).contains(&at))
    };
    // What no object is called and no answer knows: “how many *red* objects”.
    let strange = tokens.iter().enumerate().any(|(at, token)| {
        let known = language.stop.contains(&token.text)
            || language.prepositions.contains(&token.text)
            || language.questions.contains(&token.text)
            || language.state_questions.contains(&token.text)
            || language.is_determiner(&token.text)
            || language.generic.contains_key(&token.stem)
            || KNOWN.contains(&token.text.as_str());
        token.kind == Kind::Word && !read(at) && !known
    });
    let missing = mentions.iter().find_map(|mention| match &mention.referent {
        Referent::Unknown(name) => Some(name.clone()),
        _ => None,
    });
    let named = mentions
        .iter()
        .filter_map(|mention| match &mention.referent {
            Referent::Object { name, .. } => context.object(name),
            _ => None,
        })
        .collect();
    let question = Question {
        words,
        context,
        named,
        collection: mentions.iter().find_map(|mention| match &mention.referent {
            Referent::Collection(name) => Some(name.clone()),
            _ => None,
        }),
        missing,
        strange,
    };
    if let Some(name) = &question.missing {
        return Some(match context.cut {
            Some(cut) => format!(
                "None of the objects and collections that were read is called “{name}”; {cut} more objects of the scene were not. Select the object and ask again."
            ),
            None => format!("There is no object or collection called “{name}” in the scene."),
        });
    }
    collected(&question)
        .or_else(|| counted(&question))
        .or_else(|| measured(&question))
        .or_else(|| explained(&question, library))
        .or_else(|| listed(&question))
}

fn list(names: &[&str], cut: u64) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("“{name}”")).collect();
    let more = names.len().saturating_sub(LISTED) as u64 + cut;
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(": {}{rest}", shown.join(", "))
}

/// A number with its noun: “1 object”, “3 objects”.
fn number(count: u64, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else if noun == "vertex" {
        format!("{count} vertices")
    } else {
        format!("{count} {noun}s")
    }
}

/// The names of what a noun stands for in the file.
fn names<'c>(question: &Question<'c>) -> Option<(&'static str, Vec<&'c str>, u64)> {
    let context = question.context;
    // Of the objects that it names, the data say only their own figures.
    if question.strange || !question.named.is_empty() || question.collection.is_some() {
        return None;
    }
    let left_out = |kinds: &[&str]| -> Option<u64> {
        let Some(cut) = context.cut else { return Some(0) };
        let counts = context.cut_kinds.as_ref()?;
        let of_kinds = counts.iter().filter(|(kind, _)| kinds.contains(&kind.as_str()));
        Some(of_kinds.map(|(_, count)| *count).sum::<u64>().min(cut))
    };
    let of_kind = |kinds: &[&str]| -> Vec<&'c str> {
        let objects = context
            .objects
            .iter()
            .filter(|object| kinds.contains(&object.kind.as_str()));
        objects.map(|object| object.name.as_str()).collect()
    };
    let all = |list: &'c [String]| list.iter().map(String::as_str).collect::<Vec<_>>();
    Some(if question.has(&["materials", "material"]) {
        ("material", all(&context.materials), 0)
    } else if question.has(&["images", "image", "textures"]) {
        ("image", all(&context.images), 0)
    } else if question.has(&["collections", "collection"]) {
        (
            "collection",
            context.collections.iter().map(|one| one.name.as_str()).collect(),
            0,
        )
    } else if question.has(&["groups", "group", "trees"]) {
        (
            "node group",
            context.node_groups.iter().map(|one| one.name.as_str()).collect(),
            0,
        )
    } else if question.has(&["lights", "lamps"]) {
        ("light", of_kind(&["LIGHT"]), left_out(&["LIGHT"])?)
    } else if question.has(&["cameras"]) {
        ("camera", of_kind(&["CAMERA"]), left_out(&["CAMERA"])?)
    } else if question.has(&["meshes"]) {
        ("mesh object", of_kind(&["MESH"]), left_out(&["MESH"])?)
    } else if question.has(&["curves"]) {
        ("curve", of_kind(&["CURVE", "CURVES"]), left_out(&["CURVE", "CURVES"])?)
    } else if question.has(&["selected", "selection"]) {
        ("selected object", all(&context.selection), 0)
    } else if question.has(&["objects", "object", "things"]) {
        let objects = context.objects.iter().map(|object| object.name.as_str()).collect();
        ("object", objects, context.cut.unwrap_or_default())
    } else {
        return None;
    })
}

fn modifiers(object: &SceneObject) -> String {
    let names: Vec<&str> = object.modifiers.iter().map(|modifier| modifier.name.as_str()).collect();
    format!(
        "“{}” has {}{}.",
        object.name,
        number(names.len() as u64, "modifier"),
        list(&names, 0)
    )
}

/// Words for what meshes and curves consist of, one of it, and its number.
type Element = (&'static [&'static str], &'static str, fn(&ElementCounts) -> Option<u64>);

/// “how many objects are in the collection Rocks”.
fn collected(question: &Question) -> Option<String> {
    let name = question.collection.as_ref()?;
    let asks = ["how many", "which", "what", "list", "count"];
    if question.strange
        || !question.has(&["objects", "object", "things"])
        || !asks.iter().any(|one| question.opens(one))
    {
        return None;
    }
    let members = question.context.collections.iter().find(|one| one.name == *name)?;
    let names: Vec<&str> = members.objects.iter().map(String::as_str).collect();
    let count = number(names.len() as u64, "object");
    Some(format!("The collection “{name}” has {count}{}.", list(&names, 0)))
}

/// “how many …”.
fn counted(question: &Question) -> Option<String> {
    if !(question.opens("how many") || question.opens("count")) {
        return None;
    }
    if question.has(&["modifiers"]) {
        return question.object().map(modifiers);
    }
    let elements: [Element; 5] = [
        (&["faces", "polygons", "polys"], "face", |counts| counts.faces),
        (&["vertices", "verts"], "vertex", |counts| counts.vertices),
        (&["edges"], "edge", |counts| counts.edges),
        (&["splines"], "spline", |counts| counts.splines),
        (&["points"], "point", |counts| counts.points),
    ];
    if let Some((_, noun, count)) = elements.iter().find(|(words, ..)| question.has(words)) {
        let object = question.object()?;
        let text = match object.counts.as_ref().and_then(count) {
            Some(count) => number(count, noun),
            None => {
                return Some(format!(
                    "“{}” has none: it is of type {}.",
                    object.name,
                    object.kind.to_lowercase()
                ));
            }
        };
        return Some(format!("“{}” has {text} before its modifiers.", object.name));
    }
    if let Some((noun, names, cut)) = names(question) {
        let count = number(names.len() as u64 + cut, noun);
        return Some(format!("The file has {}{}.", count, list(&names, cut)));
    }
    if let Some(thing) = question.named.first().filter(|_| question.named.len() == 1)
        && let Some(answer) = copies(question, thing)
    {
        return Some(answer);
    }
    // “how many rocks are on the plane”: what the modifiers of the object place.
    let object = question.object().filter(|object| !object.modifiers.is_empty())?;
    let made = object.modifiers.iter().filter_map(|modifier| {
        let count = modifier.values.as_ref()?.get("Count").and_then(Value::as_f64)?;
        Some(format!("“{}” has the count {}", modifier.name, plain(count)))
    });
    let made: Vec<String> = made.collect();
    (!made.is_empty()).then(|| format!("Of the modifiers of “{}”: {}.", object.name, made.join(", ")))
}

/// “how many rocks are there”: the objects of that name, and what modifiers place of them.
fn copies(question: &Question, thing: &SceneObject) -> Option<String> {
    if !thing.modifiers.is_empty() || question.strange {
        return None;
    }
    let context = question.context;
    let shown = context
        .objects
        .iter()
        .flat_map(|object| object.modifiers.iter().map(move |modifier| (object, modifier)));
    let placed = shown.filter_map(|(object, modifier)| {
        let values = modifier.values.as_ref()?;
        let of = values.values().any(|value| {
            value.as_str() == Some(thing.name.as_str())
                || value.get("object").and_then(Value::as_str) == Some(thing.name.as_str())
        });
        let count = values.get("Count").and_then(Value::as_f64).filter(|_| of)?;
        Some(format!(
            "“{}” on “{}” has the count {}",
            modifier.name,
            object.name,
            plain(count)
        ))
    });
    let placed: Vec<String> = placed.collect();
    let named = context
        .objects
        .iter()
        .filter(|object| crate::naming::is_numbered(&object.name, &thing.name));
    let named: Vec<&str> = named.map(|object| object.name.as_str()).collect();
    let mut answer = format!(
        "The file has {}{}.",
        number(named.len() as u64, "object"),
        list(&named, 0)
    );
    if !placed.is_empty() {
        answer = format!("{answer} Of the modifiers that place it: {}.", placed.join(", "));
    }
    context.cut.is_none().then_some(answer)
}

/// “how large …”, “where is …”, “how far …”.
fn measured(question: &Question) -> Option<String> {
    let unit = question.context.units.metres_per_unit();
    let metres = |value: f64| format!("{} m", plain(value * unit));
    if question.opens("how far")
        && let [a, b, ..] = question.named.as_slice()
    {
        let square: f64 = a.location.iter().zip(b.location).map(|(x, y)| (x - y).powi(2)).sum();
        return Some(format!(
            "The origins of “{}” and “{}” are {} apart.",
            a.name,
            b.name,
            metres(square.sqrt())
        ));
    }
    let object = || question.object();
    if question.opens("where is") || question.opens("where are") {
        let object = object()?;
        let [x, y, z] = object.location.map(|value| plain(value * unit));
        return Some(format!(
            "The origin of “{}” is at X {x} m, Y {y} m, Z {z} m.",
            object.name
        ));
    }
    let sizes = ["large", "big", "tall", "high", "wide", "long", "deep", "thick", "small"];
    let asks = question.opens("how") && question.words.get(1).is_some_and(|word| sizes.contains(&word.as_str()));
    let asks = asks || question.opens("what") && question.has(&["size", "dimensions", "height", "width", "length"]);
    if !asks {
        return None;
    }
    let object = object()?;
    if let Some(length) = object.length.filter(|_| question.has(&["long", "length"])) {
        let scale = object.scale.into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        return Some(format!("“{}” is {} long.", object.name, metres(length * scale)));
    }
    let [x, y, z] = object.shown_size().map(metres);
    Some(format!("“{}” measures {x} × {y} × {z} (X × Y × Z).", object.name))
}

/// “what does this tree do”.
fn explained(question: &Question, library: &Library) -> Option<String> {
    let about = question.has(&["modifier", "modifiers", "do", "does"]);
    if !about || !(question.opens("what") || question.opens("which") || question.opens("how")) {
        return None;
    }
    let object = question.object()?;
    if !question.has(&["do", "does"]) {
        return Some(modifiers(object));
    }
    // “which materials does the cube use” asks for something else.
    if question.words.last().is_none_or(|word| word != "do") && !question.has(&["modifier", "tree", "nodes", "group"]) {
        return None;
    }
    let trees = object.modifiers.iter().filter(|modifier| modifier.node_group.is_some());
    let told: Vec<String> = trees
        .map(|modifier| {
            let group = modifier.node_group.as_deref().unwrap_or_default();
            let preset = modifier
                .made
                .as_ref()
                .and_then(|_| crate::library::preset_of(&library.entries, group));
            let does = preset.map_or_else(
                || {
                    let nodes = question.context.node_groups.iter().find(|one| one.name == group);
                    let nodes = nodes.map_or_else(String::new, |one| format!(" of {}", number(one.nodes, "node")));
                    format!("a tree{nodes} that no preset made; a language model can explain it.")
                },
                |entry| entry.preset.description.clone(),
            );
            let values = modifier.values.iter().flatten().filter_map(|(name, value)| {
                let shown = value
                    .as_f64()
                    .map(plain)
                    .or_else(|| value.as_str().map(str::to_owned))?;
                Some(format!("{name} {shown}"))
            });
            let values: Vec<String> = values.take(LISTED).collect();
            let inputs = if values.is_empty() {
                String::new()
            } else {
                format!(" Its inputs: {}.", values.join(", "))
            };
            format!("“{}” on “{}”: {does}{inputs}", modifier.name, object.name)
        })
        .collect();
    Some(if told.is_empty() {
        format!("“{}” has no Geometry Nodes modifier.", object.name)
    } else {
        told.join(" ")
    })
}

/// “which materials are there”.
fn listed(question: &Question) -> Option<String> {
    let asks = ["which", "what", "list"].iter().any(|word| question.opens(word));
    let (noun, names, cut) = names(question).filter(|_| asks)?;
    let count = number(names.len() as u64 + cut, noun);
    Some(format!("The file has {}{}.", count, list(&names, cut)))
}

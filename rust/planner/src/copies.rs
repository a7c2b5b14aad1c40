//! “Them” after a result that shows copies: what was placed, and not what it stands on.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::language::Language;
use crate::last::Last;
use crate::library::Library;
use crate::reading::{Item, ItemKind, Reading};
use crate::refusal::Refusal;
use crate::relative;
use crate::roles::Thing;
use crate::scene::Referent;
use crate::template::Read;

/// Verbs that make one thing of another.
const BECOMES: [&str; 9] = [
    "turn",
    "make",
    "change",
    "convert",
    "transform",
    "swap",
    "replace",
    "exchange",
    "switch",
];
/// Words between what becomes another thing and that thing.
const INTO: [&str; 7] = ["into", "to", "with", "by", "for", "be", "become"];

/// Whether what the last result shows are copies of something else than its object.
fn shows_things(last: &Last) -> bool {
    !matches!(last.thing(), None | Some(Thing::Itself))
}

fn points_at_copies(reading: &Reading, at: usize) -> bool {
    reading
        .item(at)
        .is_some_and(|item| item.kind == ItemKind::Word && reading.language.of_copies.contains(&item.text))
}

/// “turn them into cubes”, “make those trees” as the change of what is copied: “use cubes instead”.
pub(crate) fn other_thing(library: &Library, last: Option<&Last>, prompt: &str, context: &Context) -> Option<String> {
    let last = last.filter(|last| shows_things(last))?;
    let reading = Reading::new(prompt, context, &library.language, |word, names| {
        library.correct(word, names)
    });
    let language = reading.language;
    if let Some(at) = only_thing(&reading, last) {
        return Some(format!("use {} instead", noun(&reading, reading.item(at)?)));
    }
    // “swap the rocks for cubes” names what is placed.
    let placed = |at: usize| points_at_copies(&reading, at) || relative::is_placed(&reading, last, at);
    let them = (1..reading.items.len().min(6)).find(|at| placed(*at))?;
    let becomes = (0..them).any(|at| reading.is(at, &BECOMES));
    let opens = (0..them).all(|at| reading.means_nothing(at) || reading.is(at, &BECOMES));
    let joins = |at: &usize| {
        reading.is(*at, &INTO)
            || reading
                .item(*at)
                .is_some_and(|item| item.kind == ItemKind::Word && language.is_determiner(&item.text))
    };
    let at = (them + 1..reading.items.len()).find(|at| !joins(at))?;
    let item = reading.item(at)?;
    let is_thing = match &item.kind {
        ItemKind::Mention(mention) => matches!(mention.referent, Referent::Object { .. } | Referent::Collection(_)),
        ItemKind::Word => language.shape(&item.stem).is_some(),
        _ => false,
    };
    let ends = (at + 1..reading.items.len()).all(|at| reading.means_nothing(at) || is_instead(&reading, at));
    (becomes && opens && is_thing && ends).then(|| format!("use {} instead", noun(&reading, item)))
}

/// “make it red” as “make them red”, where what was made are copies: their colour is meant, and not that of what they stand on.
pub(crate) fn coloured(last: Option<&Last>, prompt: &str, language: &Language) -> Option<String> {
    const VERBS: [&str; 8] = ["make", "colour", "color", "paint", "turn", "give", "tint", "dye"];
    last.filter(|last| shows_things(last))?;
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let coloured = words.iter().any(|word| language.colours.contains(&plain(word)));
    let it = words.iter().position(|word| plain(word) == "it")?;
    let them = |(at, word): (usize, &&str)| {
        if at == it {
            "them".to_owned()
        } else {
            (*word).to_owned()
        }
    };
    let asks = words.iter().any(|word| VERBS.contains(&plain(word).as_str())) && coloured && words.len() < 8;
    asks.then(|| words.iter().enumerate().map(them).collect::<Vec<_>>().join(" "))
}

/// What is to be copied, so that nothing else can be read in it: an object called “Lamp” by its name where the prompt says “lamps”.
fn noun(reading: &Reading, item: &Item) -> String {
    let name = match &item.kind {
        ItemKind::Mention(mention) => match &mention.referent {
            Referent::Object { name, .. } | Referent::Collection(name) => Some(name),
            _ => None,
        },
        _ => None,
    };
    // “pines”: what a preset grows of its own is here only the shape that is copied.
    let shape = reading
        .language
        .shape(&item.stem)
        .filter(|_| reading.language.presets.callers.contains(&item.stem));
    match (name.filter(|name| !name.contains('"')), shape) {
        (Some(name), _) => format!("\"{name}\""),
        (None, Some(shape)) => format!("{}s", shape.title),
        (None, None) => item.typed.clone(),
    }
}

/// Whether the word says that another thing takes the place: “lamps *instead*”.
fn is_instead(reading: &Reading, at: usize) -> bool {
    reading
        .item(at)
        .is_some_and(|item| item.kind == ItemKind::Word && reading.language.instead.contains(&item.text))
}

/// The noun that is all that the prompt says: “cubes”, “use lamps instead” after rocks.
fn only_thing(reading: &Reading, last: &Last) -> Option<usize> {
    let mut meant = (0..reading.items.len()).filter(|at| {
        let determines = reading
            .item(*at)
            .is_some_and(|item| reading.language.is_determiner(&item.text));
        !(reading.means_nothing(*at)
            || determines
            || is_instead(reading, *at)
            || reading.is(*at, &["with", "of", "as"]))
    });
    let (at, None) = (meant.next()?, meant.next()) else {
        return None;
    };
    // “on the crate” is a place.
    let place = (0..at).any(|before| {
        reading.is(
            before,
            &["on", "onto", "upon", "over", "along", "across", "inside", "in", "at"],
        )
    });
    let item = reading.item(at).filter(|_| !place)?;
    let other = match &item.kind {
        ItemKind::Mention(mention) => match &mention.referent {
            Referent::Object { name, .. } => *name != last.object.name,
            Referent::Collection(_) => true,
            _ => false,
        },
        ItemKind::Word => reading.language.shape(&item.stem).is_some(),
        _ => false,
    };
    other.then_some(at)
}

/// What was read of a prompt, if it is about more than “them”.
pub(crate) fn not_of_ground<'a>(
    last: Option<&Last>,
    read: Result<Read<'a>, Refusal>,
    prompt: &str,
) -> Result<Read<'a>, Refusal> {
    let read = read?;
    match last.and_then(|last| of_ground(last, &read, prompt)) {
        Some(refusal) => Err(refusal),
        None => Ok(read),
    }
}

/// Why a prompt about “them” does not work on what the copies of the last result stand on.
fn of_ground(last: &Last, read: &Read, prompt: &str) -> Option<Refusal> {
    let named = prompt.to_lowercase().contains(&last.object.name.to_lowercase());
    let ground = read.cast.target == last.object.name && !named;
    let nothing = matches!(read.cast.thing, None | Some(Thing::Itself));
    let pointed = prompt
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .find(|word| read.library.language.of_copies.contains(word))?;
    let other = read.entry.preset.id != last.entry.preset.id && !read.entry.preset.target.copies;
    if !(ground && nothing && other && shows_things(last)) {
        return None;
    }
    let title = &read.entry.preset.title;
    let instead = match last.thing() {
        Some(Thing::Object(name)) => {
            format!("Name what is copied: {title} of “{name}” changes that object, and with it every copy.")
        }
        Some(Thing::Collection(name)) => {
            format!("Name one of the objects of “{name}”: what changes there changes in every copy.")
        }
        _ => format!(
            "What is copied is built in; let an object of your own be copied (“use Cube instead”), and ask for {title} of that."
        ),
    };
    Some(Refusal::new(
        Code::PartlyUnderstood,
        format!(
            "“{pointed}” are the copies that “{}” shows, and {title} would work on all of “{}”, what they stand on included. Nothing was changed. {instead}",
            last.modifier.name, last.object.name
        ),
    ))
}

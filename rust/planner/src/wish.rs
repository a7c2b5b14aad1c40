//! What is asked for, without the sentence around it: “how do I scatter rocks with geometry nodes?”, “instead of a ring, make a grid”.

use geonode_graph::documents::Context;

use crate::language::Language;
use crate::scene::{self, Referent};
use crate::tokens;

/// The prompt without what it rejects: “instead of X, Y” and “Y instead of X” ask for Y. None if it rejects nothing.
pub(crate) fn without_rejected(prompt: &str, context: &Context, language: &Language) -> Option<String> {
    let lower = prompt.to_lowercase();
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let (at, words) = language.replaced.iter().find_map(|words| {
        let at = lower.find(words.as_str())?;
        let alone = edge(lower.get(..at)?.chars().next_back()) && edge(lower.get(at + words.len()..)?.chars().next());
        alone.then_some((at, words))
    })?;
    let (before, after) = (prompt.get(..at)?.trim(), prompt.get(at + words.len()..)?.trim());
    if before.chars().any(char::is_alphanumeric) {
        let rest = behind_noun(after, language);
        let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        return Some(format!("{before} {rest}").trim().to_owned());
    }
    let (rejected, rest) = after.split_once(", ")?;
    Some(named(rest, rejected, context, language))
}

/// The prompt without a “no,” that only opens a correction: “no, use lamps”; “no caps” denies something.
pub(crate) fn without_no(prompt: &str) -> &str {
    const OPENING: [&str; 6] = ["no", "nope", "nah", "nein", "non", "oh no"];
    let text = prompt.trim_start();
    let rest = OPENING.iter().find_map(|word| {
        let opens = text
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word));
        text.get(word.len()..)
            .filter(|rest| opens && rest.starts_with([',', ';', '.', '!', ':']))
    });
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '"' | '“')));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(prompt)
}

/// What comes after the noun that a text begins with: “rocks on the plane” leaves “on the plane”.
fn behind_noun<'t>(text: &'t str, language: &Language) -> &'t str {
    let mut at = 0;
    for (nth, word) in text.split(' ').enumerate() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let opens = plain != "of" && (language.prepositions.contains(&plain) || language.conjunctions.contains(&plain));
        if nth > 0 && opens {
            return text.get(at..).unwrap_or_default();
        }
        at += word.len() + 1;
        if word.ends_with([',', ';', '.']) {
            return text.get(at..).unwrap_or_default();
        }
    }
    ""
}

/// A request in which “it” is the object that was named before it.
fn named(request: &str, before: &str, context: &Context, language: &Language) -> String {
    let mentions = scene::mentions(&tokens::split(before), context, language);
    let object = mentions.iter().find_map(|one| match &one.referent {
        Referent::Object { name, .. } if one.definite => Some(name),
        _ => None,
    });
    let Some(object) = object else {
        return request.to_owned();
    };
    let word = |word: &str| match word {
        "it" => format!("“{object}”"),
        other => other.to_owned(),
    };
    request.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The request without polite words, the frame of a question and words that say nothing of it; none if it has none of them.
pub(crate) fn plainly(prompt: &str, language: &Language) -> Option<String> {
    let edge = |c: char| !c.is_alphanumeric();
    let lower = prompt.to_lowercase();
    let mut rest = lower.trim_matches(|c: char| edge(c) && !matches!(c, '"' | '“' | '”' | '%' | '°'));
    rest = behind_lead(rest, language);
    let reasoned = without_reasons(rest);
    rest = reasoned.as_deref().unwrap_or(rest);
    while let Some(shorter) = language
        .openings
        .iter()
        .filter_map(|words| opened(rest, words))
        .min_by_key(|one| one.len())
    {
        rest = shorter.trim_start_matches(|c: char| edge(c) && !matches!(c, '"' | '“'));
    }
    let mut text = format!(" {rest} ");
    for words in &language.asides {
        while let Some(at) = text.find(&format!(" {words}")).filter(|at| {
            let end = at + 1 + words.len();
            text.get(end..).is_some_and(|after| after.starts_with(edge))
        }) {
            let end = at + 1 + words.len();
            // “in Blender 4.2”
            let after = text.get(end..).unwrap_or_default();
            let version = after.strip_prefix(' ').filter(|_| words.ends_with("blender"));
            let version = version.map_or(0, |after| {
                let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
                if digits > 0 { digits + 1 } else { 0 }
            });
            text.replace_range(at..end + version, "");
        }
    }
    let text = text.trim().to_owned();
    // The case of names is that of the artist.
    let start = lower.find(&text).filter(|_| lower.len() == prompt.len());
    let typed = start
        .and_then(|start| prompt.get(start..start + text.len()))
        .map(str::to_owned);
    let plain = typed.unwrap_or(text);
    let shorter = plain.split_whitespace().count() < prompt.split_whitespace().count();
    (shorter && plain.chars().any(char::is_alphanumeric)).then_some(plain)
}

/// The request without the clauses that give the writer's reasons: “… because my computer is slow”, “when I use hair it crashes, so …”.
fn without_reasons(text: &str) -> Option<String> {
    const REASONS: [&str; 5] = ["because", "since", "when", "whenever", "cause"];
    const WRITER: [&str; 10] = ["i", "i'm", "my", "we", "our", "blender", "it's", "the", "he", "she"];
    const GOES_ON: [&str; 4] = ["so ", "then ", "please ", "and "];
    let starts = |at: usize| {
        at == 0
            || text
                .get(..at)
                .is_some_and(|before| before.ends_with(|c: char| !c.is_alphanumeric()))
    };
    let opens = |word: &str| {
        text.match_indices(word).map(|(at, _)| at).find(|at| {
            let mut behind = text.get(at + word.len()..).unwrap_or_default().split_whitespace();
            let own = behind
                .next()
                .is_some_and(|next| WRITER.contains(&next) && (next != "the" || word == "because"));
            starts(*at) && own && text.get(at + word.len()..).is_some_and(|rest| rest.starts_with(' '))
        })
    };
    let at = REASONS.iter().filter_map(|word| opens(word)).min()?;
    let (before, clause) = text.split_at_checked(at)?;
    let end = clause.find([',', ';', '.', '!']).map(|end| end + 1);
    let mut after = end.and_then(|end| clause.get(end..)).unwrap_or_default().trim_start();
    for word in GOES_ON {
        after = after.strip_prefix(word).filter(|_| before.is_empty()).unwrap_or(after);
    }
    let before = before.trim_end_matches([' ', ',']);
    let joint = if before.is_empty() || after.is_empty() {
        ""
    } else {
        ", "
    };
    Some(format!("{before}{joint}{after}"))
}

/// The prompt without the sentences that only tell what the writer works on or is stuck with, and those sentences; none if there are none, or
/// nothing else.
pub(crate) fn without_talk(prompt: &str) -> Option<(String, Vec<String>)> {
    const WORKING: [&str; 18] = [
        "trying to",
        "i'm trying to",
        "i am trying to",
        "im trying to",
        "we're trying to",
        "i'm making",
        "i am making",
        "im making",
        "i'm working on",
        "i am working on",
        "im working on",
        "i'm building",
        "i am building",
        "working on",
        "i'm new",
        "i am new",
        "i'm pretty new",
        "new to",
    ];
    const STUCK: [&str; 22] = [
        "can't figure",
        "cannot figure",
        "can't seem",
        "i can't",
        "i cannot",
        "couldn't",
        "i couldn't",
        "don't know",
        "i don't know",
        "not sure",
        "i'm not sure",
        "no idea",
        "any help",
        "any idea",
        "any ideas",
        "help",
        "i'm stuck",
        "stuck",
        "how do i do",
        "what am i doing",
        "is that possible",
        "is this possible",
    ];
    let mut sentences: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, mark) in prompt.char_indices() {
        let end = at + mark.len_utf8();
        let behind = prompt.get(end..).unwrap_or_default();
        if mark == '\n'
            || matches!(mark, '.' | '!' | '?') && (behind.is_empty() || behind.starts_with(char::is_whitespace))
        {
            sentences.push(prompt.get(start..end).unwrap_or_default().trim());
            start = end;
        }
    }
    sentences.push(prompt.get(start..).unwrap_or_default().trim());
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    let talks = |sentence: &&str| {
        let lower = sentence.to_lowercase().replace('’', "'");
        let greets = |text: &str| ["hi", "hello", "hey"].iter().any(|word| opened(text, word).is_some());
        let plain = match lower.split_once(", ") {
            Some((greeting, rest)) if greets(greeting) && greeting.split(' ').count() < 4 => rest,
            _ => &lower,
        };
        WORKING.iter().chain(&STUCK).any(|words| opened(plain, words).is_some())
    };
    let (told, asked): (Vec<&str>, Vec<&str>) = sentences.into_iter().partition(talks);
    let bare = |sentence: &&str| sentence.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    (!told.is_empty() && !asked.is_empty()).then(|| (asked.join(" "), told.iter().map(bare).collect()))
}

/// What “to” introduces behind words that say nothing: “I have been struggling to”, “how on earth would one”, “I can't figure out how to”.
fn behind_lead<'t>(text: &'t str, language: &Language) -> &'t str {
    let words: Vec<(usize, &str)> = text
        .split_whitespace()
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .collect();
    let plain = |at: usize| {
        let word = words.get(at).map_or("", |(_, word)| *word);
        word.trim_matches(|c: char| !c.is_alphanumeric())
    };
    let negates = |word: &str| language.negations.contains(word) || word.ends_with("n't") || word == "cannot";
    let idle = |word: &str| {
        language.stop.contains(word)
            || language.questions.contains(word)
            || language.conjunctions.contains(word)
            || language.prepositions.contains(word)
            || language.state_questions.contains(word)
            || negates(word)
    };
    let lead = (0..words.len()).take_while(|at| idle(plain(*at))).count();
    let says_how = |at: usize| plain(at) == "how" || at > 0 && plain(at - 1) == "how";
    let question =
        language.questions.contains(plain(0)) || language.state_questions.contains(plain(0)) || plain(0) == "do";
    let joins = |at: usize| plain(at) == "to" || question && at > 2 && ["of", "for"].contains(&plain(at));
    let verb = |at: usize| joins(at) && at > 0 && !negates(plain(at - 1)) && plain(at + 1) != "the";
    let asks = |at: usize| {
        let people = ["i", "we", "you", "one", "people", "someone"];
        people.contains(&plain(at)) && question && at > 1
    };
    let denied = (0..lead).any(|at| negates(plain(at)));
    let cut = (0..lead)
        .rev()
        .find(|at| verb(*at) && (!denied || (0..=*at).any(says_how)) || asks(*at));
    match cut.and_then(|at| words.get(at + 1)) {
        Some((start, _)) => text.get(*start..).unwrap_or(text),
        None => text,
    }
}

/// Shorthand, written out: “w/ a radius” is “with a radius”, “w/o caps” “without caps”, “5/m²” “5 per square metre”.
pub(crate) fn written_out(prompt: &str) -> std::borrow::Cow<'_, str> {
    const SHORT: [(&str, &str); 6] = [
        ("get rid of", "delete"),
        ("eli5", ""),
        ("w/out", "without "),
        ("w/o", "without "),
        ("w/", "with "),
        ("b/c", "because "),
    ];
    // Only after “per” or a stroke: an object may be called “M2”.
    const AREA: [&str; 8] = ["m2", "m²", "m^2", "sqm", "sq m", "sq. m", "sq meter", "square meter"];
    let per = ["per ", "/ ", "/"]
        .into_iter()
        .flat_map(|per| AREA.map(|area| format!("{per}{area}")));
    let short = SHORT.map(|(short, long)| (short.to_owned(), long));
    let area = per.map(|short| (short, " per square metre"));
    let mut text = std::borrow::Cow::Borrowed(prompt);
    for (short, long) in short.into_iter().chain(area) {
        let short = &*short;
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.to_ascii_lowercase().find(short)) {
            let at = from + at;
            let (before, after) = (
                text.get(..at).unwrap_or_default(),
                text.get(at + short.len()..).unwrap_or_default(),
            );
            from = at + short.len();
            let alone = (short.starts_with('/') || !before.ends_with(char::is_alphanumeric))
                && (short == "w/" || !after.starts_with(char::is_alphanumeric));
            if alone {
                let after = if long.is_empty() || long.ends_with(' ') {
                    after.trim_start()
                } else {
                    after
                };
                let written = format!("{before}{long}{after}");
                from = at + long.len();
                text = std::borrow::Cow::Owned(written);
            }
        }
    }
    text
}

/// What follows words at the beginning of a text.
fn opened<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.strip_prefix(words)
        .filter(|rest| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '\''))
}

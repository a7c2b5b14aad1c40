//! The verdict on a Python step: may it run in safe mode, and if not, which line breaks which rule.
//!
//! A text passes three stages: [`scan`] checks characters and depth before anything is parsed; the parser builds a tree; the rules in
//! [`rules`] check every node of it. All of this uses allow-lists from `policy/`: anything that is not named there is refused. The filter
//! has no state, reads no files, and no input makes it panic or overflow: parsing, visiting and dropping happen on a separate stack
//! whose size fits the deepest tree that [`scan`] lets through.

mod bindings;
mod checker;
mod description;
mod export;
mod expressions;
mod fold;
mod judge;
mod parse;
mod policy;
pub mod record;
mod rules;
mod scan;
mod stars;
mod tree;
mod verdict;

use std::thread;

use geonode_protocol::{Code, LISTED_FINDINGS, Limits};

pub use description::{MAX_BRIEF, brief, reference};
pub use export::{Allowed, allowed};
pub use policy::VERSIONS;
pub use rules::regexes::is_quick;
pub use verdict::{Finding, Verdict};

use verdict::{Judged, Raw, located};

/// Bytes of stack for parsing, visiting and dropping; reserved, and only touched as deep as the tree is. Even a script of the greatest
/// length with one level for each of its characters stays far below.
const STACK: usize = 128 << 20;

/// Judges a script for a Blender version such as `5.2`; an unknown version is judged as the nearest older known one.
#[must_use]
pub fn check(source: &str, blender: &str) -> Verdict {
    let longest = Limits::default().max_python_chars;
    if source.len() > longest.saturating_mul(4) || source.chars().count() > longest {
        let raw = Raw {
            code: Code::PythonTooLong,
            rule: "scan",
            at: 0,
            text: format!("The script is longer than {longest} characters."),
            hint: "Shorten it, or split it over several steps.".to_owned(),
        };
        return verdict_on("", vec![raw], Vec::new());
    }
    let scanned = scan::scan(source);
    if !scanned.findings.is_empty() {
        return verdict_on(source, scanned.findings, Vec::new());
    }
    let rewritten = exchanged(source, &scanned.quotes);
    let stars = rewritten.as_deref().unwrap_or(source);
    let rewritten = if stars.contains("import *") {
        on_own_stack(|| stars::named(stars)).flatten().or(rewritten)
    } else {
        rewritten
    };
    let judged = rewritten.as_deref().unwrap_or(source);
    let Judged { findings, asks, own } = on_own_stack(|| match parse::parse(judged) {
        Ok(suite) => judge::judge(&suite, blender),
        Err(error) => Judged::refused(error),
    })
    .unwrap_or_else(|| {
        let raw = Raw {
            code: Code::InternalError,
            rule: "parse",
            at: 0,
            text: "The script could not be checked.".to_owned(),
            hint: "Write it more simply.".to_owned(),
        };
        Judged::refused(raw)
    });
    let mut verdict = verdict_on(judged, findings, asks);
    verdict.own = own;
    verdict.rewritten = rewritten;
    verdict
}

/// What a function returns that parses, visits and drops a tree, on a separate stack; `None` for a failure there.
fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("geonode-script".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .ok()
            .and_then(|worker| worker.join().ok())
    })
}

/// The text with single bytes replaced; `None` when there are none.
fn exchanged(source: &str, quotes: &[(usize, u8)]) -> Option<String> {
    if quotes.is_empty() {
        return None;
    }
    let mut bytes = source.as_bytes().to_vec();
    for (at, quote) in quotes {
        *bytes.get_mut(*at)? = *quote;
    }
    String::from_utf8(bytes).ok()
}

fn verdict_on(source: &str, findings: Vec<Raw>, asks: Vec<Raw>) -> Verdict {
    Verdict {
        ok: findings.is_empty(),
        findings: located(source, findings, LISTED_FINDINGS),
        asks: located(source, asks, LISTED_FINDINGS),
        own: Vec::new(),
        rewritten: None,
    }
}

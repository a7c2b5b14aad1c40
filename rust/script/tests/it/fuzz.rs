//! No text panics, hangs or aborts the filter: the corpus, cut up and put together anew.
//!
//! A share of it runs with every test, ten million inputs with `cargo xtask test --full`; `GEONODE_CASES` sets the latter number.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use geonode_protocol::Code;
use geonode_script::{VERSIONS, check};
use proptest::collection::vec;
use proptest::prelude::*;

/// A debug build on a shared machine is many times slower than the 50 ms that are promised.
const LONGEST: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(2)
} else {
    Duration::from_millis(50)
};

/// What stands between the parts of Python, and what hurts parsers.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "\n",
    "\n    ",
    "\n\t",
    "\\\n",
    "\r\n",
    "=",
    ":=",
    "==",
    "**",
    "*",
    "//",
    "<<",
    "@",
    ".",
    "...",
    "->",
    "!",
    "~",
    "-",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "f'",
    "f\"{",
    "rf'''{",
    "{x!r:>{y}}",
    "}}",
    "{{",
    "b'",
    "\\N{DASH}",
    "\\x",
    "#",
    "lambda x: ",
    "if ",
    "elif 1:",
    "else:",
    "for x in ",
    "while True:",
    "match x:\n case ",
    "case _:",
    "try:",
    "except:",
    "finally:",
    "with ",
    "as ",
    "def f():",
    "class A:",
    "async ",
    "await ",
    "yield ",
    "yield from ",
    "import ",
    "from . import ",
    "global ",
    "del ",
    "not ",
    "and ",
    "is not ",
    "in ",
    "return ",
    "raise ",
    "assert ",
    "pass",
    "break",
    "continue",
    "type X = ",
    "print ",
    "0x",
    "0b1_",
    "1e999",
    "1_000",
    "1j",
    "9999999999999999999999",
    "é",
    "__",
    "__class__",
    "eval",
    "bpy.ops.wm.",
    "bpy.context.",
    ".format(",
    "%",
    "getattr(x, ",
    "import bpy\n",
    "\u{0}",
    "\u{202e}",
    "\u{feff}",
    "ａ",
    " ",
];

fn corpus() -> &'static [String] {
    static CORPUS: OnceLock<Vec<String>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let mut texts: Vec<String> = ["attacks", "scripts"]
            .iter()
            .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
            .flat_map(|family| std::fs::read_dir(family.unwrap().path()).unwrap())
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        texts.sort();
        assert!(texts.len() > 200);
        texts
    })
}

/// One change of a text.
#[derive(Debug, Clone)]
enum Change {
    /// Puts a piece in, several times.
    Piece { at: usize, piece: usize, times: usize },
    /// Takes characters out.
    Cut { at: usize, length: usize },
    /// Repeats a part.
    Repeat { at: usize, length: usize, times: usize },
    /// Puts a line of another script in.
    Line { at: usize, script: usize, line: usize },
    /// Puts a part into brackets, or into an f-string.
    Wrap {
        at: usize,
        length: usize,
        by: usize,
        times: usize,
    },
}

const WRAPS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("f'{", "}'"),
    ("f\"\"\"{", "}\"\"\""),
    ("f(", ")"),
    ("lambda: (", ")"),
    ("-(", ")"),
    ("'", "'"),
];

fn change() -> impl Strategy<Value = Change> {
    let at = 0..4000usize;
    prop_oneof![
        4 => (at.clone(), 0..PIECES.len(), 1..4usize).prop_map(|(at, piece, times)| Change::Piece { at, piece, times }),
        1 => (at.clone(), 0..PIECES.len(), 100..2000usize).prop_map(|(at, piece, times)| Change::Piece { at, piece, times }),
        3 => (at.clone(), 1..40usize).prop_map(|(at, length)| Change::Cut { at, length }),
        1 => (at.clone(), 1..60usize, 2..200usize).prop_map(|(at, length, times)| Change::Repeat { at, length, times }),
        3 => (at.clone(), 0..2000usize, 0..60usize).prop_map(|(at, script, line)| Change::Line { at, script, line }),
        2 => (at, 1..80usize, 0..WRAPS.len(), 1..40usize).prop_map(|(at, length, by, times)| Change::Wrap { at, length, by, times }),
    ]
}

fn changed(text: &[char], change: &Change) -> Vec<char> {
    let place = |at: usize| at % (text.len() + 1);
    let end = |at: usize, length: usize| (place(at) + length).min(text.len());
    let (start, stop, middle): (usize, usize, String) = match change {
        Change::Piece { at, piece, times } => (place(*at), place(*at), PIECES[*piece].repeat(*times)),
        Change::Cut { at, length } => (place(*at), end(*at, *length), String::new()),
        Change::Repeat { at, length, times } => {
            let part: String = text[place(*at)..end(*at, *length)].iter().collect();
            (place(*at), place(*at), part.repeat(*times))
        }
        Change::Line { at, script, line } => {
            let other = &corpus()[script % corpus().len()];
            let lines: Vec<&str> = other.lines().collect();
            (place(*at), place(*at), format!("\n{}\n", lines[line % lines.len()]))
        }
        Change::Wrap { at, length, by, times } => {
            let part: String = text[place(*at)..end(*at, *length)].iter().collect();
            let (open, close) = WRAPS[*by];
            (
                place(*at),
                end(*at, *length),
                format!("{}{part}{}", open.repeat(*times), close.repeat(*times)),
            )
        }
    };
    let mut out = text[..start].to_vec();
    out.extend(middle.chars());
    out.extend(&text[stop..]);
    out.truncate(21_000);
    out
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// All that `--full` promises, unless told otherwise.
fn many() -> u32 {
    let number = std::env::var("GEONODE_CASES").ok();
    number.and_then(|text| text.parse().ok()).unwrap_or(10_000_000)
}

/// A script of the corpus, its changes, and the version of Blender.
fn input() -> impl Strategy<Value = (usize, Vec<Change>, usize)> {
    (0..2000usize, vec(change(), 1..8), 0..VERSIONS.len())
}

fn gets_a_verdict_in_time((script, changes, version): (usize, Vec<Change>, usize)) -> Result<(), TestCaseError> {
    let mut text: Vec<char> = corpus()[script % corpus().len()].chars().collect();
    for one in &changes {
        text = changed(&text, one);
    }
    let source: String = text.into_iter().collect();
    let start = Instant::now();
    let verdict = check(&source, VERSIONS[version]);
    let mut took = start.elapsed();
    // Other work on the machine may have had the processor: what the text itself costs, it costs each time.
    for _ in 0..5 {
        if took >= LONGEST {
            let start = Instant::now();
            let _ = check(&source, VERSIONS[version]);
            took = took.min(start.elapsed());
        }
    }
    prop_assert!(took < LONGEST, "{took:?}: {source:?}");
    prop_assert_eq!(verdict.ok, verdict.findings.is_empty());
    let lines = source.lines().count() + 1;
    for finding in verdict.findings.iter().chain(&verdict.asks) {
        prop_assert!(finding.code != Code::InternalError, "{source:?}");
        prop_assert!(finding.line as usize <= lines, "{finding:?} {source:?}");
    }
    // What may run has been judged as it runs.
    if let Some(rewritten) = &verdict.rewritten {
        prop_assert_eq!(check(rewritten, VERSIONS[version]).ok, verdict.ok, "{}", source);
        prop_assert_eq!(rewritten.lines().count(), source.lines().count(), "{}", source);
        // Names take the place of a star.
        if !source.contains("import *") {
            prop_assert_eq!(rewritten.chars().count(), source.chars().count(), "{}", source);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn every_text_gets_a_verdict_in_time(input in input()) {
        gets_a_verdict_in_time(input)?;
    }
}

proptest! {
    #![proptest_config(config(many()))]

    #[test]
    #[ignore = "half an hour: cargo xtask test --full"]
    fn every_one_of_millions_of_texts_gets_a_verdict_in_time(input in input()) {
        gets_a_verdict_in_time(input)?;
    }
}

//! Checks before parsing: characters, sizes, and the possible depth of the tree.
//!
//! The parser builds one level of tree for each bracket, each operator of a chain, each level of indentation and each `elif`. All of them are
//! counted here on the raw text, with the expressions inside f-strings, so that no tree is deeper than the stack on which it is
//! visited and dropped.

use geonode_protocol::Code;

use crate::verdict::Raw;

const RULE: &str = "scan";
/// Open brackets at one place.
const MAX_BRACKETS: usize = 60;
/// Levels of indentation.
const MAX_INDENT: usize = 40;
/// Names, numbers, strings and operators on the path from a statement to its innermost part, without a comma between them.
const MAX_CHAIN: usize = 1000;
/// `elif` of a whole script: each is a level of tree.
const MAX_ELIF: usize = 400;
/// Characters of a number or a name.
const MAX_WORD: usize = 300;
/// Bytes of a line.
const MAX_LINE: usize = 10_000;

/// The result of the scan.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    pub(crate) findings: Vec<Raw>,
    /// Offsets of single bytes to be replaced: quotes inside same-quote f-strings.
    pub(crate) quotes: Vec<(usize, u8)>,
}

/// Open brackets and strings at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `(`, `[` or `{` with the tokens since its last comma.
    Bracket(usize),
    /// The text part of an f-string.
    Text(Quote),
    /// `{…` of an f-string.
    Field(usize),
    /// `:…` of a field.
    Spec,
}

/// How a text begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quote {
    mark: u8,
    triple: bool,
    raw: bool,
    at: usize,
}

struct Scanner<'s> {
    text: &'s [u8],
    at: usize,
    open: Vec<Open>,
    /// Tokens of the logical line outside brackets.
    chain: usize,
    elifs: usize,
    out: Scanned,
    /// Kinds of limits that were already reported; each is reported once.
    limited: bool,
}

/// Scans a text.
pub(crate) fn scan(source: &str) -> Scanned {
    let mut scanner = Scanner {
        text: source.as_bytes(),
        at: 0,
        open: Vec::new(),
        chain: 0,
        elifs: 0,
        out: Scanned::default(),
        limited: false,
    };
    characters(source, &mut scanner.out.findings);
    if scanner.out.findings.is_empty() {
        scanner.layout(source);
        scanner.run(source);
    }
    scanner.out
}

/// Why a character is refused everywhere: in code, strings and comments.
fn refused(c: char) -> Option<&'static str> {
    match c {
        '\n' | '\t' => None,
        '\0' => Some("a NUL character"),
        '\r' => Some("a carriage return without a line feed"),
        '\u{feff}' => Some("a byte order mark"),
        '\u{2028}' | '\u{2029}' | '\u{85}' => Some("a line separator that Python does not see as one"),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some("a character that changes the direction of text")
        }
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{e0000}'..='\u{e007f}' => {
            Some("a character without width")
        }
        c if c.is_control() => Some("a control character"),
        _ => None,
    }
}

fn characters(source: &str, findings: &mut Vec<Raw>) {
    let mut all = source.char_indices().peekable();
    while let Some((at, c)) = all.next() {
        if c == '\r' && all.peek().is_some_and(|(_, next)| *next == '\n') {
            continue;
        }
        if let Some(what) = refused(c) {
            findings.push(raw(
                Code::ScriptCharacter,
                at,
                format!("U+{:04X}, {what}, hides what a script does.", u32::from(c)),
                "Leave it out; inside a string, write it as an escape such as \"\\u200b\".",
            ));
        }
    }
}

fn raw(code: Code, at: usize, text: String, hint: &str) -> Raw {
    Raw {
        code,
        rule: RULE,
        at,
        text,
        hint: hint.to_owned(),
    }
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    fn limit(&mut self, at: usize, what: &str, limit: usize, hint: &str) {
        if !self.limited {
            self.limited = true;
            self.out.findings.push(raw(
                Code::ScriptLimit,
                at,
                format!("{what} exceed the limit of {limit}."),
                hint,
            ));
        }
    }

    /// Lines and their indentation, whatever their content: counting more than Python does is harmless.
    fn layout(&mut self, source: &str) {
        let mut levels: Vec<usize> = Vec::new();
        let mut start = 0usize;
        for line in source.split('\n') {
            if line.len() > MAX_LINE {
                self.limit(
                    start,
                    "The bytes of this line",
                    MAX_LINE,
                    "Break the line, or compute the data in a loop.",
                );
            }
            let bare = line.trim_start_matches([' ', '\t']);
            let indent = line.len().saturating_sub(bare.len());
            if !bare.is_empty() && !bare.starts_with('#') {
                while levels.last().is_some_and(|level| *level >= indent) {
                    levels.pop();
                }
                levels.push(indent);
                if levels.len() > MAX_INDENT {
                    self.limit(
                        start,
                        "The levels of indentation",
                        MAX_INDENT,
                        "Move the inner part into a function.",
                    );
                }
            }
            start = start.saturating_add(line.len()).saturating_add(1);
        }
    }

    fn run(&mut self, source: &str) {
        while self.at < self.text.len() && !self.limited {
            match self.open.last().copied() {
                Some(Open::Text(quote)) => self.text_part(quote),
                Some(Open::Spec) => self.spec_part(),
                _ => self.code(source),
            }
        }
    }

    /// The text part of an f-string, up to a field or its end.
    fn text_part(&mut self, quote: Quote) {
        let c = self.byte(0);
        if c == b'\\' && !(quote.raw && self.byte(1) != quote.mark) {
            // `\N{NAME}` is not a field.
            if !quote.raw && self.byte(1) == b'N' && self.byte(2) == b'{' {
                while self.at < self.text.len() && !matches!(self.byte(0), b'}' | b'\n') {
                    self.at = self.at.saturating_add(1);
                }
                return;
            }
            // `\{` is a backslash and a field.
            self.at = self
                .at
                .saturating_add(if matches!(self.byte(1), b'{' | b'}') { 1 } else { 2 });
        } else if (c == b'{' && self.byte(1) == b'{') || (c == b'}' && self.byte(1) == b'}') {
            self.at = self.at.saturating_add(2);
        } else if c == b'{' {
            self.push(Open::Field(0));
            self.at = self.at.saturating_add(1);
        } else if self.ends(quote) {
            self.at = self.at.saturating_add(if quote.triple { 3 } else { 1 });
            self.open.pop();
        } else if c == b'\n' && !quote.triple {
            // Not terminated: the parser reports it.
            self.open.pop();
        } else {
            self.at = self.at.saturating_add(1);
        }
    }

    fn spec_part(&mut self) {
        match self.byte(0) {
            b'{' => self.push(Open::Field(0)),
            b'}' => {
                self.open.pop();
                self.open.pop();
            }
            b'\n' | b'"' | b'\'' => {
                // The end of the whole f-string, without its brace: the parser reports it.
                self.open.pop();
                self.open.pop();
                return;
            }
            _ => {}
        }
        self.at = self.at.saturating_add(1);
    }

    fn ends(&self, quote: Quote) -> bool {
        self.byte(0) == quote.mark && (!quote.triple || (self.byte(1) == quote.mark && self.byte(2) == quote.mark))
    }

    fn push(&mut self, open: Open) {
        self.open.push(open);
        if self.open.len() > MAX_BRACKETS {
            self.limit(
                self.at,
                "The open brackets",
                MAX_BRACKETS,
                "Compute the inner part first and give it a name.",
            );
        }
    }

    /// One more token since the last comma.
    fn token(&mut self) {
        match self.open.last_mut() {
            Some(Open::Bracket(count) | Open::Field(count)) => *count = count.saturating_add(1),
            _ => self.chain = self.chain.saturating_add(1),
        }
        let depth: usize = self
            .open
            .iter()
            .map(|one| match one {
                Open::Bracket(count) | Open::Field(count) => *count,
                _ => 0,
            })
            .sum();
        if depth.saturating_add(self.chain) > MAX_CHAIN {
            self.limit(
                self.at,
                "The operands of this expression",
                MAX_CHAIN,
                "Use a list and sum(), or several statements.",
            );
        }
    }

    fn comma(&mut self) {
        match self.open.last_mut() {
            Some(Open::Bracket(count) | Open::Field(count)) => *count = 0,
            _ => self.chain = 0,
        }
    }

    /// The f-string in whose field this place is, not looking beyond it.
    fn enclosing(&self) -> impl Iterator<Item = Quote> {
        self.open.iter().filter_map(|one| match one {
            Open::Text(quote) => Some(*quote),
            _ => None,
        })
    }

    fn code(&mut self, source: &str) {
        let c = self.byte(0);
        let in_field = self.enclosing().next().is_some();
        let line_bound = self.enclosing().find(|quote| !quote.triple).map(|quote| quote.at);
        match c {
            b'\n' => {
                if self.open.is_empty() {
                    self.chain = 0;
                } else if let Some(at) = line_bound {
                    self.newer(at, "a line break inside the braces of an f-string");
                    self.open.clear();
                }
                self.at = self.at.saturating_add(1);
            }
            b' ' | b'\t' | b'\r' => self.at = self.at.saturating_add(1),
            b'#' => {
                if in_field {
                    self.newer(self.at, "a comment inside an f-string");
                }
                while self.at < self.text.len() && self.byte(0) != b'\n' {
                    self.at = self.at.saturating_add(1);
                }
            }
            b'\\' => {
                if in_field {
                    self.newer(self.at, "a backslash inside the braces of an f-string");
                }
                self.at = self.at.saturating_add(1);
                // The line goes on.
                if self.byte(0) == b'\r' {
                    self.at = self.at.saturating_add(1);
                }
                self.at = self.at.saturating_add(1);
            }
            b'"' | b'\'' => self.string(self.at, false, false),
            b'(' | b'[' | b'{' => {
                self.token();
                self.push(Open::Bracket(0));
                self.at = self.at.saturating_add(1);
            }
            b')' | b']' | b'}' => {
                if matches!(self.open.last(), Some(Open::Bracket(_) | Open::Field(_))) {
                    self.open.pop();
                }
                self.at = self.at.saturating_add(1);
            }
            b',' | b';' => {
                self.comma();
                self.at = self.at.saturating_add(1);
            }
            b':' if matches!(self.open.last(), Some(Open::Field(_))) => {
                self.push(Open::Spec);
                self.at = self.at.saturating_add(1);
            }
            c if c.is_ascii_alphanumeric() || c == b'_' => self.word(),
            c if c.is_ascii() => {
                self.token();
                self.at = self.at.saturating_add(1);
            }
            _ => {
                let shown = source.get(self.at..).and_then(|rest| rest.chars().next());
                self.out.findings.push(raw(
                    Code::ScriptCharacter,
                    self.at,
                    format!("{} is not ASCII; names that look alike could mean different things.", shown.map_or_else(String::new, |c| format!("{c:?}"))),
                    "Use only the letters A–Z, digits and underscores in names; other letters may appear in strings and comments.",
                ));
                while self.at < self.text.len() && !self.byte(0).is_ascii() {
                    self.at = self.at.saturating_add(1);
                }
            }
        }
    }

    /// A name, a keyword, a number, or the prefix of a text.
    fn word(&mut self) {
        let start = self.at;
        while self.byte(0).is_ascii_alphanumeric() || self.byte(0) == b'_' {
            self.at = self.at.saturating_add(1);
        }
        let word = self.text.get(start..self.at).unwrap_or_default();
        if matches!(self.byte(0), b'"' | b'\'') && word.len() <= 2 && word.iter().all(|c| b"rRbBuUfFtT".contains(c)) {
            let has = |letter: u8| word.iter().any(|c| c.eq_ignore_ascii_case(&letter));
            if has(b't') {
                self.newer(start, "a t-string");
            }
            self.string(start, has(b'f') || has(b't'), has(b'r'));
            return;
        }
        if word.len() > MAX_WORD {
            self.limit(start, "The characters of this name or number", MAX_WORD, "Shorten it.");
        }
        if word == b"elif" {
            self.elifs = self.elifs.saturating_add(1);
            if self.elifs > MAX_ELIF {
                self.limit(start, "The branches", MAX_ELIF, "Use a dict.");
            }
        }
        self.token();
    }

    /// A text that begins with a quote here; an f-string is entered, any other skipped.
    fn string(&mut self, start: usize, formatted: bool, raw_text: bool) {
        self.token();
        let mark = self.byte(0);
        let triple = self.byte(1) == mark && self.byte(2) == mark;
        let quote = Quote {
            mark,
            triple,
            raw: raw_text,
            at: start,
        };
        let first = self.at;
        let clash = self
            .enclosing()
            .any(|outer| outer.mark == mark && (!outer.triple || triple));
        let nested = self.enclosing().next().is_some();
        self.at = self.at.saturating_add(if triple { 3 } else { 1 });
        if formatted && !clash {
            self.push(Open::Text(quote));
            return;
        }
        let inside = self.at;
        while self.at < self.text.len() && !self.ends(quote) && (triple || self.byte(0) != b'\n') {
            self.at = self.at.saturating_add(if self.byte(0) == b'\\' { 2 } else { 1 });
        }
        let content = self.text.get(inside..self.at.min(self.text.len())).unwrap_or_default();
        if nested && content.contains(&b'\\') {
            self.newer(first, "a backslash inside the braces of an f-string");
        }
        if clash {
            self.exchange(
                quote,
                first,
                content.iter().any(|c| b"\"'\\\n{}".contains(c)) || formatted,
            );
        }
        self.at = self.at.saturating_add(if triple { 3 } else { 1 });
    }

    /// The quotes of a text inside an f-string with the same quotes become the other ones, where that is certain.
    fn exchange(&mut self, quote: Quote, first: usize, doubtful: bool) {
        let other = if quote.mark == b'"' { b'\'' } else { b'"' };
        if doubtful || quote.triple || self.byte(0) != quote.mark || self.enclosing().any(|outer| outer.mark == other) {
            self.newer(first, "the quote of the f-string inside its braces");
            return;
        }
        self.out.quotes.push((first, other));
        self.out.quotes.push((self.at, other));
    }

    fn newer(&mut self, at: usize, what: &str) {
        self.out.findings.push(raw(
            Code::ScriptSyntax,
            at,
            format!("This is {what}, which Blender 4.2 and 4.5 cannot read."),
            "Compute the value in an earlier statement, give it a name, and use the name in the f-string; inside braces, use the other kind of quotes.",
        ));
    }
}

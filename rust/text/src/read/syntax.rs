//! From the text of a page to Python's syntax tree: sizes first, then the grammar, so that nothing deep or endless is ever built.

use geonode_protocol::{Code, LISTED_FINDINGS};
use rustpython_parser::ast::{Mod, Stmt};
use rustpython_parser::lexer::{LexResult, LexicalError, LexicalErrorType, lex};
use rustpython_parser::text_size::{TextRange, TextSize};
use rustpython_parser::{Mode, ParseError, ParseErrorType, StringKind, Tok, parse_tokens};

use std::borrow::Cow;

use super::fault::{Fault, Faults};

/// Most bytes of a page; the largest tree that Blender ships takes about a tenth of it.
pub(crate) const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Brackets that may be open at one place.
const MAX_BRACKETS: usize = 32;
/// Levels of indentation.
const MAX_INDENT: usize = 16;
/// Words and operators on the path from a statement to its innermost part, without a comma between them: every one may be a level of the
/// syntax tree, which is visited by recursion.
const MAX_CHAIN: usize = 160;
/// Characters of a name or a number.
const MAX_WORD: usize = 200;
/// Statements that are left out one by one, to find the mistakes of several at once.
const MAX_LEFT_OUT: usize = 8;
/// Largest page for which that is done, in tokens: each time the rest is parsed again.
const MAX_AGAIN: usize = 20_000;
/// Largest page for which that is done with lines that are no words, in bytes.
const MAX_MENDED: usize = 100_000;

/// Numbers that have a name on every page that gives it to nothing else.
const NUMBERS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("tau", std::f64::consts::TAU)];

/// The statements of a page; those that are not Python are reported and left out, and none is read where it is open what is left. `is_taken`: a name means something in the file.
pub(crate) fn parse(text: &str, is_taken: impl Fn(&str) -> bool, faults: &mut Faults) -> Vec<Stmt> {
    if text.len() > MAX_BYTES {
        let message = format!("The page has {} bytes; the limit is {MAX_BYTES}.", text.len());
        faults.add(Fault::new(
            Code::PlanTooLarge,
            0,
            message,
            "Change the tree in several steps.",
        ));
        return Vec::new();
    }
    if let Some(at) = long_word(text) {
        let message = format!("A name or number has more than {MAX_WORD} characters.");
        faults.add(Fault::new(Code::TooDeep, at, message, "Write a shorter one."));
        return Vec::new();
    }
    let Some((text, mut tokens)) = words(text, faults) else {
        return Vec::new();
    };
    if let Some(fault) = too_deep(&tokens) {
        faults.add(fault);
        return Vec::new();
    }
    for (name, value) in NUMBERS {
        let is_used = tokens
            .iter()
            .any(|(token, _)| matches!(token, Tok::Name { name: used } if used == name));
        if is_used && !is_taken(name) && !binds(&tokens, name) {
            put_number(&mut tokens, name, value);
        }
    }
    suite(&text, tokens, faults)
}

/// Words with their places.
type Words = Vec<(Tok, TextRange)>;

/// The words of a page. A line with something that is no word is reported and left out: blanks and `pass` stand in its place.
fn words<'t>(text: &'t str, faults: &mut Faults) -> Option<(Cow<'t, str>, Words)> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_LEFT_OUT {
        let mut tokens = Vec::new();
        let found = lex(&text, Mode::Module).try_for_each(|token| token.map(|token| tokens.push(token)));
        let Err(error) = found else {
            return Some((text, tokens));
        };
        let at = usize::from(error.location).min(text.len());
        let ends_early = matches!(error.error, LexicalErrorType::Eof);
        let (fault, line) = match unclosed(&text, &tokens).filter(|_| ends_early) {
            Some((at, line)) => (open_bracket(at), Some(line)),
            None if ends_early => (lexical(&text, &error), None),
            None => (lexical(&text, &error), line_around(&text, &tokens, at)),
        };
        faults.add(fault);
        let (start, end) = line.filter(|_| text.len() <= MAX_MENDED)?;
        faults.refused.line(text.get(start..end)?, start);
        text = Cow::Owned(without(&text, start, end)?);
    }
    None
}

fn open_bracket(at: usize) -> Fault {
    let fix = "Close it before the next line of the group begins.";
    Fault::new(Code::TextSyntax, at, "The bracket that opens here is not closed.", fix)
}

/// Where the statement begins whose words come last.
fn statement_start(tokens: &[(Tok, TextRange)]) -> usize {
    let is_end = |token: &Tok| matches!(token, Tok::Newline | Tok::Indent | Tok::Dedent);
    let mut depth = 0_usize;
    let mut start = None;
    for (token, range) in tokens {
        match token {
            Tok::Lpar | Tok::Lsqb | Tok::Lbrace => depth += 1,
            Tok::Rpar | Tok::Rsqb | Tok::Rbrace => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && is_end(token) {
            start = None;
        } else if start.is_none() {
            start = Some(usize::from(range.start()));
        }
    }
    start.unwrap_or(usize::MAX)
}

/// The line of a place that is no word, from its first word to its last; none where it is open how far its statement goes.
fn line_around(text: &str, tokens: &[(Tok, TextRange)], at: usize) -> Option<(usize, usize)> {
    let whole = text.as_bytes();
    // What is wrong with a text or an indentation is known at the end of the line.
    let inside = if at > 0 && (at == text.len() || whole.get(at - 1) == Some(&b'\n')) && whole.get(at) != Some(&b' ') {
        at - 1
    } else {
        at
    };
    let line = text.get(..inside)?.rfind('\n').map_or(0, |at| at + 1);
    let start = statement_start(tokens).min(line + text.get(line..)?.find(|c| c != ' ')?);
    let mut depth = 0_i32;
    for (number, byte) in whole.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'\n' if number >= inside && depth <= 0 => return Some((start, number)),
            _ => {}
        }
    }
    (depth <= 0).then_some((start, text.len()))
}

/// The first bracket that stays open although the next statement begins, and the statement that it is in.
fn unclosed(text: &str, tokens: &[(Tok, TextRange)]) -> Option<(usize, (usize, usize))> {
    let mut open: Vec<usize> = Vec::new();
    for (token, range) in tokens {
        match token {
            Tok::Lpar | Tok::Lsqb | Tok::Lbrace => open.push(usize::from(range.start())),
            Tok::Rpar | Tok::Rsqb | Tok::Rbrace => drop(open.pop()),
            _ => {}
        }
    }
    let start = statement_start(tokens);
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = start - text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let mut at = start + text.get(start..)?.find('\n')? + 1;
    for line in text.get(at..)?.split_inclusive('\n') {
        let words = line.trim_start();
        let begins = words.starts_with(char::is_alphabetic) && indent(line) <= own;
        if begins {
            // Of several the innermost one of that line: what is before it may be closed there.
            let first = open.iter().rev().find(|bracket| **bracket < at)?;
            return Some((*first, (start, at - 1)));
        }
        at += line.len();
    }
    None
}

/// The text with `pass` instead of a statement, and blanks for the rest of it; none for one that begins a block.
fn without(text: &str, start: usize, end: usize) -> Option<String> {
    let line = text.get(start..end)?;
    let begins_block = line.trim_end().ends_with(':') || ["def ", "with "].iter().any(|word| line.starts_with(word));
    if begins_block || line.len() < 4 {
        return None;
    }
    let mut mended = String::with_capacity(text.len());
    mended.push_str(text.get(..start)?);
    mended.push_str("pass");
    mended.extend(line.bytes().skip(4).map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    mended.push_str(text.get(end..)?);
    Some(mended)
}

/// Whether the page gives a name to something: an assignment, a parameter, an argument, a function, the end of a zone.
fn binds(tokens: &[(Tok, TextRange)], wanted: &str) -> bool {
    let is_name = |token: &Tok| matches!(token, Tok::Name { name } if name == wanted);
    // `as (x_in, x_out)`
    let mut ends = false;
    let mut before: Option<&Tok> = None;
    tokens.iter().enumerate().any(|(place, (token, _))| {
        ends = matches!((before, token), (Some(Tok::As), Tok::Lpar)) || ends && !matches!(token, Tok::Rpar);
        let bound = ends || matches!(before, Some(Tok::Def | Tok::As));
        before = Some(token);
        let after = tokens.get(place + 1).map(|(token, _)| token);
        is_name(token) && (bound || matches!(after, Some(Tok::Equal | Tok::Colon | Tok::Dot | Tok::Lpar)))
    })
}

/// Puts a number in the place of its name.
fn put_number(tokens: &mut [(Tok, TextRange)], wanted: &str, value: f64) {
    let mut after_dot = false;
    for (token, _) in tokens {
        if !after_dot && matches!(token, Tok::Name { name } if name == wanted) {
            *token = Tok::Float { value };
        }
        after_dot = matches!(token, Tok::Dot);
    }
}

/// Where a word begins that is longer than any in a page.
fn long_word(text: &str) -> Option<usize> {
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80) {
            start = at + 1;
        } else if at - start >= MAX_WORD && text.as_bytes().get(start).is_some_and(u8::is_ascii_digit) {
            return Some(start);
        }
    }
    None
}

/// A limit of nesting that the page exceeds.
fn too_deep(tokens: &[(Tok, TextRange)]) -> Option<Fault> {
    let (mut open, mut total, mut indent) = (vec![0_usize], 0_usize, 0_usize);
    for (token, range) in tokens {
        let at = usize::from(range.start());
        match token {
            Tok::Lpar | Tok::Lsqb | Tok::Lbrace => open.push(1),
            Tok::Rpar | Tok::Rsqb | Tok::Rbrace if open.len() > 1 => {
                total -= open.pop().unwrap_or_default();
                if let Some(chain) = open.last_mut() {
                    *chain += 1;
                }
            }
            Tok::Comma | Tok::Semi | Tok::Newline => {
                if let Some(chain) = open.last_mut() {
                    total -= std::mem::take(chain);
                }
                continue;
            }
            Tok::Indent if indent < MAX_INDENT => {
                indent += 1;
                continue;
            }
            Tok::Dedent => {
                indent = indent.saturating_sub(1);
                continue;
            }
            Tok::String { kind, .. }
                if !matches!(kind, StringKind::String | StringKind::RawString | StringKind::Unicode) =>
            {
                let message = "Tree text has plain strings only.";
                return Some(Fault::new(
                    Code::TextForm,
                    at,
                    message,
                    "Write \"…\" without a letter before it.",
                ));
            }
            _ => {
                if let Some(chain) = open.last_mut() {
                    *chain += 1;
                }
            }
        }
        total += 1;
        if open.len() > MAX_BRACKETS + 1 || matches!(token, Tok::Indent) || total > MAX_CHAIN {
            let message = "The expression is nested too deeply, or too long.";
            return Some(Fault::new(
                Code::TooDeep,
                at,
                message,
                "Give parts of it names, each on a line of its own.",
            ));
        }
    }
    None
}

/// Parses tokens. A statement that is not Python is reported and left out, and the rest is parsed again.
fn suite(text: &str, mut tokens: Vec<(Tok, TextRange)>, faults: &mut Faults) -> Vec<Stmt> {
    let again = tokens.len() <= MAX_AGAIN;
    for _ in 0..MAX_LEFT_OUT {
        let copies: Vec<LexResult> = if again {
            tokens.iter().cloned().map(Ok).collect()
        } else {
            std::mem::take(&mut tokens).into_iter().map(Ok).collect()
        };
        match parse_tokens(copies, Mode::Module, "<page>") {
            Ok(Mod::Module(module)) => return module.body,
            Ok(_) => return Vec::new(),
            Err(error) => {
                let at = usize::from(error.offset);
                faults.add(grammatical(text, &error));
                let line = leave_out(&mut tokens, at).filter(|_| again && faults.count() < LISTED_FINDINGS);
                let Some((start, end)) = line else {
                    return Vec::new();
                };
                faults.refused.line(text.get(start..end).unwrap_or_default(), start);
            }
        }
    }
    Vec::new()
}

/// Puts `pass` for the statement around a place, and tells where that is; none for one that begins a block, which cannot be left out alone.
fn leave_out(tokens: &mut Vec<(Tok, TextRange)>, at: usize) -> Option<(usize, usize)> {
    let is_end = |token: &Tok| matches!(token, Tok::Newline | Tok::Indent | Tok::Dedent);
    let offset = TextSize::try_from(at).unwrap_or_default();
    let hit = tokens
        .iter()
        .position(|(_, range)| range.end() > offset || range.start() >= offset)?;
    let before = tokens.get(..hit).unwrap_or_default();
    let first = before
        .iter()
        .rposition(|(token, _)| is_end(token))
        .map_or(0, |at| at + 1);
    let after = tokens.get(hit..).unwrap_or_default();
    let length = after.iter().position(|(token, _)| matches!(token, Tok::Newline))?;
    let last = hit + length;
    let is_block = tokens
        .get(last + 1)
        .is_some_and(|(token, _)| matches!(token, Tok::Indent));
    let (_, range) = *tokens.get(first).filter(|_| !is_block && first < last)?;
    let end = tokens.get(last).map_or(range.end(), |(_, end)| end.start());
    tokens.splice(first..last, [(Tok::Pass, range)]);
    Some((usize::from(range.start()), usize::from(end)))
}

fn lexical(text: &str, error: &LexicalError) -> Fault {
    let at = usize::from(error.location);
    if matches!(error.error, LexicalErrorType::Eof) {
        return cut_off(text);
    }
    not_python(at, &error.error)
}

fn not_python(at: usize, error: &LexicalErrorType) -> Fault {
    let (message, fix) = match error {
        LexicalErrorType::Eof => ("The page ends too early.".to_owned(), "Send the whole page."),
        LexicalErrorType::StringError => (
            "A string is not closed, or an escape in it is not one of Python's.".to_owned(),
            "Close it with the same quotation mark on the same line.",
        ),
        LexicalErrorType::NestingError => (
            "A bracket is closed that was not opened.".to_owned(),
            "Balance the brackets.",
        ),
        LexicalErrorType::IndentationError | LexicalErrorType::TabError | LexicalErrorType::TabsAfterSpaces => (
            "The line is indented otherwise than those around it.".to_owned(),
            "Indent each block by four spaces.",
        ),
        LexicalErrorType::DefaultArgumentError => (
            "An input without a default follows one that has a default.".to_owned(),
            "Give it a default; `None` where it has none.",
        ),
        LexicalErrorType::DuplicateArgumentError(name) => {
            (format!("Two inputs are named “{name}”."), "Give each its own name.")
        }
        LexicalErrorType::DuplicateKeywordArgumentError(name) => {
            (format!("The argument “{name}” is given twice."), "Keep one of them.")
        }
        LexicalErrorType::PositionalArgumentError => (
            "An argument without a name follows one with a name.".to_owned(),
            "Name it: `socket=value`.",
        ),
        LexicalErrorType::UnrecognizedToken { tok } => (
            format!("“{tok}” is not a character of Python outside of strings."),
            "Leave it out.",
        ),
        other => (
            format!("This is not Python: {}.", shortened(&other.to_string())),
            "Correct the line.",
        ),
    };
    Fault::new(Code::TextSyntax, at, message, fix)
}

fn grammatical(text: &str, error: &ParseError) -> Fault {
    let at = usize::from(error.offset).min(text.len());
    match &error.error {
        ParseErrorType::Eof | ParseErrorType::Lexical(LexicalErrorType::Eof) => cut_off(text),
        ParseErrorType::Lexical(error) => not_python(at, error),
        ParseErrorType::UnrecognizedToken(Tok::Newline | Tok::EndOfFile, _)
            if text.get(at..).is_none_or(|rest| rest.trim().is_empty()) =>
        {
            cut_off(text)
        }
        ParseErrorType::UnrecognizedToken(Tok::Indent, _) => Fault::new(
            Code::TextSyntax,
            at,
            "The line is indented although no block begins before it.",
            "Indent only below a line that ends with a colon.",
        ),
        ParseErrorType::UnrecognizedToken(token, expected) => {
            let found = match token {
                Tok::Newline => "the end of the line".to_owned(),
                Tok::Dedent | Tok::EndOfFile => "the end of the block".to_owned(),
                other => format!("“{}”", shortened(&other.to_string()).trim_matches('\'')),
            };
            let message = match expected.as_deref() {
                Some("Indent") => "The line below must be indented.".to_owned(),
                Some(expected) => format!(
                    "Python does not allow {found} here; it expects {}.",
                    shortened(expected)
                ),
                None => format!("Python does not allow {found} here."),
            };
            Fault::new(
                Code::TextSyntax,
                at,
                message,
                "Correct the line; it must be valid Python.",
            )
        }
        ParseErrorType::ExtraToken(_) | ParseErrorType::InvalidToken => Fault::new(
            Code::TextSyntax,
            at,
            "This is not Python.",
            "Correct the line; it must be valid Python.",
        ),
    }
}

fn cut_off(text: &str) -> Fault {
    let message = "The page ends in the middle of a statement.";
    Fault::new(
        Code::CutOff,
        text.trim_end().len(),
        message,
        "Send the whole page; a page that was cut off is never applied.",
    )
}

/// At most eighty characters: errors of the parser can quote whole tokens.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

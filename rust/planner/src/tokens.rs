//! Splits a prompt into words, numbers, quoted names and breaks.

use rust_stemmers::{Algorithm, Stemmer};

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A word in lower case.
    Word,
    /// A number in digits (no sign).
    Number(f64),
    /// Text in quotation marks, as typed.
    Quoted,
    /// A mark between clauses or parts: `. , ; : ! ? ( ) / + - = …`.
    Break(char),
}

/// One token of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: Kind,
    /// Lower-case text (a quoted name without its quotes, as typed).
    pub(crate) text: String,
    /// As it was typed.
    pub(crate) typed: String,
    /// Word stem; the text itself where it is not a word.
    pub(crate) stem: String,
    /// Whether it was typed with a capital first letter.
    pub(crate) capital: bool,
    /// Whether it follows the token before without a space.
    pub(crate) glued: bool,
}

/// Words of shape that are no forms of a noun: a curved wall is not one along the curve.
const NO_FORMS: [&str; 2] = ["curved", "curving"];

/// Stem of a lower-case English word: “copies” → “copi”, “scattered” → “scatter”.
pub(crate) fn stem(word: &str) -> String {
    if NO_FORMS.contains(&word) {
        return word.to_owned();
    }
    thread_local!(static STEMMER: Stemmer = Stemmer::create(Algorithm::English));
    STEMMER.with(|stemmer| stemmer.stem(word).into_owned())
}

/// Typographic variants that mean the same to a reader.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{ff07}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{d7}' => 'x',
        '\u{b5}' | '\u{3bc}' => 'u',
        '\u{b2}' => '2',
        '\u{ff0c}' | '\u{3001}' => ',',
        '\u{3002}' => '.',
        '\u{ff10}'..='\u{ff19}' => char::from_u32(c as u32 - 0xff10 + 0x30).unwrap_or(c),
        c if c.is_whitespace() || c.is_control() || c == '\u{200b}' || c == '\u{feff}' => ' ',
        c => c,
    }
}

const fn vulgar(c: char) -> Option<f64> {
    match c {
        '\u{bd}' => Some(0.5),
        '\u{bc}' => Some(0.25),
        '\u{be}' => Some(0.75),
        '\u{2153}' => Some(1.0 / 3.0),
        '\u{2154}' => Some(2.0 / 3.0),
        _ => None,
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    tokens: Vec<Token>,
    space: bool,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn take(&mut self, mut wanted: impl FnMut(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek(0).filter(|c| wanted(*c)) {
            text.push(c);
            self.at += 1;
        }
        text
    }

    fn push(&mut self, kind: Kind, text: String, capital: bool) {
        let typed = text.clone();
        self.push_typed(kind, text, typed, capital);
    }

    fn push_typed(&mut self, kind: Kind, text: String, typed: String, capital: bool) {
        let stem = if kind == Kind::Word { stem(&text) } else { text.clone() };
        let glued = !self.space && !self.tokens.is_empty();
        self.tokens.push(Token {
            kind,
            text,
            typed,
            stem,
            capital,
            glued,
        });
        self.space = false;
    }

    /// Digits with a decimal part and thousands separators. “1,000” is a thousand, “0,5” a half, “1, 2” two numbers.
    fn number(&mut self) {
        let mut text = self.take(|c| c.is_ascii_digit());
        loop {
            let ahead = (1..=4).map_while(|n| self.peek(n).filter(char::is_ascii_digit)).count();
            match self.peek(0) {
                Some('.') if ahead > 0 && !text.contains('.') => {
                    self.at += 1;
                    text.push('.');
                    text.push_str(&self.take(|c| c.is_ascii_digit()));
                }
                Some(',' | '\'' | '_') if ahead == 3 && !text.contains('.') && text != "0" => {
                    self.at += 1;
                    text.push_str(&self.take(|c| c.is_ascii_digit()));
                }
                Some(',') if ahead > 0 && !text.contains('.') => {
                    self.at += 1;
                    text.push('.');
                    text.push_str(&self.take(|c| c.is_ascii_digit()));
                }
                _ => break,
            }
        }
        let exponent = matches!(self.peek(0), Some('e' | 'E'))
            && (self.peek(1).is_some_and(|c| c.is_ascii_digit())
                || (matches!(self.peek(1), Some('-' | '+')) && self.peek(2).is_some_and(|c| c.is_ascii_digit())));
        if exponent {
            text.push('e');
            self.at += 1;
            if let Some(sign) = self.peek(0).filter(|c| matches!(c, '-' | '+')) {
                text.push(sign);
                self.at += 1;
            }
            text.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        // “3d” is a word.
        let dimension = matches!(self.peek(0), Some('d' | 'D')) && !self.peek(1).is_some_and(char::is_alphanumeric);
        if dimension && matches!(text.as_str(), "2" | "3") {
            self.at += 1;
            self.push(Kind::Word, format!("{text}d"), false);
            return;
        }
        let mut value = text.parse::<f64>().unwrap_or(f64::INFINITY);
        if let Some(part) = self.peek(0).and_then(vulgar) {
            self.at += 1;
            value += part;
        }
        self.push(Kind::Number(value), text, false);
    }

    fn word(&mut self) {
        let mut raw = String::new();
        while let Some(c) = self.peek(0) {
            let inside = matches!(c, '\'') && !raw.is_empty() && self.peek(1).is_some_and(char::is_alphabetic);
            if c.is_alphabetic() || inside || is_mark(c) || (c.is_ascii_digit() && glues_digit(&raw)) {
                raw.push(c);
                self.at += 1;
            } else {
                break;
            }
        }
        // “3mx2m”, “40cmx20cm”
        let unit = raw.strip_suffix(['x', 'X']).filter(|unit| {
            let number = matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Number(_))) && !self.space;
            number
                && matches!(*unit, "m" | "cm" | "mm" | "km" | "ft")
                && self.peek(0).is_some_and(|c| c.is_ascii_digit())
        });
        if let Some(unit) = unit.map(str::to_owned) {
            self.push(Kind::Word, unit, false);
            self.push(Kind::Word, "x".to_owned(), false);
            return;
        }
        let capital = raw.chars().next().is_some_and(char::is_uppercase);
        let lower = raw.to_lowercase();
        let text = lower.strip_suffix("'s").unwrap_or(&lower).to_owned();
        self.push_typed(Kind::Word, text, raw, capital);
        // A dot, underscore or hyphen inside a name or a compound only separates its words.
        if matches!(self.peek(0), Some('.' | '_' | '-')) && self.peek(1).is_some_and(char::is_alphanumeric) {
            self.at += 1;
        }
    }

    fn quoted(&mut self, close: usize) {
        let text: String = self.chars.get(self.at + 1..close).unwrap_or_default().iter().collect();
        self.at = close + 1;
        self.push(Kind::Quoted, text.trim().to_owned(), false);
    }

    /// The end of a quotation that starts here, if it is one: inch marks and apostrophes are not.
    fn closing(&self, quote: char) -> Option<usize> {
        if quote == '\'' && self.at > 0 && self.chars.get(self.at - 1).is_some_and(|c| c.is_alphanumeric()) {
            return None;
        }
        (self.at + 1..self.chars.len().min(self.at + 80)).find(|&i| {
            self.chars.get(i) == Some(&quote)
                && (quote == '"' || !self.chars.get(i + 1).is_some_and(|c| c.is_alphanumeric()))
        })
    }
}

/// “m2” and “m3” are one word, “5x4” are three.
fn glues_digit(word: &str) -> bool {
    matches!(word, "m" | "cm" | "mm" | "km" | "ft" | "M")
}

/// Combining marks belong to the letter before.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Cuts a prompt into tokens; linear in its length.
pub(crate) fn split(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().map(plain).collect();
    let mut reader = Reader {
        chars,
        at: 0,
        tokens: Vec::new(),
        space: true,
    };
    while let Some(c) = reader.peek(0) {
        let digit_next = reader.peek(1).is_some_and(|c| c.is_ascii_digit());
        match c {
            ' ' => {
                reader.at += 1;
                reader.space = true;
            }
            '0'..='9' => reader.number(),
            '.' if digit_next && reader.space => {
                let mut text = String::from("0.");
                reader.at += 1;
                text.push_str(&reader.take(|c| c.is_ascii_digit()));
                let value = text.parse().unwrap_or(0.0);
                reader.push(Kind::Number(value), text, false);
            }
            '"' | '\'' | '`' => match reader.closing(c) {
                Some(close) => reader.quoted(close),
                None => {
                    reader.at += 1;
                    if matches!(reader.tokens.last().map(|t| &t.kind), Some(Kind::Number(_))) && !reader.space {
                        let unit = if c == '"' { "inch" } else { "foot" };
                        reader.push(Kind::Word, unit.to_owned(), false);
                    }
                }
            },
            '\u{b0}' | '%' => {
                reader.at += 1;
                let unit = if c == '%' { "percent" } else { "degree" };
                reader.push(Kind::Word, unit.to_owned(), false);
            }
            c if c.is_alphabetic() => reader.word(),
            c => {
                reader.at += 1;
                match vulgar(c) {
                    Some(value) => reader.push(Kind::Number(value), c.to_string(), false),
                    None if c != '_' => reader.push(Kind::Break(c), c.to_string(), false),
                    None => {}
                }
            }
        }
    }
    reader.tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(prompt: &str) -> Vec<String> {
        split(prompt).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn splits_numbers_units_and_names() {
        assert_eq!(
            texts("5x4 cubes, 10m apart"),
            ["5", "x", "4", "cubes", ",", "10", "m", "apart"]
        );
        assert_eq!(texts("3mx2m"), ["3", "m", "x", "2", "m"]);
        assert_eq!(texts("Rock.001 and big_rock"), ["rock", "001", "and", "big", "rock"]);
        assert_eq!(texts("the \"My Plane\" isn't"), ["the", "My Plane", "isn't"]);
        assert_eq!(texts("6\" apart"), ["6", "inch", "apart"]);
        assert_eq!(texts("50\u{2013}60 cm"), ["50", "-", "60", "cm"]);
        assert_eq!(texts("low-poly Suzanne's"), ["low", "poly", "suzanne"]);
    }

    #[test]
    fn reads_digits() {
        for (text, value) in [
            ("1,000", 1000.0),
            ("0,5", 0.5),
            ("2.50", 2.5),
            (".25", 0.25),
            ("1e3", 1000.0),
            ("2½", 2.5),
            ("1,234,567", 1_234_567.0),
        ] {
            assert_eq!(
                split(text).first().map(|t| t.kind.clone()),
                Some(Kind::Number(value)),
                "{text}"
            );
        }
    }
}

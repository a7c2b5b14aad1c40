//! Finds an API key in what a server says, in every form in which servers repeat one: as it is, with some or all characters written
//! as JSON, percent or HTML escapes, in hexadecimal, in capitals or
//! small letters, and in base64, alone or within something longer. Linear in the text.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use geonode_protocol::Code;
use secrecy::zeroize::Zeroizing;
use serde_json::{Map, Value};

use crate::message::ToolCall;
use crate::reply::{FinishReason, Notice, Response};
use crate::secret::{ApiKey, REDACTED};

/// Keys shorter than this are not searched for in foreign text: they would blank out ordinary words. Nor are shorter parts.
const SHORTEST: usize = 6;
/// Most backslashes before an escaped character, and most percent signs that are percent-encoded themselves: text within text.
const MOST_LAYERS: usize = 8;
/// Most digits of a character reference.
const MOST_DIGITS: usize = 6;

/// The forms of one key; wiped on drop.
pub(crate) struct KeyForms {
    plain: Zeroizing<Vec<u8>>,
    hex: Zeroizing<Vec<u8>>,
    base64: Vec<Zeroizing<Vec<u8>>>,
    /// Whether a form may begin with this byte.
    begins: [bool; 256],
}

/// What begins at a place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// A key that ends before this offset.
    Whole(usize),
    /// As many bytes of a form of the key; then the text ends.
    Part(usize),
}

/// Why a character is not the expected one.
enum Unlike {
    Differs,
    TextEnds,
}

impl KeyForms {
    /// `None` for a key that is too short to be searched for.
    pub(crate) fn of(key: &ApiKey) -> Option<Self> {
        let plain = key.expose().as_bytes();
        if plain.len() < SHORTEST {
            return None;
        }
        let mut forms = Self {
            plain: Zeroizing::new(plain.to_vec()),
            hex: Zeroizing::new(
                plain
                    .iter()
                    .flat_map(|byte| format!("{byte:02x}").into_bytes())
                    .collect(),
            ),
            base64: (0..3).flat_map(|before| in_base64(plain, before)).collect(),
            begins: [false; 256],
        };
        let written = forms.base64.iter().chain([&forms.plain, &forms.hex]);
        for first in written.filter_map(|form| form.first()).chain(b"\\%&") {
            for case in [first.to_ascii_lowercase(), first.to_ascii_uppercase()] {
                if let Some(begins) = forms.begins.get_mut(usize::from(case)) {
                    *begins = true;
                }
            }
        }
        Some(forms)
    }

    /// Replaces every occurrence by `***`; returns how many there were.
    pub(crate) fn remove(&self, text: &mut String) -> usize {
        self.remove_with(text, |_, _| None)
    }

    /// The same for a quotation that may have been cut within the key, with `…` at the cut.
    pub(crate) fn remove_from_quote(&self, text: &mut String) -> usize {
        let mut pieces: Vec<String> = text.split('…').map(str::to_owned).collect();
        let last = pieces.len() - 1;
        let mut count = 0;
        for (number, piece) in pieces.iter_mut().enumerate() {
            count += if number < last {
                self.remove_from_end(piece)
            } else {
                self.remove(piece)
            };
        }
        *text = pieces.join("…");
        count
    }

    /// The same for a text that may have ended within the key.
    fn remove_from_end(&self, text: &mut String) -> usize {
        self.remove_with(text, |matched, end| (matched >= SHORTEST).then_some(end))
    }

    /// `part`: the end of the replacement for so many bytes of a form before the end of the text, if it is replaced.
    fn remove_with(&self, text: &mut String, part: impl Fn(usize, usize) -> Option<usize>) -> usize {
        let (mut out, mut done, mut at, mut count) = (String::new(), 0, 0, 0);
        while at < text.len() {
            let end = match self.at(text.as_bytes(), at) {
                Some(Found::Whole(end)) => Some(end),
                Some(Found::Part(matched)) => part(matched, text.len()),
                None => None,
            };
            match end {
                Some(end) => {
                    // Both ends are next to ASCII, hence between characters.
                    out.push_str(text.get(done..at).unwrap_or_default());
                    out.push_str(REDACTED);
                    (done, at, count) = (end, end, count + 1);
                }
                None => at += 1,
            }
        }
        if count > 0 {
            out.push_str(text.get(done..).unwrap_or_default());
            *text = out;
        }
        count
    }

    /// The same for every text of a document and the names of its fields.
    pub(crate) fn remove_from_json(&self, value: &mut Value) -> usize {
        each_string(value, &mut |text| self.remove(text))
    }

    /// The offset from which on `text` may be the beginning of a key; its length if nowhere.
    fn open(&self, text: &str) -> usize {
        // Each character of the longest form takes at most so many in an escaped one.
        let longest = self.plain.len() * (MOST_LAYERS + MOST_DIGITS + 4);
        (text.len().saturating_sub(longest)..text.len())
            .find(|at| matches!(self.at(text.as_bytes(), *at), Some(Found::Part(_))))
            .unwrap_or(text.len())
    }

    fn at(&self, text: &[u8], start: usize) -> Option<Found> {
        let first = text.get(start)?;
        if !*self.begins.get(usize::from(*first))? {
            return None;
        }
        let mut best = None;
        let found = [self.spelled(text, start), prefix(&self.hex, text, start, true)];
        let encoded = self.base64.iter().map(|form| prefix(form, text, start, false));
        for found in found.into_iter().chain(encoded).flatten() {
            match (found, best) {
                (Found::Whole(_), _) => return Some(found),
                (Found::Part(more), Some(Found::Part(less))) if more <= less => {}
                (Found::Part(_), _) => best = Some(found),
            }
        }
        best
    }

    /// The key's own characters, each as it is or escaped.
    fn spelled(&self, text: &[u8], start: usize) -> Option<Found> {
        let mut at = start;
        for (matched, wanted) in self.plain.iter().enumerate() {
            match character(text, at, *wanted) {
                Ok(next) => at = next,
                Err(Unlike::TextEnds) => return Some(Found::Part(matched)),
                Err(Unlike::Differs) => return None,
            }
        }
        Some(Found::Whole(at))
    }
}

/// A form that is written in one way only.
fn prefix(form: &[u8], text: &[u8], start: usize, any_case: bool) -> Option<Found> {
    let rest = text.get(start..)?;
    let same = |(a, b): (&u8, &u8)| a == b || any_case && a.eq_ignore_ascii_case(b);
    let matched = form.iter().zip(rest).take_while(|pair| same(*pair)).count();
    if matched == form.len() {
        Some(Found::Whole(start + matched))
    } else {
        (matched == rest.len()).then_some(Found::Part(matched))
    }
}

/// The characters of base64 that stand for this key alone, when so many bytes precede it in its group of three.
fn in_base64(key: &[u8], before: usize) -> [Zeroizing<Vec<u8>>; 2] {
    let bytes = Zeroizing::new([&vec![0; before], key].concat());
    [STANDARD_NO_PAD, URL_SAFE_NO_PAD].map(|alphabet| {
        let text = Zeroizing::new(alphabet.encode(&bytes));
        // A character that also carries bits of a neighbour differs from text to text.
        let first = (before * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        Zeroizing::new(text.as_bytes().get(first..last).unwrap_or_default().to_vec())
    })
}

/// The offset after the character at `at`, if it is `wanted`, as it is or escaped.
fn character(text: &[u8], at: usize, wanted: u8) -> Result<usize, Unlike> {
    let first = *text.get(at).ok_or(Unlike::TextEnds)?;
    let escaped = match first {
        b'\\' => after_backslash(text, at, wanted),
        b'%' => percent(text, at, wanted),
        b'&' => reference(text, at, wanted),
        _ => Err(Unlike::Differs),
    };
    match escaped {
        Err(Unlike::Differs) if first.eq_ignore_ascii_case(&wanted) => Ok(at + 1),
        escaped => escaped,
    }
}

fn after_backslash(text: &[u8], at: usize, wanted: u8) -> Result<usize, Unlike> {
    let layers = text
        .iter()
        .skip(at)
        .take(MOST_LAYERS)
        .take_while(|byte| **byte == b'\\')
        .count();
    let at = at + layers;
    match *text.get(at).ok_or(Unlike::TextEnds)? {
        b'u' | b'U' => number(text, at + 1, 4, wanted),
        b'x' => number(text, at + 1, 2, wanted),
        other if other.eq_ignore_ascii_case(&wanted) => Ok(at + 1),
        _ => Err(Unlike::Differs),
    }
}

fn percent(text: &[u8], at: usize, wanted: u8) -> Result<usize, Unlike> {
    let mut at = at + 1;
    for _ in 0..MOST_LAYERS {
        // `%25` is the sign itself.
        if wanted == b'%' || text.get(at..at + 2) != Some(b"25") {
            break;
        }
        at += 2;
    }
    number(text, at, 2, wanted)
}

/// `wanted` as so many hexadecimal digits.
fn number(text: &[u8], at: usize, digits: usize, wanted: u8) -> Result<usize, Unlike> {
    let mut value = 0;
    for offset in at..at + digits {
        let digit = char::from(*text.get(offset).ok_or(Unlike::TextEnds)?).to_digit(16);
        value = value * 16 + digit.ok_or(Unlike::Differs)?;
    }
    if value == u32::from(wanted) {
        Ok(at + digits)
    } else {
        Err(Unlike::Differs)
    }
}

fn is(value: u32, wanted: u8) -> bool {
    u8::try_from(value).is_ok_and(|value| value.eq_ignore_ascii_case(&wanted))
}

/// `&#115;` or `&#x73;`.
fn reference(text: &[u8], at: usize, wanted: u8) -> Result<usize, Unlike> {
    let mut at = at + 1;
    if *text.get(at).ok_or(Unlike::TextEnds)? != b'#' {
        return Err(Unlike::Differs);
    }
    at += 1;
    let radix = match *text.get(at).ok_or(Unlike::TextEnds)? {
        b'x' | b'X' => {
            at += 1;
            16
        }
        _ => 10,
    };
    let mut value = 0_u32;
    for _ in 0..=MOST_DIGITS {
        let byte = *text.get(at).ok_or(Unlike::TextEnds)?;
        at += 1;
        if byte == b';' {
            return if is(value, wanted) {
                Ok(at)
            } else {
                Err(Unlike::Differs)
            };
        }
        value = value * radix + char::from(byte).to_digit(radix).ok_or(Unlike::Differs)?;
    }
    Err(Unlike::Differs)
}

/// Removes the key from a text that comes in pieces: what may be the beginning of the key waits for the next piece.
#[derive(Default)]
pub(crate) struct KeyFilter {
    forms: Option<KeyForms>,
    held: String,
    /// How many were removed.
    removed: usize,
}

impl KeyFilter {
    pub(crate) fn new(key: Option<&ApiKey>) -> Self {
        Self {
            forms: key.and_then(KeyForms::of),
            ..Self::default()
        }
    }

    /// What may be shown now.
    pub(crate) fn push(&mut self, text: String) -> String {
        let Some(forms) = &self.forms else {
            return text;
        };
        let mut all = std::mem::take(&mut self.held) + &text;
        self.removed += forms.remove(&mut all);
        self.held = all.split_off(forms.open(&all));
        all
    }

    /// The rest, when no more text comes.
    pub(crate) fn rest(&mut self) -> String {
        let mut held = std::mem::take(&mut self.held);
        if let Some(forms) = &self.forms {
            self.removed += forms.remove_from_end(&mut held);
        }
        held
    }

    /// Removes the key from a text that is whole.
    pub(crate) fn text(&mut self, text: &mut String) {
        self.removed += self.forms.as_ref().map_or(0, |forms| forms.remove(text));
    }

    /// Removes the key from a call.
    pub(crate) fn call(&mut self, call: &mut ToolCall) {
        self.text(&mut call.id);
        self.text(&mut call.name);
        self.removed += self
            .forms
            .as_ref()
            .map_or(0, |forms| forms.remove_from_json(&mut call.arguments));
    }

    /// Removes the key from what ends a reply.
    pub(crate) fn ending(&mut self, finish: &mut FinishReason, model: &mut String, request_id: Option<&mut String>) {
        if let FinishReason::Other(raw) = finish {
            self.text(raw);
        }
        self.text(model);
        if let Some(id) = request_id {
            self.text(id);
        }
    }

    /// Removes the key from a whole reply, and says so in it.
    pub(crate) fn response(&mut self, response: &mut Response) {
        self.text(&mut response.text);
        for call in &mut response.tool_calls {
            self.call(call);
        }
        self.ending(
            &mut response.finish_reason,
            &mut response.model,
            response.request_id.as_mut(),
        );
        response.notices.extend(self.notice());
    }

    /// What the artist is told when the key was in a reply.
    pub(crate) fn notice(&self) -> Option<Notice> {
        (self.removed > 0).then(|| Notice {
            code: Code::SecretRedacted,
            text: "The reply repeated your API key; it was removed. Do you trust this server?".to_owned(),
        })
    }
}

/// Changes every text of a document, names of fields included; returns the sum of the results of `change`. Without recursion, since
/// the document may be foreign.
pub(crate) fn each_string(value: &mut Value, change: &mut dyn FnMut(&mut String) -> usize) -> usize {
    let mut open = vec![value];
    let mut sum = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => sum += change(text),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                sum += each_name(fields, change);
                open.extend(fields.values_mut());
            }
            _ => {}
        }
    }
    sum
}

fn each_name(fields: &mut Map<String, Value>, change: &mut dyn FnMut(&mut String) -> usize) -> usize {
    let mut names: Vec<String> = fields.keys().cloned().collect();
    let sum = names.iter_mut().map(&mut *change).sum();
    if sum > 0 {
        let old = std::mem::take(fields);
        for (mut name, (_, value)) in names.into_iter().zip(old) {
            // Nothing is lost where two names become one.
            while fields.contains_key(&name) {
                name.push('_');
            }
            fields.insert(name, value);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-very/secret+42";

    fn forms() -> KeyForms {
        KeyForms::of(&ApiKey::new(KEY).unwrap()).unwrap()
    }

    fn removed(text: &str) -> String {
        let mut text = text.to_owned();
        forms().remove(&mut text);
        text
    }

    fn each(write: impl Fn(u8) -> String) -> String {
        KEY.bytes().map(write).collect()
    }

    /// Every way of writing the key that servers, parsers and logs have.
    fn written() -> Vec<String> {
        let hex = each(|byte| format!("{byte:02x}"));
        let mut all = vec![
            KEY.to_owned(),
            KEY.to_uppercase(),
            KEY.replacen('s', "\\u0073", 1),
            KEY.replacen('s', "\\\\u0073", 1),
            KEY.replace('/', "\\/"),
            KEY.replace('/', "%2F").replace('+', "%2B"),
            KEY.replace('/', "%252f").replace('+', "%252b"),
            each(|byte| format!("\\u{byte:04X}")),
            each(|byte| format!("\\x{byte:02x}")),
            each(|byte| format!("%{byte:02X}")),
            each(|byte| format!("&#{byte};")),
            each(|byte| format!("&#x{byte:x};")),
            hex.to_uppercase(),
            hex,
        ];
        for before in ["", "a", "ab", "Bearer ", "user:"] {
            for after in ["", "x", "yz"] {
                all.push(STANDARD_NO_PAD.encode(format!("{before}{KEY}{after}")));
                all.push(URL_SAFE_NO_PAD.encode(format!("{before}{KEY}{after}")));
            }
        }
        all
    }

    #[test]
    fn key_is_removed_in_every_way_of_writing_it() {
        for form in written() {
            for (before, after) in [("", ""), ("key ", " is wrong"), ("\"", "\","), ("é", "ü")] {
                let text = removed(&format!("{before}{form}{after}"));
                assert!(text.contains(REDACTED), "{form}");
                assert!(text.starts_with(before) && text.ends_with(after), "{text}");
                assert!(
                    text.len() <= before.len() + after.len() + REDACTED.len() + 40,
                    "{form}: {text}"
                );
            }
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "",
            "sk-very",
            "sk-very/secret+4",
            "s\\u0073",
            "100 % of it & more",
            "%73%6b",
            "\\\\\\",
            "&#115",
            "&#;",
        ] {
            assert_eq!(removed(text), text);
        }
        assert!(KeyForms::of(&ApiKey::new("short").unwrap()).is_none());
    }

    #[test]
    fn quotation_cut_within_the_key_keeps_nothing_of_it() {
        let quoted = |text: &str| {
            let mut text = text.to_owned();
            forms().remove_from_quote(&mut text);
            text
        };
        assert_eq!(quoted("bad sk-very/secret+42: sk-very/sec…"), "bad ***: ***…");
        assert_eq!(quoted("bad key \\u0073k-ver…"), "bad key ***…");
        assert_eq!(quoted("a “sk-very/sec…” for JSON"), "a “***…” for JSON");
        assert_eq!(quoted("bad key sk-ve…"), "bad key sk-ve…", "as short as a word");
    }

    #[test]
    fn secrets_in_field_names_are_removed_too() {
        let mut value = json!({"a": [{KEY: 1, "***": 2}, KEY], "b": {"c": format!("x{KEY}")}});
        assert_eq!(forms().remove_from_json(&mut value), 3);
        assert_eq!(value, json!({"a": [{"***": 1, "***_": 2}, "***"], "b": {"c": "x***"}}));
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        // Quadratic work on these would take minutes.
        for piece in ["\\", "%25", "%", "&#", "&#0", "s", "sk-", "sk-very/secret+4", "7", "c"] {
            let mut text = piece.repeat(400_000 / piece.len());
            assert_eq!(forms().remove(&mut text), 0, "{piece}");
        }
    }

    fn in_pieces(text: &str, sizes: &[usize]) -> String {
        let mut filter = KeyFilter::new(Some(&ApiKey::new(KEY).unwrap()));
        let (mut out, mut rest, mut sizes) = (String::new(), text, sizes.iter().cycle());
        while !rest.is_empty() {
            let mut size = (*sizes.next().unwrap()).min(rest.len());
            while !rest.is_char_boundary(size) {
                size += 1;
            }
            let (piece, after) = rest.split_at(size);
            out += &filter.push(piece.to_owned());
            rest = after;
        }
        out + &filter.rest()
    }

    #[test]
    fn text_in_pieces_is_held_back_no_longer_than_it_must() {
        let mut filter = KeyFilter::new(Some(&ApiKey::new(KEY).unwrap()));
        assert_eq!(filter.push("Adding a sk".into()), "Adding a ");
        assert_eq!(filter.push("y box".into()), "sky box");
        assert_eq!(filter.push(" sk-very/secret".into()), " ");
        assert_eq!(
            (filter.rest(), filter.removed),
            (REDACTED.to_owned(), 1),
            "it ended within the key"
        );
    }

    proptest! {
        #[test]
        fn key_in_pieces_is_found_as_in_the_whole(
            form in 0..44_usize, before in "[a-z é]{0,8}", after in "[a-z é]{0,8}", sizes in proptest::collection::vec(1..9_usize, 1..6)
        ) {
            let all = written();
            let text = format!("{before}{}{after}", all[form % all.len()]);
            prop_assert_eq!(in_pieces(&text, &sizes), removed(&text));
        }

        #[test]
        fn any_text_in_pieces_is_the_whole_text(text in "[sk\\\\%&#u07v. é-]{0,80}", sizes in proptest::collection::vec(1..9_usize, 1..6)) {
            prop_assert_eq!(in_pieces(&text, &sizes), removed(&text));
        }
    }
}

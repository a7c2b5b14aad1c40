//! Removes secrets from text: configured keys, anything that looks like a key, and folders that name a person. Linear in the text.

use std::ops::Range;

use serde_json::Value;

use crate::keys::from_environment;
use crate::leak::{KeyForms, each_string};
use crate::providers::Provider;
use crate::secret::{ApiKey, REDACTED};

/// Prefixes of the keys and tokens of known services, with their least length.
const PREFIXES: [(&str, usize); 21] = [
    ("sk-", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("pk_live_", 20),
    ("rk_live_", 20),
    ("AIza", 35),
    ("AKIA", 20),
    ("ASIA", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 22),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("hf_", 20),
    ("gsk_", 20),
    ("xai-", 20),
    ("nvapi-", 20),
    ("pplx-", 20),
];
/// Words whose value is a secret, when `=` or `:` follows; compared without case.
const NAMES: [&str; 9] = [
    "api_key",
    "apikey",
    "api-key",
    "access_token",
    "auth_token",
    "client_secret",
    "secret_key",
    "password",
    "passwd",
];
/// Minimum length of a value after one of these names.
const SHORTEST_VALUE: usize = 8;
/// Minimum length after the word `Bearer`.
const SHORTEST_BEARER: usize = 16;
/// Minimum length of a signed token of three parts.
const SHORTEST_JWT: usize = 40;
/// Characters examined to decide whether a value after a name is a secret.
const VALUE_HEAD: usize = 256;
/// How the first line of a private key ends.
const ARMOUR: &[u8] = b"PRIVATE KEY-----";
/// Longest first line of the armour of a private key.
const ARMOUR_HEAD: usize = 64;
/// Folders above the one that carries a person's name.
const HOMES: [&str; 4] = ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\"];

/// A detector of secrets, with the keys of this run.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    keys: Vec<ApiKey>,
}

impl Redactor {
    /// Also removes these keys, whatever their form.
    pub fn new(keys: impl IntoIterator<Item = ApiKey>) -> Self {
        Self {
            keys: keys.into_iter().collect(),
        }
    }

    /// Also removes this key, and those that the environment holds for any provider.
    pub fn with_environment(key: Option<&ApiKey>) -> Self {
        let environment = Provider::ALL
            .iter()
            .filter_map(|provider| from_environment(provider.key_variables()))
            .filter_map(|(_, key)| ApiKey::new(key).ok());
        Self::new(key.cloned().into_iter().chain(environment))
    }

    /// Removes the configured keys, however they are written; returns how many there were.
    pub fn keys(&self, text: &mut String) -> usize {
        self.keys
            .iter()
            .filter_map(KeyForms::of)
            .map(|forms| forms.remove(text))
            .sum()
    }

    /// Removes everything that looks like a secret; returns how many there were.
    pub fn all(&self, text: &mut String) -> usize {
        self.scan(text, true)
    }

    /// The same, except names of folders: an artist may mean a file.
    pub fn secrets(&self, text: &mut String) -> usize {
        self.scan(text, false)
    }

    fn scan(&self, text: &mut String, homes: bool) -> usize {
        let mut count = self.keys(text);
        let mut out = String::new();
        let mut done = 0;
        let mut scan = Scan::new(text, homes);
        while let Some((range, with)) = scan.next() {
            count += 1;
            out.push_str(text.get(done..range.start).unwrap_or_default());
            out.push_str(with);
            done = range.end;
        }
        if done > 0 {
            out.push_str(text.get(done..).unwrap_or_default());
            *text = out;
        }
        count
    }

    /// The same for every text of a document, names of fields included.
    pub fn json(&self, value: &mut Value) -> usize {
        each_string(value, &mut |text| self.all(text))
    }
}

/// A run of characters that tokens are made of, remembered so that no text is read twice.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    end: usize,
    /// Offset after its last digit; 0 when it has none.
    digit: usize,
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Whether names of folders count.
    homes: bool,
    at: usize,
    run: Run,
    /// End of the run in which no signed token begins.
    unsigned: usize,
}

fn of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, homes: bool) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            homes,
            at: 0,
            run: Run::default(),
            unsigned: 0,
        }
    }

    /// The next secret and its replacement.
    fn next(&mut self) -> Option<(Range<usize>, &'static str)> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let begins = self.at == 0 || !self.before().is_ascii_alphanumeric();
            let found = match byte {
                b'-' => self.private_key(),
                b':' => self.user_info(),
                b'/' | b'\\' if self.homes => self.home(),
                b'e' if begins => self.signed().or_else(|| self.token()),
                b'B' | b'b' if begins => self.bearer(),
                _ if begins && byte.is_ascii_alphabetic() => self.token().or_else(|| self.named()),
                _ => None,
            };
            if let Some((range, with)) = found {
                self.at = range.end.max(self.at + 1);
                self.run = Run::default();
                return Some((range, with));
            }
            self.at += 1;
        }
        None
    }

    fn before(&self) -> u8 {
        self.bytes.get(self.at.wrapping_sub(1)).copied().unwrap_or(b' ')
    }

    fn rest(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn length(&self, at: usize, of: impl Fn(u8) -> bool) -> usize {
        self.rest(at).iter().take_while(|byte| of(**byte)).count()
    }

    /// The run of token characters that contains `self.at`.
    fn run(&mut self) -> Run {
        if self.at >= self.run.end {
            let end = self.at + self.length(self.at, of_token);
            let run = self.bytes.get(self.at..end).unwrap_or_default();
            let digit = run
                .iter()
                .rposition(u8::is_ascii_digit)
                .map_or(0, |index| self.at + index + 1);
            self.run = Run { end, digit };
        }
        self.run
    }

    /// `sk-…` and its like: long enough, with a digit.
    fn token(&mut self) -> Option<(Range<usize>, &'static str)> {
        let rest = self.rest(self.at);
        let (_, least) = PREFIXES
            .iter()
            .find(|(prefix, _)| rest.starts_with(prefix.as_bytes()))?;
        let Run { end, digit } = self.run();
        (end - self.at >= *least && digit > self.at).then_some((self.at..end, REDACTED))
    }

    /// A signed token: three parts with dots between.
    fn signed(&mut self) -> Option<(Range<usize>, &'static str)> {
        if !self.rest(self.at).starts_with(b"eyJ") {
            return None;
        }
        let first = self.run().end;
        if first == self.unsigned {
            return None;
        }
        // A later beginning in the same run has the same parts behind it, and is shorter.
        self.unsigned = first;
        let mut end = first;
        for _ in 0..2 {
            if self.bytes.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
            end += self.length(end, of_token);
        }
        (end - self.at >= SHORTEST_JWT).then_some((self.at..end, REDACTED))
    }

    /// The token after `Bearer `.
    fn bearer(&self) -> Option<(Range<usize>, &'static str)> {
        let word = self.rest(self.at).get(..7)?;
        if !word.eq_ignore_ascii_case(b"bearer ") {
            return None;
        }
        let begin = self.at + 7;
        let length = self.length(begin, |byte| {
            of_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=')
        });
        (length >= SHORTEST_BEARER).then_some((begin..begin + length, REDACTED))
    }

    /// `password: …`, `"api_key": "…"`, `apikey=…`: the value, if it has a digit.
    fn named(&self) -> Option<(Range<usize>, &'static str)> {
        let rest = self.rest(self.at);
        let fits = |name: &&&str| {
            rest.get(..name.len())
                .is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
        };
        let name = NAMES.iter().find(fits)?;
        let mut at = self.at + name.len();
        at += self.length(at, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(2);
        at += self.length(at, |byte| byte == b' ').min(2);
        if !matches!(self.bytes.get(at), Some(b'=' | b':')) {
            return None;
        }
        at += 1;
        at += self.length(at, |byte| byte == b' ').min(2);
        at += self.length(at, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(2);
        let of_value = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b',' | b';' | b'&' | b'\\');
        let head: Vec<u8> = self
            .rest(at)
            .iter()
            .copied()
            .take(VALUE_HEAD)
            .take_while(|byte| of_value(*byte))
            .collect();
        if head.len() < SHORTEST_VALUE || !head.iter().any(u8::is_ascii_digit) {
            return None;
        }
        Some((at..at + self.length(at, of_value), REDACTED))
    }

    /// A private key in its usual armour, to its end or that of the text.
    fn private_key(&self) -> Option<(Range<usize>, &'static str)> {
        if !self.rest(self.at).starts_with(b"-----BEGIN ") {
            return None;
        }
        let head = self.rest(self.at).get(..ARMOUR_HEAD).unwrap_or(self.rest(self.at));
        if !head.windows(ARMOUR.len()).any(|window| window == ARMOUR) {
            return None;
        }
        let body = self.text.get(self.at..)?;
        let end = body.find("-----END ").map_or(body.len(), |end| {
            let tail = body.get(end + 9..).unwrap_or_default();
            tail.find("-----").map_or(body.len(), |close| end + 9 + close + 5)
        });
        Some((self.at..self.at + end, REDACTED))
    }

    /// User name and password in an address.
    fn user_info(&self) -> Option<(Range<usize>, &'static str)> {
        if !self.rest(self.at).starts_with(b"://") {
            return None;
        }
        let begin = self.at + 3;
        let of_authority = |byte: u8| {
            byte.is_ascii_graphic() && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'\\')
        };
        let length = self.length(begin, of_authority);
        let authority = self.bytes.get(begin..begin + length)?;
        let at = authority.iter().rposition(|byte| *byte == b'@')?;
        (at > 0).then_some((begin..begin + at, REDACTED))
    }

    /// A folder that carries a person's name.
    fn home(&self) -> Option<(Range<usize>, &'static str)> {
        let rest = self.rest(self.at);
        let above = HOMES.iter().find(|home| rest.starts_with(home.as_bytes()))?;
        let begin = self.at + above.len();
        let of_name = |byte: u8| {
            !(byte.is_ascii_control() || matches!(byte, b'/' | b'\\' | b'"' | b'\'' | b'<' | b'>' | b':' | b','))
        };
        let length = self.length(begin, of_name);
        // A name in prose ends with its word; one with spaces is one only when the path goes on.
        let goes_on = matches!(self.bytes.get(begin + length), Some(b'/' | b'\\'));
        let length = if goes_on {
            length
        } else {
            self.length(begin, |byte| of_name(byte) && byte != b' ')
        };
        (length > 0).then_some((begin..begin + length, REDACTED))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn all(text: &str) -> String {
        let mut text = text.to_owned();
        Redactor::default().all(&mut text);
        text
    }

    /// Built from pieces, so that no scanner takes this file for a leak.
    fn key(prefix: &str) -> String {
        format!("{prefix}{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7")
    }

    #[test]
    fn everything_that_looks_like_a_secret_is_removed() {
        let jwt = format!(
            "eyJ{}.{}.{}",
            "hbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"
        );
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----";
        for (text, expected) in [
            (format!("key {} end", key("sk-")), "key *** end".to_owned()),
            (format!("({}).", key("sk-ant-api03-")), "(***).".into()),
            (format!("\"{}\"", key("AIza")), "\"***\"".into()),
            (key("ghp_"), REDACTED.into()),
            (key("github_pat_"), REDACTED.into()),
            (format!("see {jwt}, ok"), "see ***, ok".into()),
            (
                format!("Authorization: Bearer {}", key("")),
                "Authorization: Bearer ***".into(),
            ),
            ("https://me:pw@host/v1".into(), "https://***@host/v1".into()),
            ("password: hunter2hunter2".into(), "password: ***".into()),
            (r#"{"api_key":"abcdef123456"}"#.into(), r#"{"api_key":"***"}"#.into()),
            (
                r#"{\"api_key\":\"abcdef123456\"}"#.into(),
                r#"{\"api_key\":\"***\"}"#.into(),
            ),
            (format!("a {pem} b"), "a *** b".into()),
            ("/home/ada/scene.blend".into(), "/home/***/scene.blend".into()),
            (r"C:\Users\Ada Lovelace\x.blend".into(), r"C:\Users\***\x.blend".into()),
            (r"C:\\Users\\Ada\\x.blend".into(), r"C:\\Users\\***\\x.blend".into()),
            ("in /Users/ada and more".into(), "in /Users/*** and more".into()),
        ] {
            assert_eq!(all(&text), expected);
        }
    }

    #[test]
    fn folders_stay_where_a_file_may_be_meant() {
        let mut text = format!("use /home/ada/rock.png with {}", key("sk-"));
        assert_eq!(Redactor::default().secrets(&mut text), 1);
        assert_eq!(text, "use /home/ada/rock.png with ***");
    }

    #[test]
    fn ordinary_words_are_not_redacted() {
        for text in [
            "scatter 200 rocks on the plane",
            "sk-eleton of a dragon with 12 bones",
            "task-force-1234567890-and-more-words-here",
            "the password is a secret: none",
            "bearer of the ring 1234567890123456789",
            "GeometryNodeDistributePointsOnFaces",
            "/home/",
            "see http://host/a@b",
            "eyJ.x.y",
            "-----BEGIN CERTIFICATE-----",
            "",
            "ärger mit /Homes/ada",
        ] {
            assert_eq!(all(text), text);
        }
    }

    #[test]
    fn the_configured_keys_are_removed_whatever_their_form() {
        let redactor = Redactor::new([ApiKey::new("plain-words").unwrap()]);
        let mut text = "take plain-words, plain-words and rest".to_owned();
        assert_eq!(redactor.keys(&mut text), 2);
        assert_eq!(text, "take ***, *** and rest");
        let mut value = json!({"a": ["x plain-words", {"b": 1}], "c": key("sk-")});
        assert_eq!(redactor.json(&mut value), 2);
        assert_eq!(value, json!({"a": ["x ***", {"b": 1}], "c": "***"}));
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        // Quadratic work on these would take minutes.
        for piece in [
            "sk-",
            "sk-sk-a1",
            "eyJa.",
            "://",
            "-----BEGIN ",
            "/home/",
            "bearer ",
            "password=",
            "://a@",
        ] {
            let text = piece.repeat(1_000_000 / piece.len());
            assert!(all(&text).len() <= text.len() * 2, "{piece}");
        }
    }

    proptest! {
        #[test]
        fn redaction_removes_every_key_and_is_idempotent(before in "[ -~\n]{0,40}", after in "[ -~\n]{0,40}") {
            let text = format!("{before} {} {after}", key("sk-"));
            let once = all(&text);
            prop_assert!(!once.contains("a1B2c3D4e5F6"), "{once}");
            prop_assert_eq!(all(&once), once);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
            all(&text);
        }
    }
}

//! API keys: a type that cannot be printed, serialised or logged by accident.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::error::ProviderError;

/// The replacement of a redacted key.
pub const REDACTED: &str = "***";

/// Keys shorter than this are not searched for in foreign text: they would blank out ordinary words.
const SHORTEST_REDACTED: usize = 6;

/// An API key. The memory is wiped on drop; `Debug` prints `***`; there is neither `Display` nor `Serialize`.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// A key from the user's input or the environment.
    ///
    /// # Errors
    /// `KeyInvalid` when it contains anything but visible ASCII: line breaks and control characters could forge headers.
    pub fn new(key: impl Into<String>) -> Result<Self, ProviderError> {
        let key = SecretString::from(key.into());
        let visible = |byte: u8| byte.is_ascii_graphic();
        if key.expose_secret().is_empty() || !key.expose_secret().bytes().all(visible) {
            return Err(ProviderError::KeyInvalid);
        }
        Ok(Self(key))
    }

    /// The key itself. Only for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// How often the key occurs in `text`; a key that is too short is not searched.
    pub(crate) fn occurrences(&self, text: &str) -> usize {
        if self.expose().len() < SHORTEST_REDACTED {
            0
        } else {
            text.matches(self.expose()).count()
        }
    }

    /// `text` with every occurrence of the key replaced by `***`: servers like to quote the key in their errors.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.expose().len() < SHORTEST_REDACTED {
            text.to_owned()
        } else {
            text.replace(self.expose(), REDACTED)
        }
    }
}

impl ApiKey {
    /// The same for a quotation that may have been cut in the middle of the key, with `…` at its end.
    pub(crate) fn redact_quote(&self, text: &str) -> String {
        let whole = self.redact(text);
        let Some(head) = whole.strip_suffix('…') else {
            return whole;
        };
        let cut = (SHORTEST_REDACTED..self.expose().len())
            .rev()
            .find_map(|length| head.strip_suffix(self.expose().get(..length)?));
        match cut {
            Some(head) => format!("{head}{REDACTED}…"),
            None => whole,
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_never_shows_the_key() {
        let key = ApiKey::new("sk-very-secret").unwrap();
        assert_eq!(format!("{key:?} {:#?}", Some(&key)), "*** Some(\n    ***,\n)");
    }

    /// `IS` is true exactly for types that implement the trait: an inherent constant wins over the trait's.
    macro_rules! implements {
        ($type:ty: $($bound:tt)+) => {{
            #[allow(dead_code, reason = "dead exactly where the answer is yes")]
            trait Otherwise {
                const IS: bool = false;
            }
            impl<T> Otherwise for Probe<T> {}
            struct Probe<T>(std::marker::PhantomData<T>);
            #[allow(dead_code, reason = "dead exactly where the answer is no")]
            impl<T: $($bound)+> Probe<T> {
                const IS: bool = true;
            }
            Probe::<$type>::IS
        }};
    }

    #[test]
    fn a_key_can_be_neither_serialised_nor_printed() {
        assert!(
            implements!(String: serde::Serialize) && implements!(String: fmt::Display),
            "the probe sees traits"
        );
        assert!(!implements!(ApiKey: serde::Serialize));
        assert!(!implements!(ApiKey: fmt::Display));
    }

    #[test]
    fn only_visible_ascii_is_a_key() {
        for bad in [
            "",
            "a\nb",
            "a\r\nX-Evil: 1",
            "a\0",
            "tab\t",
            "two words",
            "schlüssel",
            "bell\u{7}",
            "del\u{7f}",
        ] {
            assert!(
                matches!(ApiKey::new(bad), Err(ProviderError::KeyInvalid)),
                "{bad:?} was accepted"
            );
        }
    }

    #[test]
    fn the_key_is_blanked_out_of_foreign_text() {
        let key = ApiKey::new("sk-very-secret").unwrap();
        assert_eq!(key.redact("bad key sk-very-secret!"), "bad key ***!");
        assert_eq!(key.redact_quote("bad sk-very-secret: sk-very-secre…"), "bad ***: ***…");
        assert_eq!(key.redact_quote("bad key sk-ver…"), "bad key ***…");
        assert_eq!(
            key.redact_quote("bad key sk-ve…"),
            "bad key sk-ve…",
            "as short as a word"
        );
    }
}

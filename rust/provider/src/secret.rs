//! API keys: a type that cannot be printed, serialised or logged by accident.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::error::ProviderError;

/// The replacement of a redacted key.
pub const REDACTED: &str = "***";

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

    /// The key itself. Only for the header that carries it, and for looking for it.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
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
}

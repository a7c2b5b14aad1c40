//! The one registry of every code of the product. A code is stable once shipped; its doc line names the cause.

mod registry;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use registry::Code;

/// Further names of codes. A text that is one of them is read as the code; nothing is ever written with it.
///
/// The client's errors and the messages of a run name the same causes; both use the client's names.
pub const ALIASES: &[(&str, Code)] = &[
    ("authentication_missing", Code::AuthMissing),
    ("authorization_failed", Code::AuthFailed),
    ("network_timeout", Code::Timeout),
];

/// The text is not a code of the registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown code {0:?}")]
pub struct UnknownCode(pub String);

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.as_str() == text)
            .or_else(|| ALIASES.iter().find(|(name, _)| *name == text).map(|(_, code)| *code))
            .ok_or_else(|| UnknownCode(text.to_owned()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let all: Vec<&str> = Self::ALL.iter().map(|code| code.as_str()).collect();
        json_schema!({"type": "string", "enum": all, "description": "A stable code."})
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    /// `NoModifierError` → `no_modifier_error`.
    fn snake(variant: &str) -> String {
        let mut out = String::new();
        for c in variant.chars() {
            if c.is_ascii_uppercase() && !out.is_empty() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    }

    #[test]
    fn codes_are_unique_and_derived_from_their_variants() {
        let mut seen = std::collections::HashSet::new();
        assert!(Code::ALL.len() > 100);
        for code in Code::ALL {
            let name = snake(&format!("{code:?}"));
            let expected = if code.section() == "gates" {
                name.to_uppercase()
            } else {
                name
            };
            assert_eq!(code.as_str(), expected);
            assert!(seen.insert(code.as_str()), "{code} is listed twice");
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!(code.doc().ends_with('.'), "{code}: the doc line is a sentence");
            let fix = code.fix();
            assert!(
                fix.ends_with('.') && fix != code.doc(),
                "{code}: the fix is a sentence of its own"
            );
        }
    }

    #[test]
    fn refusals_by_a_rule_are_policy_and_other_failures_are_not() {
        for code in [
            Code::RequestQuota,
            Code::SandboxBreach,
            Code::SchemaNotAllowed,
            Code::TrialFailed,
            Code::UndoUnavailable,
        ] {
            assert!(code.is_policy(), "{code}");
        }
        for code in [Code::GateFailed, Code::UnknownNode, Code::Network] {
            assert!(!code.is_policy(), "{code}");
        }
        let of_scripts = Code::ALL.iter().filter(|code| code.section() == "script");
        assert!(of_scripts.clone().count() > 20);
        for code in of_scripts {
            assert!(code.is_policy(), "{code}");
        }
    }

    #[test]
    fn an_alias_is_read_as_its_code_and_is_not_itself_a_code() {
        for (name, code) in super::ALIASES {
            assert_eq!(name.parse(), Ok(*code));
            assert!(Code::ALL.iter().all(|code| code.as_str() != *name), "{name}");
        }
    }

    #[test]
    fn codes_are_alphabetical_within_each_section() {
        for pair in Code::ALL
            .windows(2)
            .filter(|pair| pair[0].section() == pair[1].section())
        {
            assert!(
                format!("{:?}", pair[0]) < format!("{:?}", pair[1]),
                "{} stands before {}",
                pair[0],
                pair[1]
            );
        }
    }
}

//! The types that a setting can have, and how a value of each is read.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// Which scripts may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scripts {
    /// None.
    Off,
    /// Those that safe mode accepts.
    #[default]
    Safe,
    /// Also those that ask to run without the limits of safe mode, each confirmed by the artist.
    Trusted,
}

impl Scripts {
    /// The names of the variants.
    pub(super) const WORDS: [Word; 3] = [
        Word {
            name: "off",
            title: "Off",
            about: "Plans that contain Python scripts are refused",
        },
        Word {
            name: "safe",
            title: "Safe Mode",
            about: "Scripts may build and edit, but cannot reach files, the network or preferences. Each one is shown to you before \
                    it runs",
        },
        Word {
            name: "trusted",
            title: "Safe and Trusted",
            about: "A plan may also contain scripts without any limits. They can do whatever you can do on this computer. Each one \
                    runs only after you have read and approved it",
        },
    ];
}

/// Which scripts of safe mode are tried in the sandbox before they can be approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trials {
    /// Each.
    #[default]
    Always,
    /// Those that remove data, are long, or run where nobody reads them.
    InDoubt,
    /// None.
    Never,
}

impl Trials {
    /// The words for it.
    pub(super) const WORDS: [Word; 3] = [
        Word {
            name: "always",
            title: "Always",
            about: "Every script is tried before you can approve it",
        },
        Word {
            name: "in_doubt",
            title: "When in Doubt",
            about: "Only scripts that remove data, are long, or run without anyone reading them first",
        },
        Word {
            name: "never",
            title: "Never",
            about: "Scripts are not tried first; the other protections still apply",
        },
    ];
}

/// A value of a setting that is a word. In JSON it is its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The word itself.
    pub name: &'static str,
    /// Its label for the artist.
    pub title: &'static str,
    /// What it means, without a full stop at its end.
    pub about: &'static str,
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// A type that a setting can have.
pub(super) trait Kind: Sized + Serialize {
    const NAME: &'static str;
    const WANTED: &'static str;
    /// The words that it can be; none where it is not a word.
    const WORDS: &'static [Word] = &[];
    fn read(value: &Value) -> Option<Self>;
    fn number(&self) -> Option<f64>;
}

impl Kind for u64 {
    const NAME: &'static str = "integer";
    const WANTED: &'static str = "a whole number";
    fn read(value: &Value) -> Option<Self> {
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and within u32 by the guard"
        )]
        (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u64)
    }
    #[expect(clippy::cast_precision_loss, reason = "read() bounds it to 32 bits")]
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Kind for f64 {
    const NAME: &'static str = "number";
    const WANTED: &'static str = "a number";
    fn read(value: &Value) -> Option<Self> {
        value.as_f64()
    }
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Kind for bool {
    const NAME: &'static str = "bool";
    const WANTED: &'static str = "true or false";
    fn read(value: &Value) -> Option<Self> {
        value.as_bool()
    }
    fn number(&self) -> Option<f64> {
        None
    }
}

impl Kind for Scripts {
    const NAME: &'static str = "word";
    const WANTED: &'static str = "\"off\", \"safe\" or \"trusted\"";
    const WORDS: &'static [Word] = &Scripts::WORDS;
    fn read(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
    fn number(&self) -> Option<f64> {
        None
    }
}

impl Kind for Trials {
    const NAME: &'static str = "word";
    const WANTED: &'static str = "\"always\", \"in_doubt\" or \"never\"";
    const WORDS: &'static [Word] = &Trials::WORDS;
    fn read(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
    fn number(&self) -> Option<f64> {
        None
    }
}

impl<T: Kind> Kind for Option<T> {
    const NAME: &'static str = T::NAME;
    const WANTED: &'static str = T::WANTED;
    const WORDS: &'static [Word] = T::WORDS;
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() {
            Some(None)
        } else {
            T::read(value).map(Some)
        }
    }
    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Kind::number)
    }
}

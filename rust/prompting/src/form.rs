//! What a request asks for and how much it may hold, by the length that the model reads.

/// Windows below this get the small form, in tokens; the whole form of a request and a plan have at most about half of it.
const SMALL_BELOW: u64 = 12_000;
/// Windows below this get the smallest form, in tokens.
const TINY_BELOW: u64 = 6_000;

/// What a model is taught to answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The plan as JSON: something holds it to the plan's schema.
    Plan,
    /// A page in a fence, where one is enough: nothing constrains the reply, and text within JSON only adds mistakes.
    Page,
    /// A page of one term, or one with open values: a grammar holds the reply to it.
    Term,
}

/// The form of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Everything, with tools.
    Whole,
    /// Everything without tools, and a small scene, for a window of about 8,000 tokens.
    Small,
    /// The least that a plan needs, for a window of about 4,000 tokens.
    Tiny,
}

impl Form {
    /// The form for a window, which is long where nobody says how long it is.
    pub const fn of(window: Option<u64>) -> Self {
        match window {
            Some(window) if window < TINY_BELOW => Self::Tiny,
            Some(window) if window < SMALL_BELOW => Self::Small,
            Some(_) | None => Self::Whole,
        }
    }

    /// The form for an answer: what is held to a grammar needs little said.
    pub const fn for_answer(answer: Answer, window: Option<u64>) -> Self {
        match answer {
            Answer::Term => Self::Tiny,
            Answer::Plan | Answer::Page => Self::of(window),
        }
    }

    /// Whether tools are offered.
    pub const fn tools(self) -> bool {
        matches!(self, Self::Whole)
    }

    /// Most tokens of the scene, if the artist allows more.
    pub(crate) const fn scene(self) -> u64 {
        match self {
            Self::Whole => u64::MAX,
            Self::Small => 1_000,
            Self::Tiny => 400,
        }
    }

    /// Most bytes of the documentation of nodes.
    pub(crate) const fn nodes(self) -> usize {
        match self {
            Self::Whole => 1_900,
            Self::Small => 1_200,
            Self::Tiny => 600,
        }
    }

    /// Most bytes of a ready page whose values are open.
    pub(crate) const fn ready(self) -> usize {
        self.examples() * 6
    }

    /// Most bytes of the examples.
    pub(crate) const fn examples(self) -> usize {
        match self {
            Self::Whole => 2_200,
            Self::Small => 1_600,
            Self::Tiny => 1_100,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_follows_the_window() {
        let windows = [None, Some(128_000), Some(12_000), Some(8_192), Some(4_096), Some(512)];
        assert_eq!(
            windows.map(Form::of),
            [
                Form::Whole,
                Form::Whole,
                Form::Whole,
                Form::Small,
                Form::Tiny,
                Form::Tiny
            ]
        );
        assert!(Form::Whole.tools() && !Form::Small.tools());
    }
}

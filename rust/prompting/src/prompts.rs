//! The texts of `prompts/`, embedded.

macro_rules! prompts {
    ($($(#[doc = $doc:literal])+ $name:ident = $file:literal,)+) => {
        $($(#[doc = $doc])+ pub(crate) const $name: &str = include_str!(concat!("../prompts/", $file, ".md"));)+

        /// Every text by the name of its file, without the extension.
        pub const PROMPTS: &[(&str, &str)] = &[$(($file, $name),)+];
    };
}

prompts! {
    /// The heading of the examples, which follow.
    EXAMPLES = "examples",
    /// Introduces operations and step types that were added.
    EXTENSIONS = "extensions",
    /// The last plan was refused, or gates failed.
    FEEDBACK = "feedback",
    /// What was measured on the result of the last plan.
    FIGURES = "figures",
    /// No further call of a tool is possible.
    LAST_TURN = "last_turn",
    /// The artist left operations out.
    LEFT_OUT = "left_out",
    /// The answer as a page.
    PAGE = "page",
    /// How trees are written: the language of pages.
    PAGES = "pages",
    /// Steps were applied and the plan is not done.
    PROGRESS = "progress",
    /// How a script is written; the names that it may use follow.
    PYTHON = "python",
    /// The artist rejected the plan.
    REJECTED = "rejected",
    /// What was repaired in the last plan.
    REPAIRS = "repairs",
    /// How more context is asked for where no tools are offered.
    REQUESTS = "requests",
    /// What holds for every plan.
    RULES = "rules",
    /// The slices of context that were asked for follow.
    SLICES = "slices",
    /// Pages in short, for a model that can read little.
    SMALL = "small",
    /// The answer as a page, in short.
    SMALL_PAGE = "small_page",
    /// The answer as a plan, in short.
    SMALL_PLAN = "small_plan",
    /// The answer as a plan.
    SYSTEM = "system",
    /// The answer as a page of one term.
    TERM = "term",
    /// Results of tools, for a model that does not support tools.
    TOOL_RESULTS = "tool_results",
    /// Tools are offered.
    TOOLS = "tools",
    /// How the trees of the context are read.
    TREES = "trees",
}

/// The text of that name, if there is one.
pub fn prompt(name: &str) -> Option<&'static str> {
    PROMPTS
        .iter()
        .find_map(|(known, text)| (*known == name).then_some(*text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_file_is_registered_and_not_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let registered: Vec<String> = PROMPTS.iter().map(|(name, _)| format!("{name}.md")).collect();
        assert_eq!(files, registered);
        for (name, text) in PROMPTS {
            assert!(!text.trim().is_empty(), "{name}");
            assert_eq!(prompt(name), Some(*text));
        }
    }
}

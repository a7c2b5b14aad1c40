//! How much a server reads, from its refusal of a request that was too long.

use serde_json::{Map, Value};

use super::error_body::text;

/// Fields that hold the length of the context that the server serves.
const SERVED: [&str; 8] = [
    "n_ctx",
    "num_ctx",
    "context_length",
    "max_context_length",
    "max_model_len",
    "context_window",
    "context_size",
    "max_input_tokens",
];

/// Fields that hold the length of the request, as the server counted it.
const ASKED: [&str; 4] = ["n_prompt_tokens", "prompt_tokens", "input_tokens", "n_keep"];

/// Words right before the length of the context, up to what [`FILLING`] passes over.
const BEFORE: [&str; 16] = [
    "context length is",
    "context length of",
    "context window is",
    "context window of",
    "context size is",
    "context size of",
    "context length",
    "context window",
    "context size",
    "n_ctx",
    "num_ctx",
    "allowed",
    "must be <",
    "at most",
    "limit of",
    "limit is",
];

/// Words right after it.
const AFTER: [&str; 5] = [
    "maximum context",
    "token context",
    "tokens maximum",
    "maximum",
    "token limit",
];

/// What may stand between such words and the number.
const FILLING: [char; 10] = [' ', ':', '=', '(', '`', '\'', '"', '[', '~', '*'];

/// Shorter contexts are not served: such a number means something else.
const LEAST: u64 = 128;

/// Tokens of the context that the server serves; none if its refusal does not say.
pub(super) fn served(error: &Map<String, Value>) -> Option<u64> {
    let plausible = |count: &u64| *count >= LEAST;
    field(error, &SERVED).filter(plausible).or_else(|| {
        let words = text(error, "message").to_ascii_lowercase();
        let numbers = numbers(&words);
        let said = |near: &dyn Fn(&Number<'_>) -> bool| {
            numbers
                .iter()
                .find(|number| number.count >= LEAST && near(number))
                .map(|number| number.count)
        };
        let before = BEFORE
            .iter()
            .find_map(|anchor| said(&|number| number.before.ends_with(anchor)));
        let after = || {
            AFTER
                .iter()
                .find_map(|anchor| said(&|number| number.after.starts_with(anchor)))
        };
        before.or_else(after)
    })
}

/// Tokens of the request, as the server counted them.
pub(super) fn asked(error: &Map<String, Value>) -> Option<u64> {
    field(error, &ASKED)
}

fn field(error: &Map<String, Value>, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| match error.get(*name)? {
        Value::String(digits) => digits.parse().ok(),
        number => number.as_u64(),
    })
}

/// A number in a text, with the words on both sides of it.
struct Number<'a> {
    before: &'a str,
    count: u64,
    after: &'a str,
}

fn numbers(words: &str) -> Vec<Number<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = words.get(at..).and_then(|rest| rest.find(|c: char| c.is_ascii_digit())) {
        let start = at + start;
        let rest = words.get(start..).unwrap_or_default();
        // Thousands may be set apart: 32,768 or 32_768.
        let inside = |(index, c): (usize, char)| {
            let grouped = matches!(c, ',' | '_')
                && rest
                    .get(index + 1..index + 4)
                    .is_some_and(|group| group.bytes().all(|byte| byte.is_ascii_digit()));
            (!c.is_ascii_digit() && !grouped).then_some(index)
        };
        let length = rest.char_indices().find_map(inside).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(length);
        let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
        let before = words.get(..start).unwrap_or_default().trim_end_matches(FILLING);
        // “of only 4096”
        let before = before.strip_suffix("only").unwrap_or(before).trim_end_matches(FILLING);
        let before = before
            .strip_suffix("tokens")
            .unwrap_or(before)
            .trim_end_matches(FILLING);
        found.extend(digits.parse().ok().map(|count| Number {
            before,
            count,
            after: after.trim_start_matches(FILLING),
        }));
        at = start + length;
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_served_length_is_found_in_fields_and_words() {
        let said = [
            (
                "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
                Some(8192),
            ),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            (
                "The input token count (9000) exceeds the maximum number of tokens allowed (8000).",
                Some(8000),
            ),
            (
                "Trying to keep the first 5123 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
                Some(4096),
            ),
            (
                "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5120>= n_ctx: 4096).",
                Some(4096),
            ),
            (
                "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
                Some(4097),
            ),
            (
                "Prompt contains 40000 tokens, too large for model with 32,768 maximum context length",
                Some(32_768),
            ),
            (
                "the request exceeds the available context size. try increasing the context size or enable context shift",
                None,
            ),
            (
                "the request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
                Some(4096),
            ),
            ("input length exceeds the context length", None),
            ("maximum context length is 12", None),
            ("context length is 99999999999999999999999", None),
        ];
        for (words, expected) in said {
            let error = json!({ "message": words });
            assert_eq!(served(error.as_object().unwrap()), expected, "{words}");
        }
        let fields = json!({"n_ctx": 4096, "n_prompt_tokens": 5000, "message": "context length is 9999"});
        let fields = fields.as_object().unwrap();
        assert_eq!((served(fields), asked(fields)), (Some(4096), Some(5000)));
    }
}

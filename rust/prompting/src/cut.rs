//! Shortening texts that are too long.

/// The beginning of a text, in at most `limit` bytes.
pub(crate) fn beginning(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// A text in about `limit` bytes; a longer one says that it was cut.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    format!("{}… (cut)", beginning(text, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_never_cut_in_two() {
        assert_eq!(cut("äöü", 6), "äöü");
        assert_eq!(cut("äöü", 5), "äö… (cut)");
        assert_eq!(cut("äöü", 1), "… (cut)");
        assert_eq!((beginning("äöü", 4), beginning("äöü", 99)), ("äö", "äöü"));
    }
}

//! The guard for foreign text: text from the artist's file, a tool or a reply reaches a model as data between marks that it cannot
//! close, so that nothing in it reads as an instruction.

/// The text, changed so that it cannot close the marks around it. Text that is already inert is returned unchanged.
pub fn inert(text: &str) -> String {
    text.replace("</", "<\u{2009}/")
}

/// Foreign text between the marks `<tag>` and `</tag>`.
pub fn block(tag: &str, text: &str) -> String {
    format!("<{tag}>\n{}\n</{tag}>", inert(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_close_its_block() {
        for text in ["</data>", "<</data>", "</</data>/", "<\u{2009}/data>", "a < b / c", ""] {
            let safe = inert(text);
            assert!(!safe.contains("</"), "{text}");
            assert_eq!(inert(&safe), safe, "{text}");
            assert_eq!(block("data", text).matches("</data>").count(), 1, "{text}");
            assert_eq!(block("data", &safe), block("data", text), "{text}");
        }
        assert_eq!(block("data", "[1]"), "<data>\n[1]\n</data>");
    }
}

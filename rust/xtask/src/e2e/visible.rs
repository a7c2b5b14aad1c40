//! Text that others wrote, for a terminal or a page: nothing in it is a command to either.

/// The text with U+FFFD in place of each invisible character, as the add-on shows it; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let shown = |c: char| {
        if is_invisible(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// The same as one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

/// Controls, marks of direction and of nothing, other ends of lines, and what is no character.
fn is_invisible(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "a\u{1b}[31mred\u{7}\0\r\u{9b}2J \u{202e}evil \u{2028}b\tc\nd ä 🦀\u{ffff}";
        let shown = visible(text);
        assert_eq!(
            shown,
            "a\u{fffd}[31mred\u{fffd}\u{fffd}\u{fffd}\u{fffd}2J \u{fffd}evil \u{fffd}b\tc\nd ä 🦀\u{fffd}"
        );
        assert_eq!(one_line("a\nb\tc\u{1b}"), "a b c\u{fffd}");
    }
}

//! What nobody can guess.

use std::fmt::Write as _;

/// So many random bytes in hexadecimal.
pub(crate) fn random(bytes: usize) -> Result<String, getrandom::Error> {
    let mut drawn = vec![0_u8; bytes];
    getrandom::fill(&mut drawn)?;
    Ok(drawn.iter().fold(String::new(), |mut text, byte| {
        // Writing to a text never fails.
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    }))
}

//! Tokens of a model, estimated from bytes: nobody but the provider can count them.

/// Bytes that count as one token: on the safe side of what tokenizers make of English and JSON.
const BYTES_PER_TOKEN: u64 = 3;

/// No tokenizer packs more bytes into a token than this on average: what is too long even so is certainly too long.
const MOST_BYTES_PER_TOKEN: u64 = 8;

/// Tokens of so many bytes, on the safe side.
pub const fn tokens_of(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Tokens that so many bytes have at least, however a model counts.
pub const fn fewest_tokens_of(bytes: u64) -> u64 {
    bytes / MOST_BYTES_PER_TOKEN
}

/// Bytes that fit into so many tokens, on the safe side.
pub fn bytes_of(tokens: u64) -> usize {
    usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_on_the_safe_side_at_every_size() {
        for bytes in (0..100).chain([u64::MAX - 1, u64::MAX]) {
            let tokens = tokens_of(bytes);
            assert!(fewest_tokens_of(bytes) <= tokens);
            assert!(tokens.saturating_mul(BYTES_PER_TOKEN) >= bytes);
        }
        assert_eq!((bytes_of(0), bytes_of(8_000)), (0, 24_000));
        assert_eq!(bytes_of(u64::MAX), usize::MAX);
    }
}

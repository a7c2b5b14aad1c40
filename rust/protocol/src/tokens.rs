//! Token counts estimated from bytes; only the provider can count exactly.

/// Bytes that count as one token: a cautious estimate for English and JSON.
const BYTES_PER_TOKEN: u64 = 3;

/// No tokenizer has more bytes per token than this on average: a text that is too long by this measure certainly is.
const MOST_BYTES_PER_TOKEN: u64 = 8;

/// A cautious (high) estimate of the tokens of `bytes`.
pub const fn tokens_of(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The least number of tokens that `bytes` can have with any tokenizer.
pub const fn fewest_tokens_of(bytes: u64) -> u64 {
    bytes / MOST_BYTES_PER_TOKEN
}

/// A cautious (low) estimate of the bytes that fit into `tokens`.
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

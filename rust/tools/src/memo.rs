//! Results of pure tools within a run, bounded in bytes; the oldest are discarded first.

use indexmap::IndexMap;
use serde_json::Value;

/// Remembered results.
#[derive(Debug)]
pub(crate) struct Memo {
    limit: usize,
    held: usize,
    /// Result and its size, by tool, arguments and scene.
    known: IndexMap<String, (Value, usize)>,
}

impl Memo {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            held: 0,
            known: IndexMap::new(),
        }
    }

    pub(crate) fn key(tool: &str, arguments: &str, scene: u64) -> String {
        format!("{tool}\n{scene:016x}\n{arguments}")
    }

    /// The result.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.known.get(key).map(|(value, _)| value)
    }

    /// Remembers a result, unless it alone is too large.
    pub(crate) fn put(&mut self, key: String, value: &Value) {
        let size = key.len() + value.to_string().len();
        if size > self.limit || self.known.contains_key(&key) {
            return;
        }
        while self.held + size > self.limit {
            let Some((_, (_, gone))) = self.known.shift_remove_index(0) else {
                break;
            };
            self.held -= gone;
        }
        self.held += size;
        self.known.insert(key, (value.clone(), size));
    }

    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_memo_is_bounded_and_forgets_the_oldest_results() {
        let mut memo = Memo::new(200);
        let key = |n: usize| Memo::key("t", &n.to_string(), 1);
        for n in 0..50 {
            memo.put(key(n), &json!("x".repeat(30)));
            assert!(memo.held() <= 200);
            assert!(memo.get(&key(n)).is_some());
        }
        assert!(memo.get(&key(0)).is_none());
        memo.put(key(99), &json!("x".repeat(300)));
        assert!(memo.get(&key(99)).is_none(), "too large alone");
        assert!(memo.get(&Memo::key("t", "49", 2)).is_none(), "another scene");
    }
}

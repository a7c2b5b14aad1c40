//! The one aggregator of messages (MSG-1).

use std::collections::HashMap;

use geonode_run::Message;

/// Messages of a run: each text once, the gravest first, otherwise in the order of arrival.
#[derive(Debug, Clone, Default)]
pub struct Messages {
    list: Vec<Message>,
    by_text: HashMap<String, usize>,
}

impl Messages {
    /// Adds a message. Of two with the same text the graver one stays, with its severity and origin.
    pub fn add(&mut self, message: Message) {
        if let Some(known) = self
            .by_text
            .get(&message.text)
            .and_then(|index| self.list.get_mut(*index))
        {
            if message.severity < known.severity {
                *known = message;
            }
            return;
        }
        self.by_text.insert(message.text.clone(), self.list.len());
        self.list.push(message);
    }

    /// All messages, ordered by severity.
    pub fn ordered(&self) -> Vec<Message> {
        let mut list = self.list.clone();
        list.sort_by_key(|message| message.severity);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geonode_protocol::{Code, Severity};
    use geonode_run::Origin;

    #[test]
    fn same_texts_merge_into_the_gravest() {
        let mut messages = Messages::default();
        messages.add(Message::new(Severity::Info, Origin::Plan, Code::Repaired, "a"));
        messages.add(Message::new(Severity::Warning, Origin::Preflight, Code::StaleBase, "b"));
        messages.add(Message::new(Severity::Error, Origin::Gates, Code::NotEmpty, "a"));
        messages.add(Message::new(Severity::Warning, Origin::Plan, Code::Repaired, "a"));
        let list = messages.ordered();
        assert_eq!(list.len(), 2);
        assert_eq!(
            (list[0].severity, list[0].origin, list[0].code),
            (Severity::Error, Origin::Gates, Code::NotEmpty)
        );
        assert_eq!(list[1].text, "b");
    }
}

//! The messages of a run.

use std::collections::HashMap;

use geonode_protocol::{Code, Severity};
use geonode_run::{Message, Origin};
use serde::{Deserialize, Serialize};

/// Most messages of a run; beyond that, the most severe and earliest are kept.
const MAX_MESSAGES: usize = 200;

/// Messages of a run: each once by what it says to artist and planner, the most severe first, otherwise in the order of arrival.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub struct Messages {
    list: Vec<Message>,
    by_text: HashMap<Said, usize>,
    left_out: usize,
}

/// What a message says to the artist, and what it says instead to whoever wrote the plan.
type Said = (String, Option<String>);

fn said(message: &Message) -> Said {
    let planner = message.planner.as_ref().and_then(|told| told.text.clone());
    (message.text.clone(), planner)
}

/// The stored form of messages.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    list: Vec<Message>,
    left_out: usize,
}

impl From<Messages> for Kept {
    fn from(messages: Messages) -> Self {
        Self {
            list: messages.list,
            left_out: messages.left_out,
        }
    }
}

impl From<Kept> for Messages {
    fn from(kept: Kept) -> Self {
        let mut messages = Self {
            left_out: kept.left_out,
            ..Self::default()
        };
        for message in kept.list {
            messages.add(message);
        }
        messages
    }
}

impl Messages {
    /// Adds a message. Of two that say the same, the more severe one is kept, with its severity and origin.
    pub fn add(&mut self, message: Message) {
        let text = said(&message);
        if let Some(known) = self.by_text.get(&text).and_then(|index| self.list.get_mut(*index)) {
            if message.severity < known.severity {
                *known = message;
            }
            return;
        }
        if self.list.len() >= MAX_MESSAGES {
            self.left_out += 1;
            let lightest = self
                .list
                .iter()
                .enumerate()
                .max_by_key(|(_, known)| known.severity)
                .filter(|(_, known)| message.severity < known.severity)
                .map(|(index, _)| index);
            let Some(index) = lightest else { return };
            self.list.remove(index);
            self.by_text = self.list.iter().zip(0..).map(|(m, at)| (said(m), at)).collect();
        }
        self.by_text.insert(text, self.list.len());
        self.list.push(message);
    }

    /// All messages, ordered by severity; the last one says how many were left out.
    pub fn ordered(&self) -> Vec<Message> {
        let mut list = self.list.clone();
        list.sort_by_key(|message| message.severity);
        if self.left_out > 0 {
            let text = format!("{} further messages were left out.", self.left_out);
            list.push(Message::new(Severity::Info, Origin::Run, Code::MoreFindings, text));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use geonode_protocol::Finding;

    use super::*;

    #[test]
    fn equal_texts_merge_into_the_most_severe_message() {
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

    #[test]
    fn mistakes_of_form_stay_apart_by_what_planners_are_told() {
        let mut messages = Messages::default();
        for place in ["/steps/0/a", "/steps/0/b", "/steps/0/a"] {
            let mistake = Finding::error(Code::WrongType, place, format!("{place} is wrong."));
            messages.add(Message::from_finding(Origin::Plan, &mistake));
        }
        let list = messages.ordered();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].text, list[1].text);
        assert!(!list[0].text.contains("/steps"), "artists read no pointers");
    }

    #[test]
    fn the_most_severe_messages_stay_and_the_rest_are_counted() {
        let mut messages = Messages::default();
        let say = |severity, text: String| Message::new(severity, Origin::Plan, Code::Repaired, text);
        for n in 0..MAX_MESSAGES + 10 {
            messages.add(say(Severity::Info, format!("info {n}")));
        }
        for n in 0..3 {
            messages.add(say(Severity::Error, format!("error {n}")));
            messages.add(say(Severity::Warning, format!("warning {n}")));
        }
        let list = messages.ordered();
        assert_eq!(list.len(), MAX_MESSAGES + 1);
        assert!(list[..3].iter().all(|m| m.severity == Severity::Error));
        assert!(list[3..6].iter().all(|m| m.severity == Severity::Warning));
        let rest = list.last().unwrap();
        assert_eq!(
            (rest.code, rest.text.as_str()),
            (Code::MoreFindings, "16 further messages were left out.")
        );
        messages.add(say(Severity::Error, "info 0".into()));
        assert_eq!(messages.ordered()[0].text, "info 0", "it is the same message still");

        let stored = serde_json::to_string(&messages).unwrap();
        let back: Messages = serde_json::from_str(&stored).unwrap();
        assert_eq!(back.ordered(), messages.ordered());
    }
}

//! Events that other programs can cause without end: so many a minute are recorded, and what is more is counted. Else a program that floods
//! would push out of the log what was there before.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::event::Event;

/// Events of a sort that are recorded in a minute.
const PER_MINUTE: u32 = 60;
const MINUTE: Duration = Duration::from_secs(60);

/// How many there were lately, of each sort by itself: none hides the others.
#[derive(Debug, Default)]
pub(super) struct Often {
    programs: Mutex<Lately>,
    strangers: Mutex<Lately>,
    refusals: Mutex<Lately>,
}

#[derive(Debug, Default)]
struct Lately {
    since: Option<Instant>,
    told: u32,
    left_out: u32,
}

impl Often {
    /// Whether the event is recorded; it then says how many before it were not.
    pub(super) fn admits(&self, event: &mut Event) -> bool {
        let (lately, said) = match event {
            Event::Program { client, left_out, .. } if client.is_empty() => (&self.strangers, left_out),
            Event::Program { left_out, .. } => (&self.programs, left_out),
            Event::Refused { left_out, .. } => (&self.refusals, left_out),
            Event::Request { .. }
            | Event::Approval { .. }
            | Event::Policy { .. }
            | Event::TrustedScript { .. }
            | Event::KeyKept { .. }
            | Event::KeyRemoved { .. }
            | Event::Lost { .. } => return true,
        };
        let mut lately = lately.lock().unwrap_or_else(PoisonError::into_inner);
        if lately.since.is_none_or(|since| since.elapsed() >= MINUTE) {
            (lately.since, lately.told) = (Some(Instant::now()), 0);
        }
        if lately.told >= PER_MINUTE {
            lately.left_out = lately.left_out.saturating_add(1);
            return false;
        }
        lately.told += 1;
        *said = std::mem::take(&mut lately.left_out);
        true
    }
}

#[cfg(test)]
mod tests {
    use geonode_protocol::Code;

    use super::*;

    fn program(client: &str) -> Event {
        Event::Program {
            client: client.to_owned(),
            tool: String::new(),
            code: Some(Code::UnknownTool),
            left_out: 0,
        }
    }

    fn refused() -> Event {
        Event::Refused {
            codes: vec![Code::PythonNotAllowed],
            left_out: 0,
        }
    }

    #[test]
    fn a_flood_is_recorded_in_part_and_counted() {
        let often = Often::default();
        for flood in [program("one"), refused()] {
            let admitted = (0..1000).filter(|_| often.admits(&mut flood.clone())).count();
            assert_eq!(admitted, PER_MINUTE as usize, "{flood:?}");
        }
        let mut stranger = program("");
        assert!(often.admits(&mut stranger), "they count by themselves");
        assert_eq!(stranger, program(""));
        let mut removed = Event::KeyRemoved { slot: String::new() };
        assert!(often.admits(&mut removed), "the artist's own deeds are all recorded");
        for lately in [&often.programs, &often.refusals] {
            lately.lock().unwrap().since = Instant::now().checked_sub(MINUTE);
        }
        let mut last = refused();
        assert!(often.admits(&mut last) && often.admits(&mut program("one")));
        assert!(matches!(last, Event::Refused { left_out: 940, .. }), "{last:?}");
    }
}

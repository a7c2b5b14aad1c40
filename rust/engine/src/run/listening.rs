//! Shows a provider's answer while it arrives.

use std::cell::RefCell;

use geonode_protocol::Arriving;
use geonode_provider::Client;
use geonode_run::{Message, Notice};
use serde_json::json;
use serde_json::value::to_raw_value;

use crate::asking::plan_request::Listener;
use crate::asking::spending::Sent;
use crate::run::shared::{Event as Shown, Shared};
use crate::run::timing::Request;
use crate::settings::Settings;

/// Most requests that the report of a run lists; retries and iterations are limited to far fewer.
const MAX_REQUESTS: usize = 500;

/// The provider's side of the run.
pub(crate) struct RunListener<'a> {
    shared: &'a Shared,
    request: Request<'a>,
    attempt: u32,
    /// The steps of the plan as its text arrives, and how many were announced.
    arriving: RefCell<(Arriving, usize)>,
    /// Most steps that are announced: a plan with more is refused.
    most: usize,
}

impl<'a> RunListener<'a> {
    pub(crate) fn new(shared: &'a Shared, attempt: u32, settings: &Settings) -> Self {
        Self {
            shared,
            request: Request::new(shared, settings.telemetry),
            attempt,
            arriving: RefCell::default(),
            most: usize::try_from(settings.max_steps).unwrap_or(usize::MAX),
        }
    }

    /// Shows the steps that a piece of text completes. They are not carried out before the whole plan is checked.
    fn steps(&self, piece: &str) {
        let mut arriving = self.arriving.borrow_mut();
        let (scanner, announced) = &mut *arriving;
        let mut steps = Vec::new();
        scanner.push(piece.as_bytes(), &mut steps);
        for step in steps.into_iter().take(self.most.saturating_sub(*announced)) {
            let event = json!({
                "event": "step",
                "status": "planned",
                "step_id": step.id,
                "action_type": step.kind,
                "message": step.description,
                "index": *announced,
                "attempt": self.attempt,
            });
            *announced += 1;
            self.shared.event(&event);
        }
    }
}

impl Listener for RunListener<'_> {
    fn working(&self, client: Option<Client>) {
        self.request.working(client.is_some());
        self.shared.working(client);
    }

    fn text(&self, piece: &str) {
        self.request.text();
        self.shared.show(|front| front.event(Shown::Text(piece.to_owned())));
        self.steps(piece);
    }

    fn asks(&self, sent: Sent) {
        // The part of an earlier reply that arrived is discarded.
        self.arriving.take();
        let Ok(mut event) = serde_json::to_value(&sent) else {
            return;
        };
        if let Some(fields) = event.as_object_mut() {
            fields.insert("event".into(), "request".into());
        }
        let Ok(json) = to_raw_value(&event) else { return };
        self.shared.show(|front| {
            if front.requests.len() < MAX_REQUESTS {
                front.requests.push(sent);
            }
            front.event(Shown::Json(json));
        });
    }

    fn message(&self, message: Message) {
        self.shared.tell(Notice::Message(message));
    }
}

//! Operations that are checked and converted while the document is read, each by itself.
//!
//! As JSON values, a long plan takes ten times the memory of its text. Here only one operation at a time is a JSON value: the reader leaves the
//! lists of operations in the document empty and hands over each operation as soon as it is read. Errors are not
//! explained here: a plan with an error is read again as a whole and judged by [`crate::check`].

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::check;
use crate::gn_ops::GnOp;
use crate::node_tree::NodeTreeOp;
use crate::object_schemas::{Shape, shapes};
use crate::plan::{Action, Plan, Version};

/// The place of a value in a plan, as far as it leads to the operations; steps by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The whole document.
    Plan,
    /// The list of steps.
    Steps,
    /// One step.
    Step(usize),
    /// The payload of a step.
    Payload(usize),
    /// A list of operations: the step, and the step type that has such a list.
    Operations(usize, &'static str),
    /// One operation.
    Operation,
    /// Anywhere else.
    Other,
}

impl Place {
    /// The place of the member `key` of an object at this place.
    pub(crate) fn member(self, key: &str) -> Self {
        let [node_tree, gn_ops, _] = Action::TYPES;
        match (self, key) {
            (Self::Plan, "steps") => Self::Steps,
            (Self::Step(step), "payload") => Self::Payload(step),
            (Self::Payload(step), "operations") => Self::Operations(step, node_tree),
            (Self::Payload(step), "ops") => Self::Operations(step, gn_ops),
            _ => Self::Other,
        }
    }

    /// The place of item `index` of an array at this place.
    pub(crate) fn item(self, index: usize) -> Self {
        match self {
            Self::Steps => Self::Step(index),
            Self::Operations(..) => Self::Operation,
            _ => Self::Other,
        }
    }
}

/// The operations of a document, taken out of it.
pub(crate) struct StreamedOps {
    lists: Vec<List>,
    /// Operations that may still be taken.
    room: usize,
    /// Whether every operation was taken.
    complete: bool,
    /// The first version that has all of them.
    needs: Version,
}

struct List {
    step: usize,
    shapes: &'static BTreeMap<String, Shape>,
    ops: Ops,
}

enum Ops {
    NodeTree(Vec<NodeTreeOp>),
    GnOps(Vec<GnOp>),
}

impl StreamedOps {
    /// No operations yet, of at most `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            lists: Vec::new(),
            room: limit,
            complete: true,
            needs: Version::V1_0,
        }
    }

    /// Whether every operation of the document was taken and fits some version.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The first version that has all of the operations.
    pub(crate) fn needs(&self) -> Version {
        self.needs
    }

    /// Begins the list of operations of a step; it replaces an earlier list with the same key.
    pub(crate) fn begin(&mut self, step: usize, step_type: &str) {
        let ops = if step_type == Action::TYPES[0] {
            Ops::NodeTree(Vec::new())
        } else {
            Ops::GnOps(Vec::new())
        };
        let known = shapes().and_then(|shapes| shapes.steps.get(step_type)?.ops.as_ref());
        let Some((_, shapes)) = known else {
            self.complete = false;
            return;
        };
        self.lists.push(List { step, shapes, ops });
    }

    /// Takes an operation of the list that was begun last.
    pub(crate) fn take(&mut self, op: Value) {
        if !self.complete {
            return;
        }
        let list = self.lists.last_mut().filter(|_| self.room > 0);
        let fitting = list.and_then(|list| Some((check::op_fits(list.shapes, &op)?, list)));
        let taken = fitting.is_some_and(|(needs, list)| {
            self.needs = self.needs.max(needs);
            match &mut list.ops {
                Ops::NodeTree(ops) => push(ops, op),
                Ops::GnOps(ops) => push(ops, op),
            }
        });
        self.room = self.room.saturating_sub(1);
        self.complete = taken;
    }

    /// Puts the operations into the plan that was read without them.
    pub(crate) fn restore(self, plan: &mut Plan) {
        for list in self.lists {
            match (plan.steps.get_mut(list.step).map(|step| &mut step.action), list.ops) {
                (Some(Action::NodeTree(payload)), Ops::NodeTree(ops)) => payload.operations = ops,
                (Some(Action::GnOps(payload)), Ops::GnOps(ops)) => payload.ops = ops,
                _ => {}
            }
        }
    }
}

/// Converts an operation; false when it cannot be converted.
fn push<T: DeserializeOwned>(ops: &mut Vec<T>, op: Value) -> bool {
    T::deserialize(op).map(|op| ops.push(op)).is_ok()
}

//! What sockets hold, from left to right, once the group's inputs are known.

use super::kind::Structure;
use super::net::{Joint, Kind, Net};
use super::right_to_left::Need;

impl Net<'_> {
    /// Fills in the structures of all inputs and outputs.
    pub(super) fn flow(&self, needs: &[Need], inputs: &mut [Structure], outputs: &mut [Structure]) {
        for (found, end) in inputs.iter_mut().zip(&self.inputs) {
            if end.links.is_empty() {
                *found = if end.declared.implicit {
                    Structure::Field
                } else {
                    Structure::Single
                };
            }
        }
        for joint in &self.joints {
            for output in joint.outputs.clone() {
                let auto = self.outputs.get(output).is_some_and(|end| end.declared.auto);
                let start = match joint.kind {
                    // What goes round is a single value until something else comes in.
                    Kind::Repeat | Kind::Simulation => Structure::Single,
                    Kind::GroupInput => continue,
                    _ if auto => self.auto_output(output, needs),
                    _ => continue,
                };
                set(outputs, output, start);
            }
        }
        for _ in 0..=self.joints.len() {
            let mut again = false;
            for at in &self.order {
                let Some(joint) = self.joints.get(*at) else { continue };
                self.pass_through(joint, inputs, outputs);
                again |= self.join_zone(*at, joint, outputs);
            }
            if !again {
                break;
            }
        }
    }

    fn pass_through(&self, joint: &Joint, inputs: &mut [Structure], outputs: &mut [Structure]) {
        if joint.kind == Kind::GroupInput {
            for (output, known) in joint.outputs.clone().zip(&self.signature.inputs) {
                set(outputs, output, *known);
            }
            return;
        }
        for input in joint.inputs.clone() {
            let Some(end) = self.inputs.get(input).filter(|end| end.declared.available) else {
                continue;
            };
            let used = end.links.iter().filter(|(output, muted)| {
                !muted
                    && self
                        .outputs
                        .get(*output)
                        .is_some_and(|source| source.declared.available)
            });
            let arriving = used.map(|(output, _)| outputs.get(*output).copied().unwrap_or_default());
            if let Some(found) = arriving.reduce(Structure::with) {
                let found = if joint.kind == Kind::Reroute {
                    found
                } else {
                    end.declared.keep(found)
                };
                set(inputs, input, found);
            }
        }
        for output in joint.outputs.clone() {
            let Some(end) = self.outputs.get(output) else { continue };
            if end.declared.auto || !end.declared.available {
                continue;
            }
            let available = |input: &&usize| self.inputs.get(**input).is_some_and(|end| end.declared.available);
            let followed = end.follows.iter().filter(available);
            let merged = followed
                .map(|input| inputs.get(*input).copied().unwrap_or_default())
                .reduce(Structure::with);
            let found = merged.unwrap_or(end.declared.structure);
            let found = if joint.kind == Kind::Reroute {
                found
            } else {
                end.declared.keep(found)
            };
            set(outputs, output, found);
        }
    }

    /// Values that go round a zone are the same at both ends. True if the other end has changed.
    fn join_zone(&self, at: usize, joint: &Joint, outputs: &mut [Structure]) -> bool {
        let Some((start, end)) = self.zone(at, joint) else {
            return false;
        };
        let mut changed = false;
        for (number, out) in end.outputs.clone().enumerate() {
            let into = start.outputs.start + 1 + number;
            if into >= start.outputs.end {
                continue;
            }
            let get = |at: usize| outputs.get(at).copied().unwrap_or_default();
            let value = get(into).with(get(out));
            let here = std::ptr::eq(start, joint);
            changed |= set(outputs, into, value) && !here;
            changed |= set(outputs, out, value) && here;
        }
        changed
    }
}

fn set(found: &mut [Structure], at: usize, value: Structure) -> bool {
    match found.get_mut(at) {
        Some(known) if *known != value => {
            *known = value;
            true
        }
        _ => false,
    }
}

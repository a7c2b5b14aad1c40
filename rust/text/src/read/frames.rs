//! Frames: `growth = frame("Growth", a, b)`.

use geonode_graph::sockets::FRAME;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::arguments::unknown;
use super::draft::Made;
use super::fault::Faults;
use super::properties::Role;
use super::reader::{Place, Reader};
use super::value::{Val, at, constant};

impl<'p> Reader<'_, '_, 'p> {
    /// `frame("Growth", a, b)` without a name: in an edit the frame with this title, if there is one.
    pub(crate) fn frame(&mut self, call: &'p ExprCall) {
        let title = call.args.iter().find_map(|part| match part {
            Expr::Constant(_) => constant(part, &mut Faults::default()),
            _ => None,
        });
        let title = title.as_ref().and_then(Value::as_str);
        let is_it = |made: &&Made| made.node.kind == FRAME && title.is_some() && made.node.label.as_deref() == title;
        let mut known = self.draft.nodes.values().filter(is_it).map(|made| made.node.id.clone());
        if let (true, Some(id), None) = (self.edit, known.next(), known.next()) {
            if self.make(&id, FRAME, at(call)) {
                self.configure(&id, &call.keywords);
                self.fill_frame(&id, call);
            }
            return;
        }
        let made = self.make_called(call, Place::Loose("frame"));
        if let Val::Node(id) = made {
            self.fill_frame(&id, call);
        }
    }

    /// Sets the label of a frame, and puts the nodes that its call names into it.
    pub(crate) fn fill_frame(&mut self, id: &str, call: &'p ExprCall) {
        for keyword in &call.keywords {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            let is_input = !name.is_empty() && matches!(self.role(id, name), Role::Input);
            if is_input {
                unknown(keyword, "frame", "frame(\"Growth\", a, b)", self.faults);
            }
        }
        let mut titled = false;
        for member in &call.args {
            if let Some(Value::String(label)) = constant(member, self.faults) {
                if std::mem::replace(&mut titled, true) {
                    let message = "A frame has one title.";
                    self.error(Code::TextForm, at(member), message, "Name nodes by their variables.");
                } else if let Some(made) = self.draft.nodes.get_mut(id) {
                    made.node.label = Some(label);
                }
                continue;
            }
            let found = match member {
                Expr::Name(name) => self.name(name.id.as_str(), at(member)),
                _ => Val::Default,
            };
            let inner = match found {
                Val::Node(inner) => inner,
                Val::Out(output) => output.id,
                Val::Bad => continue,
                _ => {
                    let message = "A frame holds nodes.";
                    self.error(
                        Code::TextForm,
                        at(member),
                        message,
                        "Name them: frame(\"Growth\", a, b).",
                    );
                    continue;
                }
            };
            if let Some(made) = self.draft.nodes.get_mut(&inner).filter(|_| inner != id) {
                made.node.parent = Some(id.to_owned());
            }
        }
    }
}

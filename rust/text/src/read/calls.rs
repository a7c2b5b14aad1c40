//! What the arguments of a call feed: inputs, items, and the type of data that follows from them.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Map, Side};
use geonode_graph::sockets::{FRAME, GROUP};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::draft::with_identifiers;
use super::items::Item;
use super::properties::{Role, has_item};
use super::reader::{Place, Reader, is_usable};
use super::value::{at, constant};

impl<'p> Reader<'_, '_, 'p> {
    /// Sets the items of a collection of `holder`, whose values feed inputs of `fed`.
    pub(crate) fn items(&mut self, holder: &str, fed: &str, collection: &str, value: &'p Expr) {
        let Some(items) = self.read_items(holder, collection, value) else {
            return;
        };
        let before = self.draft.before(holder).and_then(|node| node.items.get(collection));
        let plain: Vec<Map> = items.iter().map(|item| item.fields.clone()).collect();
        let with = with_identifiers(before, plain);
        if let Some(made) = self.draft.nodes.get_mut(holder) {
            made.said = true;
            made.places.insert(format!("+{collection}"), at(value));
            made.node.items.insert(collection.to_owned(), with.clone());
        }
        let prefix = self.item_prefix(holder, fed, collection);
        let Some(prefix) = prefix else { return };
        for ((number, item), fields) in items.iter().enumerate().zip(&with) {
            if let Some(value) = item.value {
                self.feed_item(fed, &prefix, number, fields, value);
            }
        }
    }

    /// Feeds the input that an item makes.
    fn feed_item(&mut self, fed: &str, prefix: &str, number: usize, fields: &Map, value: &'p Expr) {
        let inputs = self.draft.sockets(fed, Side::Input);
        let Some(place) = Item::socket_of(fields, number, prefix, &inputs) else {
            return;
        };
        let words = self.words_of(&inputs);
        let Some((socket, word)) = inputs.get(place).zip(words.word_at(place)) else {
            return;
        };
        let socket = socket.clone();
        let word = word.to_owned();
        self.assign_to(fed, &socket, &word, value);
    }

    /// What the identifiers of the inputs begin with that the items of `holder` make on `fed`.
    fn item_prefix(&self, holder: &str, fed: &str, collection: &str) -> Option<String> {
        let described = self.draft.kind(holder)?.collections.get(collection)?;
        let side = if holder == fed { "self" } else { "partner" };
        let mut entries = described.sockets.iter();
        entries
            .find(|entry| entry.0 == side && entry.1 == "inputs")
            .map(|entry| entry.2.clone())
    }

    /// Reads what feeds a node.
    pub(crate) fn fill(&mut self, id: &str, call: &'p ExprCall) {
        let kind = self.draft.node(id).map(|node| node.kind.clone()).unwrap_or_default();
        if kind == FRAME {
            return self.fill_frame(id, call);
        }
        self.infer(id, call);
        let skip = usize::from(kind == GROUP && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "group"));
        self.positional(id, call.args.get(skip..).unwrap_or_default());
        for keyword in &call.keywords {
            let Some(name) = keyword.arg.as_ref() else { continue };
            if let Role::Input = self.role(id, name.as_str()) {
                self.keyword(id, name.as_str(), &keyword.value);
            }
        }
    }

    pub(super) fn keyword(&mut self, id: &str, name: &str, value: &'p Expr) {
        let inputs = self.draft.sockets(id, Side::Input);
        if inputs.is_empty() {
            let outputs = self.draft.sockets(id, Side::Output);
            let words = self.words_of(&outputs);
            let place = at(value);
            if let Some(socket) = words.place(name).and_then(|place| outputs.get(place))
                && let Some(value) = constant(value, self.faults)
                && let Some(made) = self.draft.nodes.get_mut(id)
            {
                made.places.insert(format!(">{}", socket.identifier), place);
                let state = made.node.outputs.entry(socket.identifier.clone()).or_default();
                state.insert("value".to_owned(), value);
                return;
            }
        }
        self.assign(id, name, value);
    }

    /// Arguments without a name go to the available inputs in their order.
    fn positional(&mut self, id: &str, args: &'p [Expr]) {
        if args.is_empty() {
            return;
        }
        let inputs = self.draft.sockets(id, Side::Input);
        let words = self.words_of(&inputs);
        let usable: Vec<(Socket, String)> = inputs
            .iter()
            .zip(words.words())
            .filter(|(socket, _)| is_usable(socket))
            .map(|(socket, word)| (socket.clone(), word.to_owned()))
            .collect();
        let Some((first, word)) = usable.first() else {
            let message = format!("{} has no inputs.", self.label_of(id));
            let place = args.first().map_or(0, at);
            self.error(
                Code::UnknownSocket,
                place,
                message,
                "Leave the arguments out; properties are named: `mode=\"…\"`.",
            );
            return;
        };
        if first.multi && (args.len() > 1 || !matches!(args.first(), Some(Expr::List(_)))) {
            let (socket, word) = (first.clone(), word.clone());
            self.join(id, &socket, &word, args);
            return;
        }
        for (place, value) in args.iter().enumerate() {
            match usable.get(place) {
                Some((socket, word)) => self.assign_to(id, socket, word, value),
                None => {
                    let list: Vec<&str> = usable.iter().map(|(_, word)| word.as_str()).collect();
                    let message = format!("{} has {} inputs.", self.label_of(id), usable.len());
                    self.error(
                        Code::UnknownSocket,
                        at(value),
                        message,
                        format!("Name what is meant: {}.", list.join(", ")),
                    );
                    return;
                }
            }
        }
    }

    /// Several links into the first input.
    pub(super) fn join(&mut self, id: &str, socket: &Socket, word: &str, args: &'p [Expr]) {
        self.cut_all(&(id.to_owned(), socket.identifier.clone()));
        let mut number = 0;
        for value in args {
            let each: &'p [Expr] = match value {
                Expr::List(list) => &list.elts,
                one => std::slice::from_ref(one),
            };
            for value in each {
                let place = Place::Feeds {
                    owner: id,
                    word,
                    identifier: &socket.identifier,
                    place: number,
                };
                number += 1;
                let given = self.value(value, place);
                self.link_to(&(id.to_owned(), socket.identifier.clone()), socket, given, at(value));
            }
        }
    }

    /// The type of data that a call leaves open follows from what it is given, where the type of a new node cannot take that.
    fn infer(&mut self, id: &str, call: &'p ExprCall) {
        let Some(kind) = self.draft.kind(id) else { return };
        let Some(name) = ["data_type", "input_type"]
            .into_iter()
            .find(|name| kind.properties.contains_key(*name))
        else {
            return;
        };
        let said = self
            .draft
            .nodes
            .get(id)
            .is_some_and(|made| made.places.contains_key(&format!(".{name}")));
        if said || self.draft.before(id).is_some() && self.edit {
            return;
        }
        let Some(property) = kind.properties.get(name) else {
            return;
        };
        let mut types: Vec<String> = Vec::new();
        for keyword in &call.keywords {
            let Some(word) = keyword.arg.as_ref() else { continue };
            if matches!(self.role(id, word.as_str()), Role::Input) {
                types.extend(self.misfit(id, word.as_str(), &keyword.value));
            } else if let (Role::Items(_), Expr::Dict(dict)) = (self.role(id, word.as_str()), &keyword.value) {
                let socket = self
                    .draft
                    .sockets(id, Side::Output)
                    .first()
                    .map(|socket| socket.kind.clone());
                for value in &dict.values {
                    let found = self.kind_of(value);
                    types.extend(found.filter(|found| {
                        socket
                            .as_ref()
                            .is_none_or(|wanted| !self.draft.scope.catalogue.converts(found, wanted))
                    }));
                }
            }
        }
        types.dedup();
        let [only] = types.as_slice() else { return };
        let short = self.short(only);
        let short = match short.as_str() {
            "VECTOR" if !has_item(property, "VECTOR") => "FLOAT_VECTOR".to_owned(),
            "RGBA" if !has_item(property, "RGBA") => "FLOAT_COLOR".to_owned(),
            "ROTATION" if !has_item(property, "ROTATION") => "QUATERNION".to_owned(),
            _ => short,
        };
        if has_item(property, &short) {
            self.draft.set_property(id, name, Value::from(short), at(call));
        }
    }

    /// The type of a value that an input of this word does not take.
    fn misfit(&mut self, id: &str, word: &str, value: &'p Expr) -> Option<String> {
        let inputs = self.draft.sockets(id, Side::Input);
        let words = self.words_of(&inputs);
        let socket = words.place(word).and_then(|place| inputs.get(place))?;
        if let Some(known) = constant(value, &mut super::fault::Faults::default()) {
            return (!known.is_null() && !Self::takes(&socket.kind, &known))
                .then(|| self.kind_of(value))
                .flatten();
        }
        let found = self.kind_of(value)?;
        (!self.draft.scope.catalogue.converts(&found, &socket.kind)).then_some(found)
    }
}

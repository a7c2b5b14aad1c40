//! Reads trees from the compact form.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::text::Cursor;
use super::{CUT, CompactError, INTERFACE_PANEL, INTERFACE_SOCKET, SOCKET, by_name, stem, type_field, types_by_label};
use crate::catalogue::{Catalogue, Socket};
use crate::ir::{Item, ItemKind, Link, Map, Node, Side, Tree};
use crate::model::TreeModel;
use crate::sockets::Scope;

/// The trees of a compact form, without the parts that it leaves out. Links are in the order of their targets.
///
/// # Errors
/// The first line that is wrong, or that says that parts were left out.
pub fn read_compact(text: &str, catalogue: &Catalogue) -> Result<IndexMap<String, Tree>, CompactError> {
    if text.len() > crate::MAX_BYTES {
        return Err(CompactError::TooLarge(text.len()));
    }
    let labels = types_by_label(catalogue);
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, line) in text.split('\n').enumerate().filter(|(_, line)| !line.is_empty()) {
        let number = at + 1;
        if line.starts_with(CUT) {
            return Err(CompactError::Cut(number));
        }
        let mut cursor = Cursor::new(line, number);
        if cursor.take("tree ") {
            drafts.push(Draft::begin(cursor)?);
            continue;
        }
        let Some(draft) = drafts.last_mut() else {
            return Err(cursor.fail("“tree” and a name"));
        };
        if cursor.next_is('>') || cursor.next_is('<') || cursor.next_is('[') || cursor.next_is(']') {
            draft.interface(cursor)?;
        } else {
            draft.node(cursor, catalogue, &labels)?;
        }
    }
    // The names of sockets depend on the nodes, so links are resolved last, when every interface is known.
    let mut trees: IndexMap<String, Tree> = IndexMap::new();
    for draft in &drafts {
        trees.insert(draft.name.clone(), draft.tree.clone());
    }
    let known = trees.clone();
    for draft in drafts {
        let name = draft.name.clone();
        trees.insert(
            name,
            draft.finish(Scope {
                catalogue,
                trees: &known,
            })?,
        );
    }
    Ok(trees)
}

/// A socket as it is written: by name, or by identifier.
struct Named {
    text: String,
    identifier: bool,
}

/// A statement about one socket in a node's line.
enum Statement {
    Input(Named, Value),
    Output(Named, Value),
    Link {
        input: Named,
        muted: bool,
        from: u64,
        output: Option<Named>,
    },
}

/// A tree whose links are not resolved yet.
#[derive(Default)]
struct Draft {
    name: String,
    tree: Tree,
    /// Panels that the next line is in.
    open: Vec<String>,
    /// Position of each numbered node.
    numbers: HashMap<u64, usize>,
    /// Node, line and statement about a socket.
    statements: Vec<(usize, usize, Statement)>,
    /// Input node of a zone, line and number of its output.
    pairs: Vec<(usize, usize, u64)>,
}

impl Draft {
    fn begin(mut cursor: Cursor<'_>) -> Result<Self, CompactError> {
        let mut draft = Self {
            name: cursor.name()?,
            ..Self::default()
        };
        while cursor.take(";") {
            let (name, value) = pair(&mut cursor)?;
            draft.tree.settings.insert(name, value);
        }
        end(cursor)?;
        Ok(draft)
    }

    fn interface(&mut self, mut cursor: Cursor<'_>) -> Result<(), CompactError> {
        if cursor.take("]") {
            self.open.pop().ok_or_else(|| cursor.fail("an open panel"))?;
            return end(cursor);
        }
        let (kind, in_out, prefix) = if cursor.take("[") {
            (ItemKind::Panel, None, INTERFACE_PANEL)
        } else if cursor.take("<") {
            (ItemKind::Socket, Some(Side::Output), INTERFACE_SOCKET)
        } else {
            cursor.expect(">", "a socket or a panel")?;
            (ItemKind::Socket, Some(Side::Input), INTERFACE_SOCKET)
        };
        let identifier = if cursor.next_is('"') {
            cursor.name()?
        } else {
            format!("{prefix}{}", cursor.number()?)
        };
        cursor.expect(" ", "a name")?;
        let mut item = Item {
            kind,
            identifier,
            name: cursor.name()?,
            in_out,
            socket_type: String::new(),
            parent: self.open.last().cloned(),
            props: Map::new(),
        };
        if cursor.take(":") {
            item.socket_type = match cursor.word()? {
                (whole, true) => whole,
                (short, false) => format!("{SOCKET}{short}"),
            };
        }
        if cursor.take("=") {
            item.props.insert("default_value".to_owned(), cursor.value()?);
        }
        while cursor.take(";") {
            if cursor.take("{in ") {
                item.parent = Some(cursor.name()?);
                cursor.expect("}", "“}”")?;
            } else {
                let (name, value) = pair(&mut cursor)?;
                item.props.insert(name, value);
            }
        }
        if kind == ItemKind::Panel {
            self.open.push(item.identifier.clone());
        }
        self.tree.interface.push(item);
        end(cursor)
    }

    fn node(
        &mut self,
        mut cursor: Cursor<'_>,
        catalogue: &Catalogue,
        labels: &HashMap<&str, Option<&str>>,
    ) -> Result<(), CompactError> {
        let number = cursor.number()?;
        cursor.expect(" ", "the ID of a node")?;
        let id = cursor.name()?;
        let type_of = |label: &str| labels.get(label).copied().flatten().map(str::to_owned);
        let kind = if cursor.take(":") {
            let word = cursor.name()?;
            let known = catalogue.nodes.contains_key(&word);
            type_of(&word).filter(|_| !known).unwrap_or(word)
        } else {
            type_of(stem(&id)).ok_or_else(|| cursor.fail("“:” and the type of the node"))?
        };
        let at = self.tree.nodes.len();
        let mut node = Node {
            id,
            kind,
            ..Node::default()
        };
        while cursor.take(";") {
            if cursor.take("{") {
                self.braces(at, &mut node, &mut cursor, catalogue)?;
            } else if cursor.take(".") {
                let (name, value) = pair(&mut cursor)?;
                node.props.insert(name, value);
            } else {
                let statement = read_statement(&mut cursor)?;
                self.statements.push((at, cursor.line(), statement));
            }
        }
        if self.numbers.insert(number, at).is_some() {
            return Err(cursor.fail("a number of its own for each node"));
        }
        self.tree.nodes.push(node);
        end(cursor)
    }

    fn braces(
        &mut self,
        at: usize,
        node: &mut Node,
        cursor: &mut Cursor<'_>,
        catalogue: &Catalogue,
    ) -> Result<(), CompactError> {
        let word = cursor.name()?;
        cursor.expect("=", "“=”")?;
        match word.as_str() {
            "label" => node.label = Some(cursor.name()?),
            "pair" => {
                let output = cursor.number()?;
                self.pairs.push((at, cursor.line(), output));
            }
            collection => {
                let field = type_field(catalogue, &node.kind, collection);
                let mut items = Vec::new();
                while !cursor.next_is('}') {
                    items.push(item(cursor, field)?);
                    if !cursor.take(",") {
                        break;
                    }
                }
                node.items.insert(word, items);
            }
        }
        cursor.expect("}", "“}”")
    }

    /// Resolves the references to other nodes and sockets.
    fn finish(mut self, scope: Scope<'_>) -> Result<Tree, CompactError> {
        let id = |numbers: &HashMap<u64, usize>, nodes: &[Node], number: u64, line: usize| {
            let node = numbers.get(&number).and_then(|at| nodes.get(*at));
            node.map(|node| node.id.clone())
                .ok_or(CompactError::UnknownNode { line, number })
        };
        for (at, line, output) in std::mem::take(&mut self.pairs) {
            let output = id(&self.numbers, &self.tree.nodes, output, line)?;
            if let Some(node) = self.tree.nodes.get_mut(at) {
                node.pair = Some(output);
            }
        }
        let model = TreeModel::new(&self.name, self.tree.clone(), false);
        let mut ranks: HashMap<(usize, String), i64> = HashMap::new();
        for (at, line, statement) in std::mem::take(&mut self.statements) {
            let Some(node) = self.tree.nodes.get_mut(at) else {
                continue;
            };
            let inputs = scope.sockets(&model, node, Side::Input);
            match statement {
                Statement::Input(named, value) => {
                    node.inputs
                        .entry(named.find(&inputs, line)?)
                        .or_default()
                        .insert("value".to_owned(), value);
                }
                Statement::Output(named, value) => {
                    let outputs = scope.sockets(&model, node, Side::Output);
                    node.outputs
                        .entry(named.find(&outputs, line)?)
                        .or_default()
                        .insert("value".to_owned(), value);
                }
                Statement::Link {
                    input,
                    muted,
                    from,
                    output,
                } => {
                    let to = (node.id.clone(), input.find(&inputs, line)?);
                    let multi = inputs.iter().any(|socket| socket.multi && socket.identifier == to.1);
                    let rank = ranks.entry((at, to.1.clone())).or_default();
                    let sort = multi.then_some(*rank);
                    *rank += 1;
                    let source = id(&self.numbers, &self.tree.nodes, from, line)?;
                    let outputs = model
                        .node(&source)
                        .map(|node| scope.sockets(&model, node, Side::Output));
                    let outputs = outputs.unwrap_or_default();
                    let socket = match output {
                        Some(output) => output.find(&outputs, line)?,
                        None => only(&outputs, line)?,
                    };
                    self.tree.links.push(Link {
                        from: (source, socket),
                        to,
                        muted,
                        sort,
                    });
                }
            }
        }
        Ok(self.tree)
    }
}

impl Named {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, CompactError> {
        Ok(Self {
            identifier: cursor.take("#"),
            text: cursor.name()?,
        })
    }

    /// The identifier among these sockets.
    fn find(self, sockets: &[Socket], line: usize) -> Result<String, CompactError> {
        if self.identifier {
            return Ok(self.text);
        }
        let expected = "the name of one available socket, or # and an identifier,";
        by_name(sockets, &self.text)
            .map(|socket| socket.identifier.clone())
            .ok_or(CompactError::Syntax { line, expected })
    }
}

/// The identifier of the only available socket.
fn only(sockets: &[Socket], line: usize) -> Result<String, CompactError> {
    let mut available = sockets.iter().filter(|socket| socket.available);
    match (available.next(), available.next()) {
        (Some(only), None) => Ok(only.identifier.clone()),
        _ => Err(CompactError::Syntax {
            line,
            expected: "an output",
        }),
    }
}

fn read_statement(cursor: &mut Cursor<'_>) -> Result<Statement, CompactError> {
    if cursor.take(">") {
        let output = Named::read(cursor)?;
        cursor.expect("=", "“=” and a value")?;
        return Ok(Statement::Output(output, cursor.value()?));
    }
    let input = Named::read(cursor)?;
    if cursor.take("=") {
        return Ok(Statement::Input(input, cursor.value()?));
    }
    cursor.expect("<", "“=” and a value, or “<” and a link")?;
    let muted = cursor.take("!");
    let from = cursor.number()?;
    let output = if cursor.take(".") {
        Some(Named::read(cursor)?)
    } else {
        None
    };
    Ok(Statement::Link {
        input,
        muted,
        from,
        output,
    })
}

fn item(cursor: &mut Cursor<'_>, type_field: Option<&str>) -> Result<Map, CompactError> {
    let mut item = Map::new();
    loop {
        if cursor.take("#") {
            item.insert("identifier".to_owned(), Value::from(cursor.number()?));
        } else if !cursor.next_is('}') && !cursor.next_is(',') {
            let word = cursor.name()?;
            if cursor.take("=") {
                item.insert(word, cursor.value()?);
            } else {
                item.insert("name".to_owned(), Value::from(word));
                if cursor.take(":") {
                    let field = type_field.ok_or_else(|| cursor.fail("no type"))?;
                    item.insert(field.to_owned(), Value::from(cursor.name()?));
                }
            }
        }
        if !cursor.take("|") {
            return Ok(item);
        }
    }
}

/// `name=value`
fn pair(cursor: &mut Cursor<'_>) -> Result<(String, Value), CompactError> {
    let name = cursor.name()?;
    cursor.expect("=", "“=” and a value")?;
    Ok((name, cursor.value()?))
}

fn end(cursor: Cursor<'_>) -> Result<(), CompactError> {
    if cursor.is_done() {
        Ok(())
    } else {
        Err(cursor.fail("“;” or the end of the line"))
    }
}

//! Zones as `with` blocks, and closures as nested functions.

use geonode_graph::sockets::VIRTUAL;

use super::interface::limit_lines;
use super::literals::{list, quote, write};
use super::sockets::Sockets;
use super::writer::Writer;
use crate::names::{title, write_item_type};

impl Writer<'_, '_> {
    pub(super) fn zone(&mut self, zone: usize, depth: usize) {
        let Some((input, output, around)) = self
            .order
            .zones
            .get(zone)
            .map(|zone| (zone.input, zone.output, zone.around))
        else {
            return;
        };
        if let Some(function) = self.sheet.closure(output) {
            let function = function.to_owned();
            return self.closure(&function, zone, (input, output), depth);
        }
        let category = self
            .sheet
            .node(output)
            .and_then(|node| self.sheet.scope.node_type(node)?.category.clone());
        let kind = category
            .as_deref()
            .and_then(|category| category.split(':').nth(1))
            .unwrap_or("zone")
            .to_owned();
        let mut parts: Vec<String> = Vec::new();
        let of_items = self.item_sockets(output, input);
        let mut placed = Vec::new();
        let first = self.sheet.inputs(input).and_then(|inputs| inputs.shown().next());
        if let Some(first) = first
            .filter(|first| first.kind == geonode_graph::sockets::GEOMETRY && !of_items.contains(&first.identifier))
            && let Some(value) = self.input(input, &first.identifier, around)
        {
            parts.push(value.text);
            placed.push(first.identifier.clone());
        }
        parts.extend(
            self.properties(output)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        parts.extend(self.named(input, &placed, &of_items, around));
        let items = self.items(output, input, around);
        parts.extend(
            items
                .iter()
                .filter_map(|items| Some(format!("{}={}", items.keyword.as_deref()?, items.text))),
        );
        parts.extend(self.shadowed(output, Vec::new()).map(|text| format!("props={text}")));
        let ends = (self.sheet.variable(input), self.sheet.variable(output));
        let text = format!("with {kind}({}) as ({}, {}):", list(parts), ends.0, ends.1);
        self.line_of(depth, text, vec![input, output], 1 + self.made(input));
        let before = self.lines.len();
        let order = self.order;
        self.units(order.inside.get(zone).map_or(&[], Vec::as_slice), depth + 1);
        self.feed_end(zone, output, depth + 1);
        if self.lines.len() == before {
            self.line_of(depth + 1, "pass".to_owned(), vec![input, output], 0);
        }
    }

    /// `grow_out.geometry = x`.
    fn feed_end(&mut self, zone: usize, output: usize, depth: usize) {
        let Some(inputs) = self.sheet.inputs(output) else {
            return;
        };
        let mut lines = Vec::new();
        for socket in inputs.list.iter() {
            let shown = socket.available && socket.kind != VIRTUAL;
            if !shown && self.links(output, &socket.identifier).next().is_none() {
                continue;
            }
            if let Some(value) = self.input(output, &socket.identifier, Some(zone)) {
                let feeds = self
                    .links(output, &socket.identifier)
                    .filter_map(|link| self.sheet.place(&link.from.0));
                let made: usize = feeds
                    .filter(|from| self.sheet.host(*from) == Some(output))
                    .map(|from| self.made(from))
                    .sum();
                let target = format!("{}.{}", self.sheet.variable(output), inputs.word(&socket.identifier));
                lines.push((format!("{target} = {}", value.text), made));
            }
        }
        for (text, made) in lines {
            self.line_of(depth, text, vec![output], made);
        }
    }

    /// `def shape(radius: Float) -> {"Mesh": Geometry}:`
    fn closure(&mut self, function: &str, zone: usize, (input, output): (usize, usize), depth: usize) {
        let mut inputs: Vec<String> = Vec::new();
        let mut outputs: Vec<String> = Vec::new();
        let mut limits: Vec<(String, Vec<String>, String)> = Vec::new();
        let items = self.sheet.node(output).map(|node| &node.items);
        let list_of = |collection: &str| {
            items
                .and_then(|items| items.get(collection))
                .map_or(&[][..], Vec::as_slice)
        };
        let catalogue = self.sheet.names.catalogue();
        let annotation = |item: &geonode_graph::ir::Map| {
            let short = item
                .get("socket_type")
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default();
            write_item_type(short, catalogue).unwrap_or_else(|| quote(short))
        };
        let others = |item: &geonode_graph::ir::Map| -> Vec<String> {
            let others = item.iter().filter(|(name, value)| {
                let told = matches!(name.as_str(), "identifier" | "name" | "socket_type");
                !(told || *name == "structure_type" && **value == "AUTO")
            });
            others.map(|(name, value)| format!("{name}={}", write(value))).collect()
        };
        let sockets: Vec<String> = self
            .sheet
            .outputs(input)
            .into_iter()
            .flat_map(Sockets::shown)
            .map(|socket| socket.identifier.clone())
            .collect();
        let parameters = self.sheet.closure_parameters(input);
        for (item, socket) in list_of("input_items").iter().zip(&sockets) {
            let word = parameters.and_then(|names| names.word(socket)).unwrap_or("input");
            let name = item.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
            inputs.push(format!("{word}: {}", annotation(item)));
            let own = (title(word) != name).then(|| format!("name={}", quote(name)));
            limits.push((word.to_owned(), own.into_iter().collect(), list(others(item))));
        }
        let ends: Vec<String> = self
            .sheet
            .inputs(output)
            .into_iter()
            .flat_map(Sockets::shown)
            .map(|socket| socket.identifier.clone())
            .collect();
        for (item, socket) in list_of("output_items").iter().zip(&ends) {
            let name = item.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
            outputs.push(format!("{}: {}", quote(name), annotation(item)));
            if let Some(inputs) = self.sheet.inputs(output) {
                let target = format!("{}.{}", self.sheet.variable(output), inputs.word(socket));
                limits.push((target, Vec::new(), list(others(item))));
            }
        }
        let arrow = if outputs.is_empty() {
            String::new()
        } else {
            format!(" -> {{{}}}", list(outputs))
        };
        let mut settings: Vec<String> = self
            .properties(output)
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        settings.extend(self.shadowed(output, Vec::new()).map(|text| format!("props={text}")));
        let both = vec![input, output];
        self.line_of(
            depth,
            format!("def {function}({}){arrow}:", list(inputs)),
            both.clone(),
            2,
        );
        if !settings.is_empty() {
            self.line_of(depth + 1, format!("settings({})", list(settings)), both.clone(), 0);
        }
        for text in limit_lines(&limits) {
            self.line_of(depth + 1, text, both.clone(), 0);
        }
        let order = self.order;
        self.units(order.inside.get(zone).map_or(&[], Vec::as_slice), depth + 1);
        let made = self.made(output) - 1;
        let text = self.returned(output, Some(zone));
        self.line_of(depth + 1, text, both, made);
    }
}

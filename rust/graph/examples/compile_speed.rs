//! Time and memory to read, check and compile large plans: `cargo run --release -p geonode-graph --example compile_speed`.
//!
//! Prints a JSON array of figures, each `[what, value, unit, limit or null]`; times are medians of processor time. `cargo xtask bench` reads it.

use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use geonode_graph::documents::{Document, Object};
use geonode_graph::{Catalogue, Compiled, compile};
use geonode_protocol::{Limits, Plan, parse_plan};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ROUNDS: usize = 7;
const MEMORY: &str = "--memory";

fn envelope(operations: &[Value]) -> String {
    json!({"version": "1.1", "done": true, "final_message": "", "steps": [{"id": "s", "type": "NODE_TREE", "description": "", "payload": {
        "target": {"object_name": "Cube", "modifier_name": "GN", "node_group_name": "GN"}, "operations": operations}}]})
    .to_string()
}

/// Math nodes, each fed by the one before: for each node one creation, one value and one link.
fn chain(operations: usize) -> String {
    let mut list: Vec<Value> = Vec::with_capacity(operations);
    for at in 0..operations / 3 {
        let id = format!("n{at}");
        list.push(json!({"op": "create_node", "node_id": id, "bl_idname": "ShaderNodeMath", "properties": {"operation": "MULTIPLY"}}));
        list.push(json!({"op": "set_input_default", "node_id": id, "socket": "Value_001", "value": 0.5}));
        if at > 0 {
            list.push(link(at - 1, at, "Value"));
        }
    }
    envelope(&list)
}

/// A tree with branches, to be laid out unless it is `placed`: each node is fed by its neighbour and by one far away.
fn branches(nodes: usize, placed: bool) -> String {
    let mut list: Vec<Value> = Vec::with_capacity(3 * nodes);
    for at in 0..nodes {
        let mut node = json!({"op": "create_node", "node_id": format!("n{at}"), "bl_idname": "ShaderNodeMath"});
        if let Some(fields) = node.as_object_mut().filter(|_| placed) {
            fields.insert("location".to_owned(), json!([200 * at, 0]));
        }
        list.push(node);
        if at > 0 {
            list.push(link(at - 1, at, "Value"));
            list.push(link(at / 2, at, "Value_001"));
        }
    }
    envelope(&list)
}

fn link(from: usize, to: usize, input: &str) -> Value {
    json!({"op": "link", "from": {"node_id": format!("n{from}"), "socket": "Value"}, "to": {"node_id": format!("n{to}"), "socket": input}})
}

struct Bench {
    catalogue: Catalogue,
    document: Document,
    limits: Limits,
}

impl Bench {
    fn new(catalogue: &str) -> Outcome<Self> {
        let mut document = Document::default();
        let cube = Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        };
        document.objects.insert("Cube".to_owned(), cube);
        Ok(Self {
            catalogue: Catalogue::from_json(&fs::read_to_string(catalogue)?)?,
            document,
            limits: Limits {
                max_operations: 1_000_000,
                max_bytes: 1 << 30,
                ..Limits::default()
            },
        })
    }

    fn read(&self, text: &str) -> Outcome<Plan> {
        let parsed = parse_plan(text, &self.limits);
        parsed.plan.ok_or_else(|| format!("{:?}", parsed.findings).into())
    }

    /// Validates and compiles once.
    fn once(&self, text: &str) -> Outcome<Compiled> {
        let plan = self.read(text)?;
        self.compile(&plan, &self.document)
    }

    fn compile(&self, plan: &Plan, document: &Document) -> Outcome<Compiled> {
        let compiled = compile(plan, document, &self.catalogue);
        if compiled.ok() {
            Ok(compiled)
        } else {
            Err(format!("{:?}", compiled.findings).into())
        }
    }

    /// Milliseconds to read and to compile `text`, the medians of both together and of reading alone.
    fn time(&self, text: &str) -> Outcome<(f64, f64)> {
        let (mut both, mut reading) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            both.push(milliseconds(|| self.once(text))?);
            reading.push(milliseconds(|| self.read(text))?);
        }
        Ok((median(both)?, median(reading)?))
    }

    /// Milliseconds that laying out adds: the same tree is compiled with its nodes placed by the plan, and without. The difference
    /// is of the shortest times, which other work on the machine disturbs least.
    fn layout(&self, nodes: usize) -> Outcome<f64> {
        // The tree is there already: its Group Input and Output have their places, and nothing is left to lay out when all is placed.
        let document = self.once(&branches(1, true))?.after;
        let (free, placed) = (self.read(&branches(nodes, false))?, self.read(&branches(nodes, true))?);
        let mut shortest = (f64::INFINITY, f64::INFINITY);
        for _ in 0..4 * ROUNDS {
            shortest.0 = milliseconds(|| self.compile(&free, &document))?.min(shortest.0);
            shortest.1 = milliseconds(|| self.compile(&placed, &document))?.min(shortest.1);
        }
        Ok(shortest.0 - shortest.1)
    }

    /// Kilobytes per operation at the peak, beyond what is held before; none where the system does not say.
    fn memory(&self, text: &str, operations: f64) -> Outcome<Option<f64>> {
        // Linux: writing 5 sets the peak back to what is resident now.
        if fs::write("/proc/self/clear_refs", "5").is_err() {
            return Ok(None);
        }
        let Some(before) = kilobytes("VmRSS:") else {
            return Ok(None);
        };
        drop(self.once(text)?);
        Ok(kilobytes("VmHWM:").map(|peak| (peak - before) / operations))
    }
}

/// Time that this thread needs for `work`, its result dropped: processor time, so that what else runs on the machine counts little; where
/// the system does not tell it, the time that passes.
fn milliseconds<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<f64> {
    let (start, before) = (Instant::now(), processor());
    drop(work()?);
    let passed = start.elapsed().as_secs_f64() * 1e3;
    Ok(before.zip(processor()).map_or(passed, |(before, after)| after - before))
}

/// Processor time of this thread so far, in milliseconds.
fn processor() -> Option<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

fn median(mut times: Vec<f64>) -> Outcome<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().ok_or_else(|| "no rounds".into())
}

fn kilobytes(field: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Measured in a process of its own: here, memory that making the plan gave back would be used again unseen.
fn memory_of(text: &str) -> Outcome<Option<f64>> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(MEMORY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    Ok(serde_json::from_slice(&child.wait_with_output()?.stdout)?)
}

fn main() -> Outcome<()> {
    let bench = Bench::new("addon/geonode_assistant/data/catalogue/5.2.json")?;
    if std::env::args().nth(1).as_deref() == Some(MEMORY) {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        println!("{}", json!(bench.memory(&text, 50_000.0)?));
        return Ok(());
    }
    let mut figures = Vec::new();
    let long = chain(50_000);
    if let Some(memory) = memory_of(&long)? {
        figures.push(json!(["peak memory of 50,000 operations", memory, "KB/operation", 1]));
    }
    let (short, reading) = bench.time(&chain(5_000))?;
    figures.push(json!(["validate and compile 5,000 operations", short, "ms", 20]));
    figures.push(json!(["of that, read and check the form", reading, "ms", null]));
    let (long, _) = bench.time(&long)?;
    figures.push(json!(["validate and compile 50,000 operations", long, "ms", null]));
    figures.push(json!([
        "50,000 operations / ten times 5,000",
        long / short / 10.0,
        "times",
        1.5
    ]));
    let (both, _) = bench.time(&branches(1_000, false))?;
    figures.push(json!(["compile and lay out 1,000 nodes, 1,998 links", both, "ms", 100]));
    figures.push(json!([
        "lay out 1,000 nodes, 1,998 links",
        bench.layout(1_000)?,
        "ms",
        100
    ]));
    println!("{}", Value::from(figures));
    Ok(())
}

//! Time to read and to write the page of a tree of 1,000 nodes: `cargo run --release -p geonode-text --example text_speed`.
//!
//! Prints a JSON array of figures, each `[what, value, unit, limit or null]`; times are the shortest of many. `cargo xtask bench` reads it.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use geonode_graph::documents::Object;
use geonode_graph::ir::{Bundle, IR_VERSION};
use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_text::{Extent, Names, expand, page_plan, read_page, write};
use serde_json::json;

const NODES: usize = 1_000;
const ROUNDS: usize = 31;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let file = "../../addon/geonode_assistant/data/catalogue/5.2.json";
    let catalogue = Catalogue::from_json(&fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))?)?;
    let mut document = Document::default();
    let plane = Object {
        kind: "MESH".to_owned(),
        ..Object::default()
    };
    document.objects.insert("Plane".to_owned(), plane);

    let page = page()?;
    let reading = shortest(|| drop(black_box(read_page(&page, &document, &catalogue, None))));
    let bundle = made(&page, &document, &catalogue)?;
    let names = Names::new(&catalogue);
    let writing = shortest(|| drop(black_box(write(&bundle, &names, Extent::Structure))));
    let figures = json!([
        ["a page of 1,000 nodes is read", reading, "ms", 10.0],
        ["a page of 1,000 nodes is written", writing, "ms", 10.0],
    ]);
    println!("{figures}");
    Ok(())
}

/// A page whose nodes are linked in branches, a third of them terms.
fn page() -> Outcome<String> {
    let mut page =
        String::from("def many(geometry: Geometry, size: Float = 1.0) -> Geometry:\n    x0 = set_position(geometry)\n");
    for number in 1..NODES / 3 {
        let before = number - 1;
        writeln!(page, "    f{number} = size * {number}.5")?;
        writeln!(
            page,
            "    x{number} = set_position(x{before}, offset=combine_xyz(x=f{number}).vector)"
        )?;
    }
    writeln!(
        page,
        "    return x{}\n\napply(\"Many\", object=\"Plane\")",
        NODES / 3 - 1
    )?;
    Ok(page)
}

/// The tree of a page.
fn made(page: &str, document: &Document, catalogue: &Catalogue) -> Outcome<Bundle> {
    let expanded = expand(&page_plan(page), document, catalogue, None, usize::MAX).ok_or("no page")?;
    let compiled = compile_exactly(&expanded.plan, document, catalogue, &expanded.exact);
    if !compiled.ok() {
        return Err(format!("{:?}", compiled.findings).into());
    }
    Ok(Bundle {
        ir: IR_VERSION,
        blender: [5, 2, 0],
        root: Some("Many".to_owned()),
        trees: compiled.after.trees,
    })
}

/// Milliseconds of the fastest of many rounds, which other work on the machine disturbs least.
fn shortest(mut work: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}

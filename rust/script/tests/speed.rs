//! What is promised about time: `cargo test --release -p geonode-script --test speed -- --nocapture` prints the figures.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use geonode_script::check;

/// Unoptimised, on a machine that other tests use as well.
const SLOWER: u32 = if cfg!(debug_assertions) { 40 } else { 1 };

/// An ordinary script of 200 lines.
fn script() -> String {
    let mut text = String::from("import bpy\nimport math\nfrom mathutils import Vector\n\n");
    for index in 0..28 {
        write!(
            text,
            "\ndef part_{index}(name, height=2.0):\n    mesh = bpy.data.meshes.new(f\"{{name}}_{index}\")\n    \
             verts = [Vector((math.cos(i), math.sin(i) * height, {index} * 0.1)) for i in range(12)]\n    \
             mesh.from_pydata(verts, [], [tuple(range(12))])\n    obj = bpy.data.objects.new(name, mesh)\n    \
             bpy.context.collection.objects.link(obj)\n"
        )
        .unwrap();
    }
    text
}

#[test]
fn a_script_of_two_hundred_lines_takes_two_milliseconds_and_the_start_ten() {
    let start = Instant::now();
    assert!(check("x = 1\n", "5.2").ok);
    let first = start.elapsed();
    let text = script();
    assert_eq!(text.lines().count(), 200);
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let verdict = check(&text, "5.2");
            assert!(verdict.ok, "{verdict:?}");
            start.elapsed()
        })
        .collect();
    times.sort();
    let median = times[times.len() / 2];
    println!("first verdict, with the policy: {first:?}; 200 lines: {median:?}");
    assert!(first < Duration::from_millis(10) * SLOWER, "{first:?}");
    assert!(median < Duration::from_millis(2) * SLOWER, "{median:?}");
}

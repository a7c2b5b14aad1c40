//! Time of a verdict: `cargo run --release -p geonode-script --example verdict_speed`.
//!
//! Prints a JSON array of figures, each `[what, value, unit, limit]`; times are medians. `cargo xtask bench` reads it.

use std::error::Error;
use std::fmt::Write as _;
use std::time::Instant;

use geonode_script::check;

const ROUNDS: usize = 15;

/// An ordinary script of 200 lines.
fn script() -> Result<String, std::fmt::Error> {
    let mut text = String::from("import bpy\nimport math\nfrom mathutils import Vector\n\n");
    for index in 0..28 {
        write!(
            text,
            "\ndef part_{index}(name, height=2.0):\n    mesh = bpy.data.meshes.new(f\"{{name}}_{index}\")\n    \
             verts = [Vector((math.cos(i), math.sin(i) * height, {index} * 0.1)) for i in range(12)]\n    \
             mesh.from_pydata(verts, [], [tuple(range(12))])\n    obj = bpy.data.objects.new(name, mesh)\n    \
             bpy.context.collection.objects.link(obj)\n"
        )?;
    }
    Ok(text)
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let first_fine = check("x = 1\n", "5.2").ok;
    let first = milliseconds(start);
    let text = script()?;
    let mut fine = first_fine && text.lines().count() == 200;
    let mut times: Vec<f64> = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        fine &= check(&text, "5.2").ok;
        times.push(milliseconds(start));
    }
    if !fine {
        return Err("the measured script is refused".into());
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(ROUNDS / 2).copied().unwrap_or(f64::NAN);
    let figures = serde_json::json!([
        ["first verdict, with reading the policy", first, "ms", 10.0],
        ["verdict on a script of 200 lines", median, "ms", 2.0],
    ]);
    println!("{figures}");
    Ok(())
}

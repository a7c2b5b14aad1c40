//! Prints the verdict on a file: `cargo run -p geonode-script --example verdict -- FILE [VERSION]`.
fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(source) = arguments.next().and_then(|file| std::fs::read_to_string(file).ok()) else {
        eprintln!("name a file that can be read");
        return;
    };
    let verdict = geonode_script::check(&source, &arguments.next().unwrap_or_else(|| "5.2".to_owned()));
    println!("{}", serde_json::to_string_pretty(&verdict).unwrap_or_default());
}

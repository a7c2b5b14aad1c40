//! Bytes per node of the compact form over the trees of a bundle: `compact_size CATALOGUE BUNDLE`.

use std::error::Error;

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, compact};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(arguments.next().ok_or("catalogue?")?)?)?;
    let bundle: Bundle = serde_json::from_str(&std::fs::read_to_string(arguments.next().ok_or("bundle?")?)?)?;
    let (mut nodes, mut bytes) = (0, 0);
    for (name, tree) in &bundle.trees {
        let text = compact(name, tree, &bundle.trees, &catalogue);
        nodes += tree.nodes.len();
        bytes += text.len();
        if std::env::var_os("SHOW").is_some_and(|wanted| wanted == name.as_str()) {
            println!("{text}");
        }
    }
    println!("{nodes} nodes, {bytes} bytes, {} bytes per node", bytes / nodes.max(1));
    Ok(())
}

//! Bytes per node of the compact form over the trees of bundles: `compact_size CATALOGUE BUNDLE…`. `SHOW=1` prints the text.

use std::error::Error;

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, compact};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(arguments.next().ok_or("catalogue?")?)?)?;
    let (mut nodes, mut bytes, mut whole) = (0, 0, 0);
    for path in arguments {
        let text = std::fs::read_to_string(path)?;
        let bundle = Bundle::read(&text)?;
        let short = compact(&bundle, &catalogue);
        nodes += bundle.trees.values().map(|tree| tree.nodes.len()).sum::<usize>();
        bytes += short.len();
        whole += serde_json::to_string(&bundle)?.len();
        if std::env::var_os("SHOW").is_some() {
            println!("{short}");
        }
    }
    println!(
        "{nodes} nodes, {bytes} bytes, {} per node; as IR {whole}",
        bytes / nodes.max(1)
    );
    Ok(())
}

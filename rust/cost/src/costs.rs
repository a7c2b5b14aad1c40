//! What nodes cost, by type: measured in Blender, kept as data.
//!
//! `costs.json` is written by `rust/xtask/src/bench/evaluation/nodes.py`, which builds each type by itself and measures it. A type that it does not
//! hold costs as much as a dear one. The file is part of the program; a test reads it, and were it broken, every node would count as a dear one.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

const DATA: &str = include_str!("costs.json");

/// The cost of a node type.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cost {
    /// Microseconds for one evaluation.
    fixed_us: f64,
    /// Nanoseconds per input or output element.
    #[serde(default)]
    item_ns: f64,
    /// The power with which time grows with elements; `item_ns` holds at `at` of them.
    #[serde(default)]
    power: Option<f64>,
    /// Elements at which `item_ns` was measured.
    #[serde(default)]
    at: f64,
    /// Nanoseconds for each element on which a field that it gives is evaluated.
    #[serde(default)]
    element_ns: f64,
    /// Temporary bytes per element, not counting input and output.
    #[serde(default)]
    pub scratch_b: f64,
    /// Name of the property and of the menu that decide between `modes`.
    #[serde(default)]
    mode: Option<(String, String)>,
    /// By value, folded.
    #[serde(default)]
    modes: HashMap<String, Cost>,
}

/// All costs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Costs {
    /// How they were found.
    #[expect(dead_code, reason = "for whoever reads the data")]
    source: String,
    /// Costs assumed for a type that was not measured.
    unknown: Cost,
    /// By type.
    nodes: HashMap<String, Cost>,
    /// Costs in older versions, for types that were much slower there.
    slower_before: HashMap<String, Slower>,
    /// Overhead per iteration of a zone.
    iterations: HashMap<String, Iteration>,
    /// Nanoseconds for each element of the result, after the last node.
    pub result_ns: f64,
    /// Bytes that a node holds until the evaluation ends.
    pub node_bytes: f64,
    /// Elements of the geometry in which look-ups were measured.
    pub target_elements: f64,
}

/// Everything is dear: what counts where no cost is known, so that an estimate is too high rather than nothing.
impl Default for Costs {
    fn default() -> Self {
        Self {
            source: "assumed".to_owned(),
            unknown: Cost {
                fixed_us: 50.0,
                item_ns: 2000.0,
                element_ns: 500.0,
                scratch_b: 16.0,
                ..Cost::default()
            },
            nodes: HashMap::new(),
            slower_before: HashMap::new(),
            iterations: HashMap::new(),
            result_ns: 10.0,
            node_bytes: 1000.0,
            target_elements: 10_000.0,
        }
    }
}

/// What a type cost in Blenders before a version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slower {
    /// Major and minor version.
    version: (u32, u32),
    cost: Cost,
}

/// Overhead of one iteration.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Iteration {
    pub us: f64,
    pub bytes: f64,
}

/// Overhead assumed for a zone that was not measured.
impl Default for Iteration {
    fn default() -> Self {
        Self {
            us: 100.0,
            bytes: 20_000.0,
        }
    }
}

/// The costs that are built in.
pub(crate) fn costs() -> &'static Costs {
    static COSTS: LazyLock<Costs> = LazyLock::new(|| read(DATA));
    &COSTS
}

fn read(data: &str) -> Costs {
    serde_json::from_str(data).unwrap_or_default()
}

impl Costs {
    /// Overhead per iteration of a zone of this kind.
    pub(crate) fn iteration(&self, zone: &str) -> Iteration {
        self.iterations.get(zone).copied().unwrap_or_default()
    }

    /// The cost of a node in its current mode (`mode`), in this Blender.
    pub(crate) fn of(&self, kind: &str, blender: &str, mode: &dyn Fn(&str, &str) -> String) -> &Cost {
        let slower = self
            .slower_before
            .get(kind)
            .filter(|slower| older(blender, slower.version));
        let known = slower.map(|slower| &slower.cost).or_else(|| self.nodes.get(kind));
        let cost = known.unwrap_or(&self.unknown);
        let special = cost
            .mode
            .as_ref()
            .and_then(|(property, menu)| cost.modes.get(&mode(property, menu)));
        special.unwrap_or(cost)
    }
}

/// Whether a version such as `4.5.15` is older than another.
pub(crate) fn older(blender: &str, than: (u32, u32)) -> bool {
    let mut parts = blender.split('.').map_while(|part| part.parse().ok());
    matches!((parts.next(), parts.next()), (Some(major), Some(minor)) if (major, minor) < than)
}

impl Cost {
    /// Seconds of one evaluation.
    pub(crate) fn fixed(&self) -> f64 {
        self.fixed_us * 1e-6
    }

    /// Seconds for so many elements.
    pub(crate) fn items(&self, items: f64) -> f64 {
        let linear = self.item_ns * 1e-9 * items;
        match self.power {
            Some(power) if self.at > 0.0 && items > 0.0 => linear * (items / self.at).powf(power - 1.0),
            _ => linear,
        }
    }

    /// Seconds for each element of a field.
    pub(crate) fn element(&self) -> f64 {
        self.element_ns * 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_blender_versions_have_their_own_costs() {
        let of = |blender: &str| {
            costs()
                .of("GeometryNodeFillCurve", blender, &|_, _| String::new())
                .items(50_000.0)
        };
        assert!(of("4.5.15") > 10.0 * of("5.2.3"));
        assert!(older("4.5.15", (5, 1)) && !older("5.2.3", (5, 1)) && !older("", (5, 1)));
    }

    #[test]
    fn damaged_data_is_estimated_as_expensive() {
        let (broken, whole) = (read("{"), costs());
        let any = broken.of("GeometryNodeMeshCube", "5.2.3", &|_, _| String::new());
        assert!(any.fixed() > whole.unknown.fixed());
        assert!(any.items(1e6) > whole.unknown.items(1e6) && any.element() > whole.unknown.element());
        assert!(broken.result_ns > whole.result_ns && broken.node_bytes > whole.node_bytes);
        assert!(broken.target_elements > 1.0);
        for (zone, known) in &whole.iterations {
            let assumed = broken.iteration(zone);
            assert!(assumed.us > known.us && assumed.bytes > known.bytes, "{zone}");
        }
    }

    #[test]
    fn the_measured_costs_are_complete() {
        let costs: Costs = serde_json::from_str(DATA).unwrap();
        assert!(costs.nodes.len() > 150, "{}", costs.nodes.len());
        assert!(costs.unknown.fixed() > 0.0 && costs.unknown.items(1e6) > 0.0 && costs.unknown.element() > 0.0);
        for zone in ["repeat", "simulation", "for_each", "closure"] {
            assert!(costs.iterations[zone].us > 0.0, "{zone}");
        }
        for (kind, cost) in &costs.nodes {
            assert!(
                cost.fixed_us >= 0.0 && cost.item_ns >= 0.0 && cost.element_ns >= 0.0,
                "{kind}"
            );
        }
    }

    #[test]
    fn merging_by_distance_is_estimated_as_it_was_measured() {
        // Vertices that it is given and makes, and the seconds it took, in 4.2 and 5.2.
        let measured = [
            (20_000.0, 0.021),
            (180_000.0, 0.6),
            (720_000.0, 4.4),
            (1_310_724.0, 12.0),
            (82_000.0, 0.65),
        ];
        for (items, seconds) in measured {
            for mode in ["all", "ALL", ""] {
                let cost = costs().of("GeometryNodeMergeByDistance", "5.2.0", &|_, _| mode.to_lowercase());
                let ratio = cost.items(items) / seconds;
                assert!((0.25..=4.0).contains(&ratio), "{items} {mode}: {ratio}");
            }
        }
        let along_edges = costs().of("GeometryNodeMergeByDistance", "5.2.0", &|_, _| "connected".to_owned());
        assert!(along_edges.items(720_000.0) < 0.5);
    }
}

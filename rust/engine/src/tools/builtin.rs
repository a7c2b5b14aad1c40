//! The tools that ship with the product. All of them only read.

use std::sync::{Arc, OnceLock};

use geonode_graph::{Catalogue, Document};
use geonode_prompting::{Index, docs};
use geonode_protocol::Code;
use geonode_tools::{CoreTool, Finish, Registry, Runner, RunsIn, Spec, SpecError, Tool, ToolError, read_result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The data for the tools of one run.
#[derive(Debug)]
pub(crate) struct World {
    /// The scene as captured at the start of the run.
    context: Value,
    catalogue: Arc<Catalogue>,
    /// Made by the first search.
    index: OnceLock<Index>,
}

impl World {
    pub(crate) fn new(context: Value, catalogue: &Arc<Catalogue>) -> Arc<Self> {
        Arc::new(Self {
            context,
            catalogue: Arc::clone(catalogue),
            index: OnceLock::new(),
        })
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.catalogue))
    }
}

/// The tool that needs a model with vision.
pub(crate) const PICTURE: &str = "picture";

/// Most bytes of one tree: larger ones are shown near their output.
const MAX_TREE: usize = 15_000;

/// Most bytes of the scene's summary.
const MAX_SCENE: usize = 14_000;

/// The contracts, compiled once.
///
/// # Errors
/// Never; a test compiles them.
pub(crate) fn specs() -> Result<&'static [Arc<Spec>], SpecError> {
    static SPECS: OnceLock<Result<Vec<Arc<Spec>>, SpecError>> = OnceLock::new();
    let make = || contracts().map(|specs| specs.into_iter().map(Arc::new).collect());
    SPECS.get_or_init(make).as_deref().map_err(Clone::clone)
}

/// Adds the tools that ship; the picture tool only if pictures may be sent.
///
/// # Errors
/// Never; a test adds them.
pub(crate) fn add(registry: &mut Registry, world: &Arc<World>, pictures: bool) -> Result<(), SpecError> {
    for spec in specs()? {
        if spec.id == PICTURE && !pictures {
            continue;
        }
        registry.add(Tool {
            runner: runner(spec, world)?,
            spec: Arc::clone(spec),
        })?;
    }
    registry.add(read_result()?)
}

/// The code of a tool. What a tool of the host reports may need no work here; a tool of the core without code is an error.
pub(crate) fn runner(spec: &Spec, world: &Arc<World>) -> Result<Runner, SpecError> {
    let world = Arc::clone(world);
    let core = |function: Arc<CoreTool>| Runner::Core(function);
    let host = |finish: Arc<Finish>| Runner::Host(finish);
    Ok(match (spec.place, spec.id.as_str()) {
        (RunsIn::Core, "node_docs") => core(Arc::new(move |input, _| node_docs(input, &world))),
        (RunsIn::Core, "search_nodes") => core(Arc::new(move |input, _| {
            Ok(docs::find_nodes(text(input, "query"), world.index()))
        })),
        (RunsIn::Core, "search_presets") => {
            core(Arc::new(move |input, _| search_presets(text(input, "query"), &world)))
        }
        (RunsIn::Core, id) => return Err(SpecError::NoCode(id.to_owned())),
        (RunsIn::Host, "tree_ir") => host(Arc::new(move |_, raw| tree_ir(raw, &world))),
        (RunsIn::Host, "scene_summary") => host(Arc::new(move |_, raw| Ok(scene_summary(raw, &world.catalogue)))),
        (RunsIn::Host, _) => host(Arc::new(|_, raw| Ok(raw))),
    })
}

fn text<'a>(input: &'a Value, key: &str) -> &'a str {
    input.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn node_docs(input: &Value, world: &World) -> Result<Value, ToolError> {
    let none = Map::new();
    let properties = input.get("properties").and_then(Value::as_object).unwrap_or(&none);
    match (text(input, "bl_idname"), text(input, "query")) {
        ("", "") => {
            let text = "Name a type (`bl_idname`) or give words (`query`).";
            Err(ToolError::new(Code::ToolValidationError, text))
        }
        ("", query) => Ok(json!({"nodes": docs::document_found(query, world.index(), &world.catalogue)})),
        (name, _) => {
            let page = docs::document_node(name, properties, world.index(), &world.catalogue);
            let page = page.map_err(|error| ToolError::new(error.code(), error.to_string()))?;
            Ok(json!({"nodes": [page]}))
        }
    }
}

fn search_presets(query: &str, world: &World) -> Result<Value, ToolError> {
    let found = geonode_prompting::search_presets(query, world.index(), &world.catalogue)
        .map_err(|error| ToolError::new(error.code(), error.to_string()))?;
    Ok(json!({"presets": found}))
}

/// The host's document as a page.
fn tree_ir(raw: Value, world: &World) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    struct Raw {
        node_group: String,
        document: Document,
    }
    let raw = Raw::deserialize(raw).map_err(|error| {
        ToolError::new(
            Code::InvalidDocument,
            format!("Blender's answer cannot be read: {error}."),
        )
    })?;
    let tree = geonode_prompting::tree_text(
        &raw.node_group,
        &world.context,
        &raw.document,
        &world.catalogue,
        MAX_TREE,
    );
    let tree = tree.ok_or_else(|| {
        let text = format!("There is no Geometry Nodes tree called {:?}.", raw.node_group);
        ToolError::new(Code::UnknownNodeGroup, text)
    })?;
    Ok(json!({"node_group": raw.node_group, "tree": tree}))
}

/// The scene as it is now, without its tree and within its size.
fn scene_summary(mut raw: Value, catalogue: &Catalogue) -> Value {
    if let Some(fields) = raw.as_object_mut() {
        fields.shift_remove("tree");
        fields.shift_remove("tree_focus");
    }
    geonode_prompting::view(raw, catalogue, MAX_SCENE).context
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn gives(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The schema of a result with fields that it may have besides.
fn with(mut schema: Value, optional: &Value) -> Value {
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let (Some(fields), Some(optional)) = (fields, optional.as_object()) {
        fields.extend(optional.clone());
    }
    schema
}

/// What a scene is told as, besides its objects; each other field (`…_left_out`) is a number.
fn scene() -> Value {
    let list = json!({"type": "array"});
    let mut schema = with(
        gives(&json!({"objects": list})),
        &json!({
            "collections": list, "materials": list, "images": list, "node_groups": list, "selection": list, "blender": list,
            "active_object": {}, "target_object": {}, "target_modifier": {}, "target_node_group": {},
            "units": {}, "frame": {}, "cut_kinds": {},
        }),
    );
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("additionalProperties".to_owned(), json!({"type": ["integer", "null"]}));
    }
    schema
}

fn on_host(spec: Spec) -> Spec {
    Spec {
        place: RunsIn::Host,
        ..spec
    }
}

fn contracts() -> Result<Vec<Spec>, SpecError> {
    let mut specs = of_the_catalogue()?;
    specs.extend(of_the_scene()?);
    Ok(specs)
}

/// The catalogue does not change during a run.
fn of_the_catalogue() -> Result<Vec<Spec>, SpecError> {
    let query = json!({"type": "string", "minLength": 1});
    Ok([
        Spec::new(
            "search_nodes",
            "Find node types",
            "Node types by words for what they do, best first, with the call of each.",
            object(&json!({"query": query}), &["query"]),
            gives(&json!({
                "nodes": {"type": "array", "items": {"type": "object", "required": ["call", "bl_idname", "label"]}},
                "left_out": {"type": "integer", "description": "How many more there are."},
            })),
        )?,
        Spec::new(
            "node_docs",
            "Node documentation",
            "Properties and sockets of a node type, with these `properties` such as {\"mode\": \"EDGES\"}; by its call or type in `bl_idname`, \
             or by words in `query`.",
            object(
                &json!({
                    "bl_idname": {"type": "string"},
                    "properties": {"type": "object"},
                    "query": query,
                }),
                &[],
            ),
            gives(
                &json!({"nodes": {"type": "array", "items": {"type": "object", "required": ["call", "bl_idname", "inputs", "outputs"]}}}),
            ),
        )?,
        Spec::new(
            "search_presets",
            "Find presets",
            "Ready effects near the words, with the page of one that fits.",
            object(&json!({"query": query}), &["query"]),
            gives(
                &json!({"presets": {"type": "array", "items": {"type": "object", "required": ["title", "example"]}}}),
            ),
        )?,
    ]
    .map(Spec::pure)
    .into())
}

fn of_the_scene() -> Result<Vec<Spec>, SpecError> {
    let object_name = json!({"type": "string"});
    let named = |more: Value| {
        let mut properties = json!({"object": {"type": "string"}});
        if let (Some(all), Value::Object(more)) = (properties.as_object_mut(), more) {
            all.extend(more);
        }
        gives(&properties)
    };
    Ok(vec![
        on_host(Spec::new(
            "scene_summary",
            "Scene summary",
            "The scene as it is now: objects, collections, materials, node groups.",
            object(&json!({}), &[]),
            scene(),
        )?),
        on_host(Spec::new(
            "modifier_stack",
            "Modifiers of an object",
            "An object's modifiers, with values of inputs.",
            object(&json!({"object_name": object_name}), &[]),
            with(named(json!({"modifiers": {"type": "array"}})), &json!({"type": {"type": "string"}, "library": {"type": "boolean"}})),
        )?),
        on_host(Spec::new(
            "tree_ir",
            "A node tree",
            "The page of a node group and of those in it.",
            object(&json!({"node_group_name": {"type": "string"}}), &[]),
            gives(&json!({"node_group": {"type": "string"}, "tree": {"type": "string"}})),
        )?),
        on_host(
            Spec::new(
                "geometry_stats",
                "Evaluated geometry",
                "What an object's modifiers make: counts, bounds.",
                object(&json!({"object_name": object_name}), &[]),
                with(named(json!({"evaluated": {"type": "object"}})), &json!({"note": {"type": "string"}})),
            )?
            .within(60.0)?,
        ),
        Spec {
            quota: 8,
            ..on_host(
                Spec::new(
                    PICTURE,
                    "Picture of an object",
                    "A small picture of an object as evaluated.",
                    object(
                        &json!({
                            "object_name": object_name,
                            "view": {"enum": ["perspective", "front", "side", "top"], "description": "Default: perspective."},
                        }),
                        &[],
                    ),
                    named(json!({
                        "image": {
                            "type": "object",
                            "properties": {
                                "media_type": {"const": "image/png"},
                                "data": {"type": "string", "description": "Base64; models get it as a picture."},
                            },
                            "required": ["media_type", "data"],
                        },
                        "width": {"type": "integer"},
                        "height": {"type": "integer"},
                    })),
                )?
                .within(60.0)?,
            )
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_runs_where_its_contract_says() {
        let world = World::new(Value::Null, &Arc::new(Catalogue::default()));
        let specs = specs().unwrap();
        assert!(specs.len() > 5);
        for spec in specs {
            let in_core = matches!(runner(spec, &world).unwrap(), Runner::Core(_));
            assert_eq!(in_core, spec.place == RunsIn::Core, "{}: its arm in `runner`", spec.id);
        }
        let forgotten = Spec::new(
            "forgotten",
            "",
            "A tool without code.",
            object(&json!({}), &[]),
            gives(&json!({})),
        );
        let forgotten = forgotten.unwrap();
        assert_eq!(
            runner(&forgotten, &world).err(),
            Some(SpecError::NoCode("forgotten".to_owned()))
        );
    }
}

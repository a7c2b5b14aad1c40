//! Native module `geonode_core`: the only crate that uses pyo3. It converts, releases the GIL, and turns every error and panic into
//! a Python exception; it contains no logic of its own.

mod agents;
mod alarm;
mod allocation;
mod arrays;
mod asked;
mod audit;
mod borrowed;
mod chains;
mod class_names;
mod client;
mod connection;
mod elements;
mod enclosure;
mod errors;
mod execution;
mod extensions;
mod holds;
mod interruption;
mod json;
mod keys;
mod kinds;
mod making;
mod membrane;
mod memory;
mod methods;
mod namespaces;
mod proof;
mod properties;
mod records;
mod references;
mod releases;
mod run;
mod seal;
mod slots;
mod ufuncs;
mod walks;
mod watchdog;

use std::collections::BTreeMap;

use geonode_engine::{EngineError, PlanInput, Settings};
use geonode_protocol::{Code, Version};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyString};

use crate::errors::{CoreError, detached};
use crate::json::{text_of, to_python};

/// Plans, providers and runs: the native core of the add-on.
#[pymodule]
mod geonode_core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    use pyo3::types::PyAnyMethods;

    #[pymodule_export]
    use super::{
        check_manifest, check_preset, check_script, check_tree, code_fix, code_section, compact, conversation_turns,
        diff, effects, error_codes, estimates, known_models, limits, lints, nearest_presets, pattern_is_quick,
        preset_draft, preset_plan, preset_prompt, presets, read_compact, reconcile, reset_telemetry, schema,
        script_policy, security_events, settings, shown_context, sockets, stack, structures, telemetry, tree_text,
        unfit_mesh, validate_plan, version,
    };
    #[pymodule_export]
    use crate::agents::Agents;
    #[pymodule_export]
    use crate::alarm::{alarm_allow, alarm_free, alarm_ready};
    #[pymodule_export]
    use crate::audit::{
        AuditLog, audit_flush, audit_renew, audit_start, audit_state, audit_stop, audit_trusted_script,
    };
    #[pymodule_export]
    use crate::client::{Client, Response, Stream, fingerprint};
    #[pymodule_export]
    use crate::connection::{ConnectionTest, local_ports, local_servers, stays_local};
    #[pymodule_export]
    use crate::elements::{elements_begin, elements_end, elements_look};
    #[pymodule_export]
    use crate::enclosure::{call_enclosed, enclosed_function};
    #[pymodule_export]
    use crate::execution::run_bounded;
    #[pymodule_export]
    use crate::extensions::{register_action, register_op, register_tool, tools, unregister, unregister_tool};
    #[pymodule_export]
    use crate::keys::{keep_key, key_place, remove_key};
    #[pymodule_export]
    use crate::membrane::membrane;
    #[pymodule_export]
    use crate::namespaces::Namespaces;
    #[pymodule_export]
    use crate::properties::{properties_begin, properties_end};
    #[pymodule_export]
    use crate::references::{
        references_begin, references_disown, references_end, references_forget, references_grown, references_held,
        references_point,
    };
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::seal::{Sealed, sandbox_missing, seal_this_process};
    #[pymodule_export]
    use crate::walks::{Walk, walks_begin, walks_end, walks_passing, walks_settle};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let classes = crate::errors::classes(module.py())?;
        for name in crate::errors::CLASSES {
            module.add(name, classes.as_any().get_item(name)?)?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Checks a plan (text or dict) against the protocol and, with a catalogue (path, JSON text or dict), against that Blender's nodes.
///
/// With a document (text or dict, as `inspect` returns it) the plan is checked against its trees. Returns `{"ok", "messages", "plan"}`; a refused
/// plan is a result, not an exception.
#[pyfunction]
#[pyo3(signature = (text, catalogue=None, document=None))]
fn validate_plan<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    catalogue: Option<&Bound<'py, PyAny>>,
    document: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let plan = plan_input(text)?;
    let catalogue = catalogue.map(source).transpose()?;
    let document = document.map(text_of).transpose()?;
    let verdict = detached(py, || {
        geonode_engine::validate_plan(&plan, catalogue.as_deref(), document.as_deref())
    })?;
    to_python(py, &verdict)
}

/// Judges a Python step for safe mode in this Blender version: `{"ok", "findings", "asks", "rewritten"?}`. A finding is
/// `{"code", "rule", "line", "column", "text", "hint"}` with line and column from 1; a refused script is a result, not an exception.
#[pyfunction]
#[pyo3(signature = (source, blender="5.2"))]
fn check_script<'py>(py: Python<'py>, source: &str, blender: &str) -> PyResult<Bound<'py, PyAny>> {
    let verdict = detached(py, || Ok::<_, CoreError>(geonode_script::check(source, blender)))?;
    to_python(py, &verdict)
}

/// Whether matching a pattern of `re` takes a time that a watchdog can wait for.
#[pyfunction]
fn pattern_is_quick(pattern: &str) -> bool {
    geonode_script::is_quick(pattern)
}

/// What safe mode allows in this Blender version, as data: `{"builtins", "called_only", "attributes", "dunder_read", "underscored",
/// "methods", "modules": {MODULE: [NAME]}, "operators", "node_types", "bounds": {NAME: MAXIMUM}, "items",
/// "integer_bits", "width_digits"}`.
#[pyfunction]
#[pyo3(signature = (blender="5.2"))]
fn script_policy<'py>(py: Python<'py>, blender: &str) -> PyResult<Bound<'py, PyAny>> {
    let allowed = detached(py, || Ok::<_, CoreError>(geonode_script::allowed(blender)))?;
    to_python(py, &allowed)
}

/// Why the mesh of a record, as JSON, may not be written into a mesh of Blender, which would read memory that is not there; None if it may.
#[pyfunction]
fn unfit_mesh(py: Python<'_>, text: &str) -> PyResult<Option<String>> {
    detached(py, || Ok::<_, CoreError>(geonode_script::record::unfit_mesh(text)))
}

/// Compiles a plan against exported trees (a Bundle) without Blender: `{"ok", "messages", "plan", "steps", "diff", "trees"}`.
#[pyfunction]
fn reconcile<'py>(
    py: Python<'py>,
    current_ir: &Bound<'py, PyAny>,
    plan: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let current = text_of(current_ir)?;
    let plan = plan_input(plan)?;
    let catalogue = source(catalogue)?;
    let result = detached(py, || geonode_engine::reconcile(&current, &plan, &catalogue))?;
    to_python(py, &result)
}

/// Checks the form of a tree document (text or dict, a Bundle); `ProtocolError` says what is wrong.
#[pyfunction]
fn check_tree(tree: &Bound<'_, PyAny>) -> PyResult<()> {
    let text = text_of(tree)?;
    detached(tree.py(), || geonode_engine::check_tree(&text))
}

/// The findings about the text of an end-to-end manifest, as for a plan (`schema("manifest")` is its form); empty if it is valid.
#[pyfunction]
fn check_manifest<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let findings = detached(py, || {
        let limits = geonode_protocol::Limits::default();
        Ok::<_, CoreError>(
            geonode_protocol::parse_manifest(text, &limits)
                .err()
                .unwrap_or_default(),
        )
    })?;
    to_python(py, &findings)
}

/// The changes from tree document `a` to `b` (text or dict, a Bundle) in plain words; empty for equal trees. With a catalogue (path,
/// JSON text or dict) sockets are named and values have units.
#[pyfunction]
#[pyo3(signature = (a, b, catalogue=None))]
fn diff(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, catalogue: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let (before, after) = (text_of(a)?, text_of(b)?);
    let catalogue = catalogue.map(source).transpose()?;
    detached(a.py(), || geonode_engine::diff(&before, &after, catalogue.as_deref()))
}

/// What the modifiers of each object of a document (text or dict, as `inspect` returns it) are expected to make and take, without
/// evaluating anything: `{OBJECT: {"elements", "seconds", "bytes", "incomplete", "loads", "result": {"vertices", "edges", …}}}`.
#[pyfunction]
fn estimates<'py>(
    py: Python<'py>,
    document: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let document = text_of(document)?;
    let catalogue = source(catalogue)?;
    let found = detached(py, || geonode_engine::estimates(&document, &catalogue))?;
    to_python(py, &found)
}

/// What the modifiers of a stack create by their numbers alone: `{"elements", "excessive"}`; from the first that creates more than Blender
/// can handle on, none is considered. `stack`: `{"elements", "extent", "modifiers": [{"type", …}]}` with the names of Blender.
#[pyfunction]
fn stack<'py>(py: Python<'py>, stack: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let stack = text_of(stack)?;
    let made = detached(py, || geonode_engine::stack(&stack))?;
    to_python(py, &made)
}

/// Certain mistakes in the trees of a document (text or dict, as `inspect` returns it) that Blender does not report:
/// `[{"tree", "node", "socket", "code", "effectless", "cause", "fix"}]`. `attributes`: the names of all attributes that exist.
#[pyfunction]
#[pyo3(signature = (document, catalogue, attributes=None))]
fn lints<'py>(
    document: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
    attributes: Option<std::collections::BTreeSet<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (text, catalogue) = (text_of(document)?, source(catalogue)?);
    let found = detached(document.py(), move || {
        geonode_engine::lints(&text, &catalogue, attributes.as_ref())
    })?;
    to_python(document.py(), &found)
}

/// The table of what nodes act on: `[{"node", "input", "mode", "acts_on": [COMPONENT…], "deep"}]`.
#[pyfunction]
fn effects(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &geonode_engine::effects())
}

/// The compact form of a tree document (text or dict, a Bundle), with the nodes of this catalogue (path, JSON text
/// or dict).
#[pyfunction]
fn compact(tree: &Bound<'_, PyAny>, catalogue: &Bound<'_, PyAny>) -> PyResult<String> {
    let (text, catalogue) = (text_of(tree)?, source(catalogue)?);
    detached(tree.py(), || geonode_engine::compact(&text, &catalogue))
}

/// The page of a tree document (text or dict, a Bundle) as tree text, with the nodes of this catalogue (path, JSON text or dict); `full`
/// with places and looks: `{"text", "losses": [TEXT…]}`, where losses are what the page cannot say.
#[pyfunction]
#[pyo3(signature = (tree, catalogue, *, full = false))]
fn tree_text<'py>(tree: &Bound<'py, PyAny>, catalogue: &Bound<'py, PyAny>, full: bool) -> PyResult<Bound<'py, PyAny>> {
    let (text, catalogue) = (text_of(tree)?, source(catalogue)?);
    let page = detached(tree.py(), || geonode_engine::tree_text(&text, &catalogue, full))?;
    to_python(tree.py(), &page)
}

/// The trees of a compact form by name, without the parts that it leaves out (places, frames, values of linked inputs).
#[pyfunction]
fn read_compact<'py>(py: Python<'py>, text: &str, catalogue: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let catalogue = source(catalogue)?;
    let trees = detached(py, || geonode_engine::read_compact(text, &catalogue))?;
    to_python(py, &trees)
}

/// All presets, those that ship first, then the user's (`[{"name", "text"}…]`), and which of those files are none:
/// `{"presets": [PRESET…], "unfit": [{"file", "code", "message"}]}`.
#[pyfunction]
fn presets<'py>(py: Python<'py>, own: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let own = text_of(own)?;
    let found = detached(py, || geonode_engine::presets(&own))?;
    to_python(py, &found)
}

/// What a file of a preset holds, after a strict check of its fields and, with the nodes of this catalogue, of its page; `preset_invalid` names
/// what is wrong.
#[pyfunction]
fn check_preset<'py>(
    py: Python<'py>,
    name: &str,
    text: &str,
    catalogue: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let catalogue = source(catalogue)?;
    let shown = detached(py, || geonode_engine::check_preset(name, text, &catalogue))?;
    to_python(py, &shown)
}

/// A tree document (text or dict, a Bundle) as the file of a preset: `{"id", "text", "losses": [TEXT…]}`. `head`: `{"title", "description"?,
/// "example"?, "words"?, "metres"?}`, where metres are those of a unit.
#[pyfunction]
fn preset_draft<'py>(
    tree: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
    head: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (tree, catalogue, head, py) = (text_of(tree)?, source(catalogue)?, text_of(head)?, tree.py());
    let draft = detached(py, || geonode_engine::preset_draft(&tree, &catalogue, &head))?;
    to_python(py, &draft)
}

/// The plan that applies a preset to the object that a context (as `capture_context` returns it) is about. `wanted`: `{"id", "values"?,
/// "presets"?}` with the values by parameter, and the files of the user's presets.
#[pyfunction]
fn preset_plan<'py>(wanted: &Bound<'py, PyAny>, context: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (wanted, context, py) = (text_of(wanted)?, text_of(context)?, context.py());
    let plan = detached(py, || geonode_engine::preset_plan(&wanted, &context))?;
    to_python(py, &plan)
}

/// Number of turns of a stored conversation, given its name and the folder that a request named as `folder`. None if there is no such
/// conversation, or it is damaged.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as pyo3 hands it over")]
fn conversation_turns(py: Python<'_>, folder: std::path::PathBuf, name: &str) -> PyResult<Option<usize>> {
    detached(py, || {
        Ok::<_, CoreError>(geonode_store::conversation::Conversation::count_of(&folder, name))
    })
}

/// What each socket of every tree of a document holds: `{tree: {node: {"inputs"|"outputs": {identifier: STRUCTURE}}}}`, with the names of
/// Blender's `inferred_structure_type`.
#[pyfunction]
fn structures<'py>(
    py: Python<'py>,
    tree: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (text, catalogue) = (text_of(tree)?, source(catalogue)?);
    let structures = detached(py, || geonode_engine::structures(&text, &catalogue))?;
    to_python(py, &structures)
}

/// The available sockets of every node of a tree document: `{tree: {node: {"inputs"|"outputs": [[identifier, name, type]…]}}}`.
#[pyfunction]
fn sockets<'py>(
    py: Python<'py>,
    tree: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (text, catalogue) = (text_of(tree)?, source(catalogue)?);
    let sockets = detached(py, || geonode_engine::sockets(&text, &catalogue))?;
    to_python(py, &sockets)
}

/// The part of a context (as `capture_context` returns it) that a model would see within a budget of tokens: cut if necessary, with the target's tree
/// as a page of tree text, the requested slices, and a hash. `document` is the answer of `inspect` for the slices.
#[pyfunction]
fn shown_context<'py>(
    context: &Bound<'py, PyAny>,
    document: &Bound<'py, PyAny>,
    catalogue: &Bound<'py, PyAny>,
    budget_tokens: u64,
    slices: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, slices) = (context.py(), text_of(slices)?);
    let (context, document, catalogue) = (text_of(context)?, text_of(document)?, source(catalogue)?);
    let shown = detached(py, || {
        geonode_engine::shown_context(&context, &document, &catalogue, budget_tokens, &slices)
    })?;
    to_python(py, &shown)
}

/// Name of the schema of tree documents.
const TREE_IR: &str = "tree_ir";

/// The JSON Schema of this name, including extensions; `ProtocolError` lists the names when there is none.
#[pyfunction]
fn schema<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let tree_ir = (name == TREE_IR).then(geonode_graph::ir::schema);
    let Some(schema) = tree_ir.or_else(|| geonode_engine::extensions().schema(name)) else {
        let known = geonode_protocol::schemas().into_iter().map(|(name, _)| name);
        let names: Vec<&str> = known.chain([TREE_IR]).collect();
        let text = format!("There is no schema {name:?}. Known schemas: {}.", names.join(", "));
        return Err(CoreError::protocol(Code::InvalidEnum, text).into());
    };
    to_python(py, &schema)
}

/// Every code of the product, in the order of the registry.
#[pyfunction]
fn error_codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.as_str()).collect()
}

/// What to do about a code, in one line; None for a text that is no code of the registry.
#[pyfunction]
fn code_fix(code: &str) -> Option<&'static str> {
    code.parse::<Code>().ok().map(Code::fix)
}

/// The part of the product that a code belongs to, such as `preflight`; None for a text that is no code of the registry.
#[pyfunction]
fn code_section(code: &str) -> Option<&'static str> {
    code.parse::<Code>().ok().map(Code::section)
}

/// Sizes that core and host both keep to: `{"name_bytes", "nested", "tree_bytes"}`.
#[pyfunction]
fn limits() -> BTreeMap<&'static str, usize> {
    BTreeMap::from([
        ("name_bytes", geonode_graph::ir::MAX_NAME),
        ("nested", geonode_graph::ir::MAX_NESTED),
        ("tree_bytes", geonode_graph::MAX_BYTES),
    ])
}

/// Counters over the runs of this process with telemetry on, and the durations of their parts: `{"runs", "retries", "tool_calls",
/// "gate_failures", "tokens", "spans": {NAME: {"count", "p50_ms", "p95_ms", "max_ms"}}}`.
#[pyfunction]
fn telemetry(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &geonode_engine::telemetry())
}

/// Resets the counters of `telemetry`.
#[pyfunction]
fn reset_telemetry() {
    geonode_engine::reset_telemetry();
}

/// The security events of this process: `{"counts": {kind: count}, "latest": [{"at", "kind", "detail"}]}`; the latest
/// 500 are kept, never any content.
#[pyfunction]
fn security_events(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &geonode_engine::security_events())
}

/// Every setting of a run: `[{"name", "type", "doc", "default", "min"?, "max"?, "words"?, "preference": {"title", "about",
/// "section", "start"?}}]`.
#[pyfunction]
fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &Settings::describe())
}

/// What is known of language models: `[{"provider", "ids", "family", "context", "output", "structured_output", "tools", "images", "streaming",
/// "prices", "priced_to", "source"}]`; None is “not known”. Prices are US dollars for a million tokens.
#[pyfunction]
fn known_models(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &geonode_provider::models())
}

/// A prompt that calls for a shipped preset, with `{object}` in place of the object's name; None where words alone cannot, as for one that needs a
/// second object.
#[pyfunction]
fn preset_prompt(py: Python<'_>, id: &str) -> PyResult<Option<String>> {
    detached(py, || geonode_engine::preset_prompt(id))
}

/// The IDs of the shipped presets nearest to a prompt, at most three, the nearest first.
#[pyfunction]
fn nearest_presets(py: Python<'_>, prompt: &str) -> PyResult<Vec<String>> {
    detached(py, || geonode_engine::nearest_presets(prompt))
}

/// `{"core", "protocol", "ir", "catalogue"}`: versions of the core and of what it reads.
#[pyfunction]
fn version(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(
        py,
        &serde_json::json!({"core": env!("CARGO_PKG_VERSION"), "protocol": Version::ALL.map(Version::text), "ir": 1, "catalogue": 1}),
    )
}

fn plan_input(plan: &Bound<'_, PyAny>) -> PyResult<PlanInput> {
    let text = text_of(plan)?;
    if plan.is_instance_of::<PyString>() {
        return Ok(PlanInput::Text(text));
    }
    detached(plan.py(), || {
        serde_json::from_str(&text).map_err(|e| EngineError::Request(e.to_string()))
    })
    .map(PlanInput::Json)
}

/// A path or JSON text; path objects and dicts are converted.
fn source(catalogue: &Bound<'_, PyAny>) -> PyResult<String> {
    if catalogue.hasattr("__fspath__")? {
        return text_of(&catalogue.call_method0("__fspath__")?);
    }
    text_of(catalogue)
}

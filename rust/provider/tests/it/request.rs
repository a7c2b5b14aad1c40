//! Requests are values: built once, copied with changes, equal where they ask the same.

use super::common::hello;
use geonode_provider::{Filter, Message, Options, Request, RequestBuilder, Role, Tool, ToolCall};
use serde_json::{Value, json};

fn tool(name: &str) -> Tool {
    Tool {
        name: name.into(),
        description: "looks".into(),
        input_schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
    }
}

fn full() -> Request {
    Request::builder(vec![Message::user("two rocks 😀")])
        .system(Some("Be brief.".into()))
        .schema(Some(json!({"type": "object", "minProperties": 1.0})))
        .tools(vec![tool("look"), tool("count")])
        .tool_filter(Filter::Only(vec!["look".into(), "count".into()]))
        .context_filter(Filter::Only(vec!["units".into()]))
        .max_tokens(Some(77))
        .options(Options {
            temperature: Some(0.5),
            seed: Some(3),
        })
        .build()
        .unwrap()
}

fn print(request: &Request) -> String {
    request.fingerprint("openai", Some("m")).to_string()
}

#[test]
fn a_copy_changes_one_field_and_leaves_the_original() {
    let original = full();
    let before = format!("{original:?}");
    let changed = [
        original.with_messages(vec![Message::user("three")]).unwrap(),
        original.with_message(Message::user("and now?")).unwrap(),
        original.with_system(None).unwrap(),
        original.with_schema(None).unwrap(),
        original
            .with_tools(vec![tool("look"), tool("count"), tool("more")])
            .unwrap(),
        original.with_tool_filter(Filter::None).unwrap(),
        original.with_context_filter(Filter::All).unwrap(),
        original.with_max_tokens(None).unwrap(),
        original.with_options(Options::default()).unwrap(),
    ];
    let mut prints: Vec<String> = changed.iter().chain([&original]).map(print).collect();
    assert_eq!(format!("{original:?}"), before);
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), changed.len() + 1, "each change is another request");
    assert_eq!(original.to_builder().build().unwrap(), original);
}

#[test]
fn the_filter_says_which_tools_are_offered() {
    let offered = |filter| -> Vec<String> {
        let request = full().with_tool_filter(filter).unwrap();
        request.offered().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!(offered(Filter::All), ["look", "count"]);
    assert_eq!(offered(Filter::Only(vec!["count".into()])), ["count"]);
    assert!(offered(Filter::None).is_empty());
}

/// Pinned, and computed independently of this code (sorted keys, no spaces, SHA-256): a change of these values makes every key of every cache out there worthless and must raise the version in the document.
#[test]
fn fingerprints_are_the_same_on_every_platform() {
    let plain = hello().fingerprint("anthropic", None).to_string();
    assert_eq!(
        plain,
        "5a63278aa8361ad404adc17376d29148b20d444cba56b0d8c58d278ec8e38aa5"
    );
    assert_eq!(
        print(&full()),
        "b634fec108cee0af4a7edb18c9d047ef8b0c11cc392064f50a50a1fa6ce63d04"
    );
}

#[test]
fn the_spelling_of_a_request_does_not_change_its_fingerprint() {
    let read = |value: Value| -> Request {
        let builder: RequestBuilder = serde_json::from_value(value).unwrap();
        builder.build().unwrap()
    };
    let one = read(json!({
        "messages": [{"role": "user", "content": "x"}], "schema": {"type": "object", "minimum": 1},
        "tools": [{"name": "a", "input_schema": {}}, {"name": "b", "input_schema": {}}], "tool_filter": {"only": ["a", "b"]},
        "options": {"temperature": 1}
    }));
    let other = read(json!({
        "options": {"seed": null, "temperature": 1.0}, "tool_filter": {"only": ["b", "a", "b"]},
        "tools": [{"input_schema": {}, "name": "a"}, {"name": "b", "description": "", "input_schema": {}}],
        "schema": {"minimum": 1.0, "type": "object"}, "messages": [{"content": "x", "role": "user"}]
    }));
    assert_eq!(print(&one), print(&other));
    assert_ne!(
        one.fingerprint("openai", Some("m")),
        one.fingerprint("openai", Some("n"))
    );
    assert_ne!(
        one.fingerprint("openai", Some("m")),
        one.fingerprint("gemini", Some("m"))
    );
}

#[test]
fn identifiers_of_calls_do_not_count_but_their_order_does() {
    let called = |first: &str, second: &str, answers: [&str; 2]| {
        let call = |id: &str, at: &str| ToolCall {
            id: id.into(),
            name: "look".into(),
            arguments: json!({ "at": at }),
        };
        let answer = |id: &str| Message {
            tool_call_id: Some(id.into()),
            ..Message::new(Role::Tool, "grey")
        };
        let calls = Message {
            tool_calls: vec![call(first, "Rock"), call(second, "Tree")],
            ..Message::new(Role::Assistant, "")
        };
        let messages = vec![Message::user("x"), calls, answer(answers[0]), answer(answers[1])];
        print(&Request::new(messages).unwrap())
    };
    assert_eq!(called("c1", "c2", ["c1", "c2"]), called("zz", "a", ["zz", "a"]));
    assert_ne!(called("c1", "c2", ["c1", "c2"]), called("c1", "c2", ["c2", "c1"]));
}

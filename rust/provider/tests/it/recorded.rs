//! What each dialect sends and hears, as files: `replies/NAME`, a folder for every provider that is reached over the network.
//!
//! | file | what |
//! |---|---|
//! | `request.json` | the request for [`conversation`]: line (also of a stream), headers, headers that are absent, body (`UPDATE=1` writes it) |
//! | `reply.json` | a whole reply that says [`HELLO`], 9 tokens in and 7 out |
//! | `stream.sse`, `stream.json` | a stream with thoughts, text, a tool call and usage; the events that it means (`UPDATE=1` writes them) |
//! | `endings.json` | events of short streams, and how each `ends`, or with which code it `fails` |
//! | `models.json` | pages of a model list, the lines that ask for them, and the models that they name |
//! | `vendor.json` | only of vendors: what theirs takes and refuses, see [`super::strict`] |
//! | `peers.json` | under which path the independent servers speak it, and within how many chunks of theirs text begins |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use geonode_provider::{Content, Message, Models, Options, Part, Provider, Request, Role, Tool, ToolCall};
use serde_json::{Value, json};

/// The text of every `reply.json`.
pub(crate) const HELLO: &str = "Hello";

/// The text of every `stream.sse`.
pub(crate) const STREAMED: &str = "Hel😀lo";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/replies")
}

/// Every provider that is reached over the network.
pub(crate) fn spoken() -> Vec<Provider> {
    let all: Vec<Provider> = Provider::ALL
        .iter()
        .copied()
        .filter(|provider| provider.uses_network())
        .collect();
    assert!(all.len() > 3);
    all
}

/// Those of them with rules of their own for requests.
pub(crate) fn vendors() -> Vec<Provider> {
    let all: Vec<Provider> = spoken()
        .into_iter()
        .filter(|provider| provider.models() == Models::Vendor)
        .collect();
    assert!(all.len() > 2);
    all
}

fn path(provider: Provider, file: &str) -> PathBuf {
    folder().join(provider.name()).join(file)
}

/// A file of a provider's folder.
pub(crate) fn text(provider: Provider, file: &str) -> String {
    let path = path(provider, file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file of a provider's folder, read.
pub(crate) fn read(provider: Provider, file: &str) -> Value {
    serde_json::from_str(&text(provider, file)).unwrap_or_else(|error| panic!("{provider:?} {file}: {error}"))
}

/// The list in a file, which is not empty.
pub(crate) fn list(value: &Value) -> &Vec<Value> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is not a list"));
    assert!(!list.is_empty());
    list
}

/// A word in a file.
pub(crate) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// Compares what was made with what the file says; `UPDATE` writes the file instead.
pub(crate) fn compare(provider: Provider, file: &str, expected: &Value, made: &Value, whole: impl Fn(Value) -> Value) {
    if std::env::var_os("UPDATE").is_some() && expected != made {
        let text = serde_json::to_string_pretty(&whole(made.clone())).unwrap();
        return std::fs::write(path(provider, file), text + "\n").unwrap();
    }
    assert_eq!(made, expected, "{provider:?} {file}: made, and expected");
}

/// A whole reply, in one line.
pub(crate) fn reply(provider: Provider) -> String {
    read(provider, "reply.json").to_string()
}

/// A stream of recorded events: `{"event"?, "data"}`, the data a value or a text that is sent as it is.
pub(crate) fn stream_of(events: &Value) -> String {
    let lines = list(events).iter().map(|event| {
        let name = event.get("event").map(|name| format!("event: {}\n", word(name)));
        let data = &event["data"];
        let data = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
        format!("{}data: {data}\n\n", name.unwrap_or_default())
    });
    lines.collect()
}

/// The conversation whose request is recorded.
pub(crate) fn conversation() -> Request {
    let call = ToolCall {
        id: "c1".into(),
        name: "look".into(),
        arguments: json!({"at": "Rock"}),
    };
    Request::builder(vec![
        Message {
            content: Content::Parts(vec![
                Part::Text { text: "see".into() },
                Part::Image {
                    media_type: "image/png".into(),
                    data: "AAAA".into(),
                },
            ]),
            ..Message::user("")
        },
        Message {
            tool_calls: vec![call],
            ..Message::new(Role::Assistant, "I look.")
        },
        Message {
            tool_call_id: Some("c1".into()),
            ..Message::new(Role::Tool, "grey")
        },
        Message::user("and now?"),
    ])
    .system(Some("Be brief.".into()))
    .schema(Some(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                            "additionalProperties": false}),
    ))
    .tools(vec![Tool {
        name: "look".into(),
        description: "looks".into(),
        input_schema: json!({"type": "object"}),
    }])
    .max_tokens(Some(77))
    .options(Options {
        temperature: Some(0.5),
        seed: Some(3),
    })
    .build()
    .unwrap()
}

#[test]
fn every_dialect_has_its_folder() {
    let kept: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let spoken: BTreeSet<String> = spoken().iter().map(|provider| provider.name().to_owned()).collect();
    assert_eq!(
        kept, spoken,
        "a folder in tests/it/replies for every provider on the network, and no other"
    );
    for provider in self::spoken() {
        let vendor = path(provider, "vendor.json").exists();
        assert_eq!(vendor, provider.models() == Models::Vendor, "{provider:?}: vendor.json");
    }
}

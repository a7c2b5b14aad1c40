//! A server that refuses what the vendors refuse and no independent mock does (2026-11): Anthropic's version 2026-10-21, which takes no
//! sampling parameters; Gemini's `/v1`, whose fields are few; schemas outside of each vendor's subset. Its rules are written from the
//! vendors' documents, not from this crate.

#![allow(
    clippy::too_many_lines,
    clippy::struct_excessive_bools,
    reason = "tables of rules, one vendor after the other"
)]

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use super::common::{Seen, Server, json};
use geonode_protocol::Code;
use geonode_provider::{Message, Options, Provider, Request, Response, Role, Tool};
use serde_json::{Map, Value, json};

const VENDORS: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::Gemini];

/// The server of a vendor: a reply for what it takes, the vendor's own error for everything else.
fn strict(provider: Provider) -> Server {
    Server::new(move |_, request, connection| {
        let answer = match refusal(provider, request) {
            None => json("200 OK", &said(provider)),
            Some(why) => json("400 Bad Request", &refused(provider, &why)),
        };
        let _ = connection.write_all(&answer);
    })
}

fn said(provider: Provider) -> String {
    match provider {
        Provider::OpenAi => json!({"id": "r", "model": "served", "status": "completed", "output": [{"type": "message",
            "role": "assistant", "content": [{"type": "output_text", "text": "ready"}]}]}),
        Provider::Anthropic => json!({"id": "m", "type": "message", "role": "assistant", "model": "served",
            "content": [{"type": "text", "text": "ready"}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1}}),
        _ => json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "ready"}]}, "finishReason": "STOP"}]}),
    }
    .to_string()
}

fn refused(provider: Provider, why: &str) -> String {
    match provider {
        Provider::OpenAi => {
            json!({"error": {"message": why, "type": "invalid_request_error", "param": null, "code": null}})
        }
        Provider::Anthropic => json!({"type": "error", "error": {"type": "invalid_request_error", "message": why}}),
        _ => json!({"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}}),
    }
    .to_string()
}

/// Why the vendor refuses the request.
fn refusal(provider: Provider, request: &Seen) -> Option<String> {
    let head = request.head.to_ascii_lowercase();
    let line = head.lines().next().unwrap_or_default().to_owned();
    let header = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")).map(str::to_owned))
    };
    let Ok(Value::Object(body)) = serde_json::from_str(&request.body) else {
        return Some("the body is no object".into());
    };
    let unknown = |known: &[&str]| {
        let name = body.keys().find(|key| !known.contains(&key.as_str()))?;
        Some(format!("Unknown parameter: {name}"))
    };
    match provider {
        Provider::OpenAi => {
            let known = [
                "model",
                "instructions",
                "input",
                "max_output_tokens",
                "text",
                "tools",
                "store",
                "stream",
                "temperature",
            ];
            (line != "post /v1/responses http/1.1")
                .then(|| "no such path".into())
                .or_else(|| header("authorization").is_none().then(|| "no key".into()))
                .or_else(|| unknown(&known))
                .or_else(|| {
                    body.get("text").and_then(|text| {
                        let format = &text["format"];
                        let name = format["name"].as_str().unwrap_or_default();
                        let good = !name.is_empty()
                            && name.len() <= 64
                            && name
                                .bytes()
                                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
                        if !good {
                            return Some("Invalid name".into());
                        }
                        (format["strict"] == json!(true))
                            .then(|| outside(&format["schema"], &OPENAI))?
                            .map(|why| format!("Invalid schema for response_format '{name}': {why}"))
                    })
                })
        }
        Provider::Anthropic => {
            let known = [
                "model",
                "max_tokens",
                "system",
                "messages",
                "output_config",
                "tools",
                "stream",
                "cache_control",
            ];
            let sampling = ["temperature", "top_p", "top_k"]
                .into_iter()
                .find(|name| body.contains_key(*name));
            let first = body["messages"][0]["role"].as_str();
            (line != "post /v1/messages http/1.1")
                .then(|| "no such path".into())
                .or_else(|| {
                    (header("anthropic-version").as_deref() != Some("2026-10-21")).then(|| "anthropic-version".into())
                })
                .or_else(|| {
                    (header("x-api-key").is_some() == header("authorization").is_some()).then(|| "one key".into())
                })
                .or_else(|| {
                    sampling.map(|name| format!("{name}: sampling parameters are not supported on this version"))
                })
                .or_else(|| (!body["max_tokens"].is_u64()).then(|| "max_tokens: Field required".into()))
                .or_else(|| (first != Some("user")).then(|| "messages: first message must use the user role".into()))
                .or_else(|| unknown(&known))
                .or_else(|| {
                    body.get("output_config")
                        .and_then(|config| outside(&config["format"]["schema"], &ANTHROPIC))
                })
        }
        _ => {
            let known = ["contents", "systemInstruction", "generationConfig", "tools"];
            let config = body.get("generationConfig").cloned().unwrap_or_else(|| json!({}));
            let fields = [
                "maxOutputTokens",
                "temperature",
                "seed",
                "responseMimeType",
                "responseJsonSchema",
            ];
            let strange = config
                .as_object()
                .unwrap()
                .keys()
                .find(|key| !fields.contains(&key.as_str()))
                .cloned();
            let path = line == "post /v1/models/m:generatecontent http/1.1";
            (!path)
                .then(|| format!("no such path: {line}"))
                .or_else(|| header("x-goog-api-key").is_none().then(|| "API key".into()))
                .or_else(|| unknown(&known))
                .or_else(|| strange.map(|name| format!("Unknown name \"{name}\" at 'generation_config'")))
                .or_else(|| {
                    let schema = config.get("responseJsonSchema")?;
                    if config["responseMimeType"] != json!("application/json") {
                        return Some("responseMimeType".into());
                    }
                    outside(schema, &GEMINI)
                })
        }
    }
}

/// A vendor's rules for schemas, as its documents state them.
struct Rules {
    allowed: &'static [&'static str],
    closed: bool,
    all_required: bool,
    references_stand_alone: bool,
    recursion: bool,
    optional: usize,
    unions: usize,
    depth: usize,
}

const COMMON: [&str; 10] = [
    "type",
    "description",
    "title",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "$ref",
];

const OPENAI: Rules = Rules {
    allowed: &[
        "$defs",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "pattern",
        "format",
    ],
    closed: true,
    all_required: true,
    references_stand_alone: true,
    recursion: true,
    optional: 0,
    unions: usize::MAX,
    depth: 10,
};
const ANTHROPIC: Rules = Rules {
    allowed: &["$defs", "const", "format"],
    closed: true,
    all_required: false,
    references_stand_alone: false,
    recursion: false,
    optional: 24,
    unions: 16,
    depth: usize::MAX,
};
const GEMINI: Rules = Rules {
    allowed: &[
        "$defs",
        "$id",
        "$anchor",
        "format",
        "prefixItems",
        "oneOf",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
    ],
    closed: false,
    all_required: false,
    references_stand_alone: true,
    recursion: false,
    optional: usize::MAX,
    unions: usize::MAX,
    depth: usize::MAX,
};

#[derive(Default)]
struct Counted {
    optional: usize,
    unions: usize,
    /// References that were followed: each definition counts once, as the schema holds it once.
    seen: HashSet<String>,
}

fn outside(schema: &Value, rules: &Rules) -> Option<String> {
    if schema["type"] != json!("object") || schema.get("anyOf").is_some() {
        return Some("the root is an object".into());
    }
    let mut counted = Counted::default();
    part(schema, schema, rules, 1, &mut Vec::new(), &mut counted).or_else(|| {
        (counted.optional > rules.optional || counted.unions > rules.unions)
            .then(|| "compiled grammar is too large".into())
    })
}

fn part(
    at: &Value,
    root: &Value,
    rules: &Rules,
    depth: usize,
    inside: &mut Vec<String>,
    counted: &mut Counted,
) -> Option<String> {
    let Some(fields) = at.as_object() else {
        return Some(format!("{at} is no schema"));
    };
    if depth > rules.depth {
        return Some("too deep".into());
    }
    if let Some(name) = fields
        .keys()
        .find(|key| !COMMON.contains(&key.as_str()) && !rules.allowed.contains(&key.as_str()))
    {
        return Some(format!("'{name}' is not permitted"));
    }
    if fields.contains_key("anyOf") || fields.get("type").is_some_and(Value::is_array) {
        counted.unions += 1;
    }
    if let Some(to) = fields.get("$ref").and_then(Value::as_str) {
        if rules.references_stand_alone && fields.len() > 1 {
            return Some("$ref cannot have keywords beside it".into());
        }
        let Some(target) = to.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else {
            return Some(format!("reference to component '{to}' which was not found"));
        };
        if inside.iter().any(|name| name == to) {
            return (!rules.recursion).then(|| "recursion is not supported".into());
        }
        // Where depth counts, every way to a definition does.
        if !counted.seen.insert(to.to_owned()) && rules.depth == usize::MAX {
            return None;
        }
        inside.push(to.to_owned());
        let found = part(target, root, rules, depth, inside, counted);
        inside.pop();
        return found;
    }
    let empty = Map::new();
    let properties = fields.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if fields.get("type") == Some(&json!("object")) {
        if rules.closed && fields.get("additionalProperties") != Some(&json!(false)) {
            return Some("'additionalProperties' is required to be supplied and to be false".into());
        }
        let required = fields
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let missing = properties
            .keys()
            .filter(|name| !required.contains(&json!(name)))
            .count();
        if rules.all_required && missing > 0 {
            return Some("'required' is required to include every key in properties".into());
        }
        counted.optional += missing;
    }
    let below = properties.values().map(|value| (value, depth + 1));
    let lists = ["anyOf", "oneOf", "prefixItems"]
        .into_iter()
        .filter_map(|key| fields.get(key)?.as_array());
    let below = below.chain(lists.flatten().map(|value| (value, depth)));
    let below = below.chain(fields.get("items").map(|value| (value, depth)));
    let mut below = below.chain(
        fields
            .get("additionalProperties")
            .filter(|value| value.is_object())
            .map(|value| (value, depth)),
    );
    below.find_map(|(value, depth)| part(value, root, rules, depth, inside, counted))
}

/// Everything that a request can have.
fn full() -> Request {
    Request::builder(vec![
        Message::user("hello"),
        Message::new(Role::Assistant, "I am here."),
        Message::user("and now?"),
    ])
    .system(Some("Be brief.".into()))
    .schema(Some(json!({"type": "object", "required": ["count"], "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "name": {"type": "string", "minLength": 1, "pattern": "^a", "default": "a"},
        "tags": {"type": "array", "items": {"oneOf": [{"const": "x"}, {"type": "null"}]}, "minItems": 2},
    }})))
    .tools(vec![Tool {
        name: "look".into(),
        description: "looks".into(),
        input_schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
    }])
    .options(Options {
        temperature: Some(0.5),
        seed: Some(3),
    })
    .build()
    .unwrap()
}

/// Whether the provider was given the schema and took it.
fn constrained(response: &Response) -> bool {
    response.notices.iter().all(|notice| notice.code != Code::SchemaRefused)
}

#[test]
fn strict_vendors_take_everything_that_a_request_can_have() {
    for provider in VENDORS {
        let server = strict(provider);
        let response = server.client_of(provider).send(&full());
        let response = response.unwrap_or_else(|error| panic!("{provider:?}: {error}\n{}", server.seen()[0].body));
        assert_eq!(response.text, "ready");
        assert!(constrained(&response), "{provider:?}: the schema constrains the reply");
        assert_eq!(server.seen().len(), 1);
    }
}

#[test]
fn the_plans_own_schema_is_legal_everywhere() {
    let schema = geonode_protocol::schema("plan").unwrap();
    for provider in VENDORS {
        let server = strict(provider);
        let client = server.client_of(provider);
        let lowered = client
            .lowered(&schema)
            .unwrap_or_else(|| panic!("{provider:?} cannot be given the plan's schema"));
        let request = Request::builder(vec![Message::user("plan")])
            .schema(Some(lowered))
            .build()
            .unwrap();
        let response = client
            .send(&request)
            .unwrap_or_else(|error| panic!("{provider:?}: {error}"));
        assert!(constrained(&response), "{provider:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

/// The server refuses what this crate never sends, so that the tests above can fail.
#[test]
fn the_strict_server_is_strict() {
    let object = |rest: Value| {
        let mut schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        schema
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        schema
    };
    let openai = |schema: Value| json!({"model": "m", "input": "x", "text": {"format": {"type": "json_schema", "name": "r", "strict": true, "schema": schema}}});
    let anthropic = |rest: Value| {
        let mut body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]});
        body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        body
    };
    let anthropic_schema =
        |schema: Value| anthropic(json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}}));
    let gemini =
        |config: Value| json!({"contents": [{"role": "user", "parts": [{"text": "x"}]}], "generationConfig": config});
    let gemini_schema =
        |schema: Value| gemini(json!({"responseMimeType": "application/json", "responseJsonSchema": schema}));
    let bearer = "authorization: Bearer k\r\n";
    let versioned = "x-api-key: k\r\nanthropic-version: 2026-10-21\r\n";
    let old = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";
    let goog = "x-goog-api-key: k\r\n";
    let cyclic = object(json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}));
    let optional = object(json!({"properties": {"a": {"type": "string"}}}));
    let many: Map<String, Value> = (0..25).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let unions: Map<String, Value> = (0..17)
        .map(|n| (format!("p{n}"), json!({"type": ["string", "null"]})))
        .collect();
    let names: Vec<String> = unions.keys().cloned().collect();
    let table = [
        (Provider::OpenAi, "responses", bearer, openai(object(json!({}))), true),
        (Provider::OpenAi, "responses", bearer, openai(cyclic.clone()), true),
        (Provider::OpenAi, "responses", "", openai(object(json!({}))), false),
        (
            Provider::OpenAi,
            "chat/completions",
            bearer,
            openai(object(json!({}))),
            false,
        ),
        (Provider::OpenAi, "responses", bearer, openai(optional.clone()), false),
        (
            Provider::OpenAi,
            "responses",
            bearer,
            openai(json!({"type": "object"})),
            false,
        ),
        (
            Provider::OpenAi,
            "responses",
            bearer,
            openai(json!({"anyOf": [object(json!({}))]})),
            false,
        ),
        (
            Provider::OpenAi,
            "responses",
            bearer,
            openai(object(json!({"allOf": []}))),
            false,
        ),
        (
            Provider::OpenAi,
            "responses",
            bearer,
            openai(object(
                json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}),
            )),
            false,
        ),
        (Provider::Anthropic, "messages", versioned, anthropic(json!({})), true),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic_schema(optional),
            true,
        ),
        (Provider::Anthropic, "messages", old, anthropic(json!({})), false),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic(json!({"temperature": 0})),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic(json!({"top_p": 1})),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic(json!({"max_tokens": null})),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic(json!({"messages": [{"role": "assistant", "content": "x"}]})),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic_schema(cyclic.clone()),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic_schema(object(json!({"properties": {"a": {"type": "integer", "minimum": 1}}}))),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic_schema(object(json!({"properties": many}))),
            false,
        ),
        (
            Provider::Anthropic,
            "messages",
            versioned,
            anthropic_schema(object(json!({"properties": unions, "required": names}))),
            false,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini(json!({"maxOutputTokens": 9})),
            true,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini_schema(json!({"type": "object"})),
            true,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            "",
            gemini(json!({})),
            false,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini(json!({"responseSchema": {}})),
            false,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini_schema(cyclic),
            false,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini_schema(object(json!({"minLength": 1}))),
            false,
        ),
        (
            Provider::Gemini,
            "models/m:generateContent",
            goog,
            gemini(json!({"responseJsonSchema": {"type": "object"}})),
            false,
        ),
    ];
    let servers = VENDORS.map(|provider| (provider, strict(provider)));
    for (provider, path, headers, body, taken) in table {
        let server = &servers.iter().find(|(one, _)| *one == provider).unwrap().1;
        let status = post(server, path, headers, &body.to_string());
        assert_eq!(status == 200, taken, "{provider:?} {headers:?} {body}");
    }
    let gemini = &servers[2].1;
    let beta = gemini.base_url.replace("/v1", "/v1beta");
    assert_eq!(
        post_to(&beta, "models/m:generateContent", goog, "{\"contents\":[]}"),
        400
    );
}

#[test]
fn what_a_strict_vendor_refuses_is_asked_for_in_words_once() {
    // The first request is refused as a schema that cannot be compiled, whatever it says.
    let server = Server::script(vec![
        json(
            "400 Bad Request",
            &refused(Provider::Anthropic, "compiled grammar is too large"),
        ),
        json("200 OK", &said(Provider::Anthropic)),
    ]);
    let response = server.client_of(Provider::Anthropic).send(&full()).unwrap();
    assert!(!constrained(&response));
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(refusal(Provider::Anthropic, &seen[1]), None, "{}", seen[1].body);
    assert!(seen[1].json().get("output_config").is_none() && seen[1].body.contains("minLength"));
}

fn post(server: &Server, path: &str, headers: &str, body: &str) -> u16 {
    post_to(&server.base_url, path, headers, body)
}

/// The status of a request that is written by hand.
fn post_to(base_url: &str, path: &str, headers: &str, body: &str) -> u16 {
    let (host, prefix) = base_url["http://".len()..].split_once('/').unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    let head = format!(
        "POST /{prefix}/{path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    connection
        .write_all([head.as_bytes(), body.as_bytes()].concat().as_slice())
        .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

//! A server that refuses what the vendors refuse and no independent mock does. Its rules are the `vendor.json` of a dialect's folder, written
//! from the vendor's documents and not from this crate: which header carries the key, the body as a JSON Schema, what constrained output
//! takes, and requests that the vendor takes or refuses.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::common::{Seen, Server, json};
use super::recorded::{self, HELLO, read, vendors, word};
use geonode_protocol::Code;
use geonode_provider::{Message, Options, Provider, Request, Response, Role, Tool};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A vendor's rules for requests, as its documents state them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vendor {
    /// Where the rules are from.
    #[serde(rename = "about")]
    _about: String,
    /// The headers that carry a key: exactly one of them comes.
    key: Vec<String>,
    /// Headers with the values that they must have.
    headers: Map<String, Value>,
    /// What the body is, as a JSON Schema.
    body: Value,
    /// The vendor's error, with `WHY` in the place of its words.
    refusal: Value,
    /// What constrained output takes.
    schema: Rules,
    /// Requests that are written by hand: `{"line"?, "headers", "body", "taken"}`.
    cases: Vec<Case>,
    /// The request line and the reply, from the other files.
    #[serde(skip)]
    line: String,
    #[serde(skip)]
    reply: String,
}

/// A vendor's rules for schemas, as its documents state them.
#[expect(clippy::struct_excessive_bools, reason = "a table of rules")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// Where the schema stands in the body.
    at: String,
    /// Where the body says that the schema constrains the reply, with the value for it; else it is advice.
    constrains: Map<String, Value>,
    /// Whether a request can have tools beside it; for the tests in Python, as `optional`.
    #[serde(rename = "with_tools")]
    _with_tools: bool,
    keywords: Vec<String>,
    closed: bool,
    all_required: bool,
    references_stand_alone: bool,
    recursion: bool,
    /// Most properties that are not required; null: any number.
    optional: Option<usize>,
    unions: Option<usize>,
    depth: Option<usize>,
    /// The vendor's words for a schema that it does not take.
    refused: String,
    /// What becomes of schemas, for `dialects.rs`.
    #[serde(rename = "sent")]
    _sent: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: Option<String>,
    headers: Map<String, Value>,
    body: Value,
    taken: bool,
}

impl Vendor {
    fn of(provider: Provider) -> Arc<Self> {
        let rules = read(provider, "vendor.json");
        let mut vendor: Self = serde_json::from_value(rules).unwrap_or_else(|error| panic!("{provider:?}: {error}"));
        word(&read(provider, "request.json")["line"]).clone_into(&mut vendor.line);
        vendor.reply = recorded::reply(provider);
        Arc::new(vendor)
    }

    /// The server of the vendor: a reply for what it takes, the vendor's own error for everything else.
    fn serve(self: Arc<Self>) -> Server {
        Server::new(move |_, request, connection| {
            let answer = match self.objection(request) {
                None => json("200 OK", &self.reply),
                Some(why) => self.refuse(&why),
            };
            let _ = connection.write_all(&answer);
        })
    }

    fn refuse(&self, why: &str) -> Vec<u8> {
        let why = Value::from(why).to_string();
        json("400 Bad Request", &self.refusal.to_string().replace("\"WHY\"", &why))
    }

    /// Why the vendor refuses the request.
    fn objection(&self, request: &Seen) -> Option<String> {
        let (line, head) = request.head.split_once('\n').unwrap_or((&request.head, ""));
        if line.trim() != format!("{} HTTP/1.1", self.line) {
            return Some(format!("no such path: {line}"));
        }
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.find_map(|(one, value)| one.eq_ignore_ascii_case(name).then_some(value.trim()))
        };
        let keys = self.key.iter().filter(|name| header(name).is_some()).count();
        if keys != 1 {
            return Some(format!("{keys} keys"));
        }
        if let Some((name, _)) = self.headers.iter().find(|(name, value)| header(name) != value.as_str()) {
            return Some(name.clone());
        }
        let Ok(body) = serde_json::from_str::<Value>(&request.body) else {
            return Some("the body is no JSON".into());
        };
        let form = jsonschema::validator_for(&self.body).unwrap();
        if let Some(error) = form.iter_errors(&body).next() {
            return Some(format!("{error} at {}", error.instance_path()));
        }
        let rules = &self.schema;
        let schema = body.pointer(&rules.at)?;
        let constrains = rules
            .constrains
            .iter()
            .all(|(at, value)| body.pointer(at) == Some(value));
        constrains.then(|| outside(schema, rules))?
    }

    /// A body that it takes, with this schema in the place for it.
    fn constrained_by(&self, schema: &Value) -> (Map<String, Value>, Value) {
        let at = &self.schema.at;
        let taken = self
            .cases
            .iter()
            .find(|case| case.taken && case.body.pointer(at).is_some());
        let taken = taken.expect("a case with a schema that is taken");
        let mut body = taken.body.clone();
        *body.pointer_mut(at).unwrap() = schema.clone();
        (taken.headers.clone(), body)
    }
}

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
    let above = |count: usize, most: Option<usize>| most.is_some_and(|most| count > most);
    part(schema, schema, rules, 1, &mut Vec::new(), &mut counted).or_else(|| {
        (above(counted.optional, rules.optional) || above(counted.unions, rules.unions)).then(|| rules.refused.clone())
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
    if rules.depth.is_some_and(|most| depth > most) {
        return Some("too deep".into());
    }
    if let Some(name) = fields.keys().find(|key| !rules.keywords.contains(key)) {
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
        if !counted.seen.insert(to.to_owned()) && rules.depth.is_none() {
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
    for provider in vendors() {
        let server = Vendor::of(provider).serve();
        let response = server.client_of(provider).send(&full());
        let response = response.unwrap_or_else(|error| panic!("{provider:?}: {error}\n{}", server.seen()[0].body));
        assert_eq!(response.text, HELLO);
        assert!(constrained(&response), "{provider:?}: the schema constrains the reply");
        assert_eq!(server.seen().len(), 1);
    }
}

#[test]
fn the_plans_own_schema_is_legal_everywhere() {
    let schemas = crate::schema::plan_forms().map(|(schema, _)| schema);
    for (provider, schema) in vendors()
        .into_iter()
        .flat_map(|provider| schemas.iter().map(move |one| (provider, one)))
    {
        let server = Vendor::of(provider).serve();
        let client = server.client_of(provider);
        let lowered = client
            .adapted_schema(schema)
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

/// Schemas with what the rules say of them: whether the vendor takes each.
fn judged(rules: &Rules) -> Vec<(&'static str, Value, bool)> {
    let object = |rest: Value| {
        let mut schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        schema
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        schema
    };
    let many = |count: usize, part: Value| -> Map<String, Value> {
        (0..count).map(|number| (format!("p{number}"), part.clone())).collect()
    };
    let text = json!({"type": "string"});
    let takes_optional = rules.optional != Some(0) && !rules.all_required;
    let mut table = vec![
        ("nothing", object(json!({})), true),
        ("open", json!({"type": "object"}), !rules.closed),
        ("a union at the root", json!({"anyOf": [object(json!({}))]}), false),
        ("unknown keyword", object(json!({"allOf": []})), false),
        (
            "length",
            object(json!({"properties": {"a": {"type": "string", "minLength": 1}}, "required": ["a"]})),
            false,
        ),
        (
            "bounds",
            object(json!({"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]})),
            rules.keywords.iter().any(|name| name == "minimum"),
        ),
        (
            "a reference that leads nowhere",
            object(json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]})),
            false,
        ),
        (
            "a circle",
            object(json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})),
            rules.recursion,
        ),
        (
            "an optional property",
            object(json!({"properties": {"a": text}})),
            takes_optional,
        ),
    ];
    if let Some(most) = rules.optional {
        table.push((
            "too many optional properties",
            object(json!({"properties": many(most + 1, text)})),
            false,
        ));
    }
    if let Some(most) = rules.unions {
        let unions = many(most + 1, json!({"type": ["string", "null"]}));
        let names: Vec<&String> = unions.keys().collect();
        table.push((
            "too many unions",
            object(json!({"properties": unions, "required": names})),
            false,
        ));
    }
    if let Some(most) = rules.depth {
        let deep = (0..most).fold(object(json!({})), |inner, _| {
            object(json!({"properties": {"a": inner}, "required": ["a"]}))
        });
        table.push(("too deep", deep, false));
    }
    table
}

/// The server refuses what this crate never sends, so that the tests above can fail.
#[test]
fn the_strict_server_is_strict() {
    for provider in vendors() {
        let vendor = Vendor::of(provider);
        let server = Arc::clone(&vendor).serve();
        let (mut taken, mut refused) = (0, 0);
        let mut judge = |what: &str, line: &str, headers: &Map<String, Value>, body: &Value, good: bool| {
            let status = post(&server, line, headers, &body.to_string());
            assert_eq!(status == 200, good, "{provider:?}: {what}: {headers:?} {body}");
            *if good { &mut taken } else { &mut refused } += 1;
        };
        for case in &vendor.cases {
            let line = case.line.as_deref().unwrap_or(&vendor.line);
            judge("a case", line, &case.headers, &case.body, case.taken);
        }
        for (what, schema, good) in judged(&vendor.schema) {
            let (headers, body) = vendor.constrained_by(&schema);
            judge(what, &vendor.line, &headers, &body, good);
        }
        assert!(
            taken > 2 && refused > 5,
            "{provider:?}: {taken} taken, {refused} refused"
        );
    }
}

#[test]
fn a_schema_that_a_strict_vendor_refuses_is_replaced_by_words_once() {
    for provider in vendors() {
        let vendor = Vendor::of(provider);
        // The first request is refused as a schema that cannot be compiled, whatever it says.
        let server = Server::script(vec![
            vendor.refuse(&vendor.schema.refused),
            json("200 OK", &vendor.reply),
        ]);
        let request = full().to_builder().tools(Vec::new()).build().unwrap();
        let response = server.client_of(provider).send(&request).unwrap();
        assert!(!constrained(&response), "{provider:?}");
        let seen = server.seen();
        assert_eq!(seen.len(), 2, "{provider:?}");
        assert_eq!(vendor.objection(&seen[1]), None, "{provider:?}: {}", seen[1].body);
        assert_eq!(seen[1].json().pointer(&vendor.schema.at), None, "{provider:?}");
        assert!(seen[1].body.contains("minLength"), "{provider:?}: {}", seen[1].body);
    }
}

/// The status of a request that is written by hand.
fn post(server: &Server, line: &str, headers: &Map<String, Value>, body: &str) -> u16 {
    let (host, _) = server.base_url["http://".len()..].split_once('/').unwrap();
    let headers: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {}\r\n", word(value)))
        .collect();
    let headers = headers.concat();
    let mut connection = TcpStream::connect(host).unwrap();
    let head = format!(
        "{line} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    );
    connection
        .write_all([head.as_bytes(), body.as_bytes()].concat().as_slice())
        .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

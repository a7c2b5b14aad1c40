//! What clients can read without knowing a tool, and the prompts that they offer to people.

use std::collections::HashMap;

use geonode_tools::Image;
use rmcp::model::{JsonObject, Prompt, PromptArgument, Reference, Resource, ResourceContents, ResourceTemplate};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A page, or with `argument` a family of pages: a text, or the outcome of a tool that reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Its address, or what the address begins with.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What is on it.
    pub description: String,
    /// What it consists of.
    pub kind: String,
    /// The page itself; without it, the outcome of `tool`.
    #[serde(default)]
    pub text: Option<String>,
    /// The tool whose outcome it is.
    #[serde(default)]
    pub tool: String,
    /// The tool's argument that the rest of the address gives.
    #[serde(default)]
    pub argument: Option<String>,
    /// The field of the outcome that is the page; without one the whole outcome is, as JSON.
    #[serde(default)]
    pub field: Option<String>,
}

/// A prompt that a client offers to its user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saying {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Names and meanings of what the user fills in; all are required.
    pub arguments: Vec<(String, String)>,
    /// Addresses of pages that go with the text, with `{NAME}` where an argument goes.
    #[serde(default)]
    pub pages: Vec<String>,
    /// The text, with `{NAME}` where an argument goes.
    pub text: String,
}

/// A prompt that is filled in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Filled {
    /// Addresses of the pages that go with it.
    pub(crate) pages: Vec<String>,
    pub(crate) text: String,
}

/// Where the values come from that a client offers while a person types one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choices {
    /// The tool whose outcome lists them.
    pub tool: String,
    /// The tool's argument that takes what was typed; without one the outcome lists all of them.
    #[serde(default)]
    pub query: Option<String>,
    /// The field of the outcome with the list.
    pub list: String,
    /// The field of an entry that is the value.
    pub field: String,
}

/// All pages and prompts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The pages.
    pub pages: Vec<Page>,
    /// The prompts.
    pub sayings: Vec<Saying>,
    /// Values of the arguments of pages and prompts, by the argument's name.
    #[serde(default)]
    pub choices: HashMap<String, Choices>,
}

impl Choices {
    /// The tool's arguments for what was typed.
    pub(crate) fn arguments(&self, typed: &str) -> Value {
        match &self.query {
            Some(query) => json!({query: typed}),
            None => json!({}),
        }
    }

    /// The values that fit what was typed: first those that begin with it, then those that have it in them.
    pub(crate) fn values(&self, outcome: &Value, typed: &str) -> Vec<String> {
        let listed = outcome.get(&self.list).and_then(Value::as_array).into_iter().flatten();
        let values = listed.filter_map(|one| one.get(&self.field)?.as_str());
        let typed = typed.to_lowercase();
        let mut fitting: Vec<(bool, &str)> = values
            .filter_map(|value| {
                let at = value.to_lowercase().find(&typed);
                // A search also knows other words for it.
                (at.is_some() || self.query.is_some()).then_some((at != Some(0), value))
            })
            .collect();
        fitting.sort_by_key(|(later, _)| *later);
        fitting.into_iter().map(|(_, value)| value.to_owned()).collect()
    }
}

impl Page {
    /// The page as a picture.
    pub(crate) fn picture(uri: &str, image: Image) -> ResourceContents {
        ResourceContents::BlobResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(image.media_type),
            blob: image.data,
            meta: None,
        }
    }

    pub(crate) fn contents(&self, uri: &str, outcome: &Value) -> ResourceContents {
        let field = self.field.as_ref().and_then(|field| outcome.get(field));
        let said = self.text.as_deref().or(field.and_then(Value::as_str));
        let text = said.map_or_else(|| outcome.to_string(), str::to_owned);
        ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(self.kind.clone()),
            text,
            meta: None,
        }
    }
}

impl Library {
    pub(crate) fn resources(&self) -> Vec<Resource> {
        let single = self.pages.iter().filter(|page| page.argument.is_none());
        let shown = single.map(|page| {
            Resource::new(page.uri.clone(), page.name.clone())
                .with_description(page.description.clone())
                .with_mime_type(page.kind.clone())
        });
        shown.collect()
    }

    pub(crate) fn templates(&self) -> Vec<ResourceTemplate> {
        let families = self.pages.iter().filter_map(|page| {
            let argument = page.argument.as_ref()?;
            let uri = format!("{}{{{argument}}}", page.uri);
            let shown = ResourceTemplate::new(uri, page.name.clone());
            let shown = shown.with_description(page.description.clone());
            Some(shown.with_mime_type(page.kind.clone()))
        });
        families.collect()
    }

    /// The page of an address, and the arguments of its tool.
    pub(crate) fn find(&self, uri: &str) -> Option<(&Page, Value)> {
        self.pages.iter().find_map(|page| match &page.argument {
            None => (page.uri == uri).then(|| (page, json!({}))),
            Some(argument) => {
                let rest = uri.strip_prefix(&page.uri).filter(|rest| !rest.is_empty())?;
                Some((page, json!({argument: unescaped(rest)?})))
            }
        })
    }

    /// Where the values of an argument come from, if a page or a prompt has such an argument.
    pub(crate) fn choices_for(&self, owner: &Reference, argument: &str) -> Option<&Choices> {
        let has = match owner {
            Reference::Resource(page) => self.pages.iter().any(|known| {
                let template = known.argument.as_ref().map(|name| format!("{}{{{name}}}", known.uri));
                known.argument.as_deref() == Some(argument) && template.as_deref() == Some(page.uri.as_str())
            }),
            Reference::Prompt(prompt) => self
                .sayings
                .iter()
                .any(|known| known.name == prompt.name && known.arguments.iter().any(|(name, _)| name == argument)),
            _ => false,
        };
        self.choices.get(argument).filter(|_| has)
    }

    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        let shown = self.sayings.iter().map(|saying| {
            let arguments = saying.arguments.iter().map(|(name, meaning)| {
                PromptArgument::new(name.clone())
                    .with_description(meaning.clone())
                    .with_required(true)
            });
            let arguments: Vec<_> = arguments.collect();
            let arguments = (!arguments.is_empty()).then_some(arguments);
            Prompt::new(saying.name.clone(), Some(saying.description.clone()), arguments)
        });
        shown.collect()
    }

    /// A prompt with what the user has filled in, or what is wrong with the request.
    pub(crate) fn prompt(&self, name: &str, given: &JsonObject) -> Result<Filled, String> {
        let saying = self.sayings.iter().find(|saying| saying.name == name);
        let saying = saying.ok_or("There is no such prompt. Use one that is listed.")?;
        let mut filled = Map::new();
        for (argument, _) in &saying.arguments {
            let value = given.get(argument).and_then(Value::as_str);
            let value = value.ok_or_else(|| format!("The prompt needs {argument}, a text."))?;
            filled.insert(argument.clone(), value.into());
        }
        let text = fill(&saying.text, &filled);
        for value in filled.values_mut() {
            if let Value::String(value) = value {
                // What stands for itself in an address.
                *value = value.replace('%', "%25");
            }
        }
        let pages = saying.pages.iter().map(|page| fill(page, &filled)).collect();
        Ok(Filled { pages, text })
    }
}

/// The text with each `{NAME}` replaced; what is filled in is not looked at again.
fn fill(text: &str, values: &Map<String, Value>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.split_once('}');
        match named.and_then(|(name, rest)| Some((values.get(name)?.as_str()?, rest))) {
            Some((value, rest)) => {
                filled.push_str(value);
                filled.push_str(rest);
            }
            None => {
                filled.push('{');
                filled.push_str(part);
            }
        }
    }
    filled
}

/// An address's text without its escapes (`%20`).
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Library {
        let page = |uri: &str, argument: Option<&str>, field: Option<&str>| Page {
            uri: uri.into(),
            name: "page".into(),
            description: "A page".into(),
            kind: "text/plain".into(),
            text: None,
            tool: "tool".into(),
            argument: argument.map(Into::into),
            field: field.map(Into::into),
        };
        Library {
            pages: vec![
                page("geonode://guide", None, Some("guide")),
                page("geonode://tree/", Some("name"), None),
            ],
            sayings: vec![Saying {
                name: "make".into(),
                description: "Makes".into(),
                arguments: vec![("wish".into(), "What".into())],
                pages: vec!["geonode://tree/{wish}".into()],
                text: "Make {wish}, {not this}.".into(),
            }],
            choices: ["name", "wish"].map(|name| (name.to_owned(), choices(None))).into(),
        }
    }

    fn choices(query: Option<&str>) -> Choices {
        Choices {
            tool: "tool".into(),
            query: query.map(Into::into),
            list: "groups".into(),
            field: "name".into(),
        }
    }

    #[test]
    fn what_is_typed_is_completed() {
        let library = library();
        let (page, prompt) = (
            Reference::for_resource("geonode://tree/{name}"),
            Reference::for_prompt("make"),
        );
        assert!(library.choices_for(&page, "name").is_some());
        assert!(library.choices_for(&prompt, "wish").is_some());
        let other = Reference::for_prompt("other");
        for (owner, argument) in [(&page, "wish"), (&prompt, "name"), (&other, "wish")] {
            assert!(library.choices_for(owner, argument).is_none(), "{argument}");
        }
        let outcome =
            json!({"groups": [{"name": "My Rocks"}, {"name": "Rock Field"}, {"name": "Grass"}, {"other": 1}]});
        let all = choices(None);
        assert_eq!(all.arguments("rock"), json!({}));
        assert_eq!(all.values(&outcome, "rock"), ["Rock Field", "My Rocks"]);
        assert_eq!(all.values(&outcome, ""), ["My Rocks", "Rock Field", "Grass"]);
        assert_eq!(all.values(&json!({}), ""), [""; 0]);
        let search = choices(Some("query"));
        assert_eq!(search.arguments("rock"), json!({"query": "rock"}));
        assert_eq!(search.values(&outcome, "grass"), ["Grass", "My Rocks", "Rock Field"]);
    }

    #[test]
    fn addresses_name_pages_and_what_they_are_about() {
        let library = library();
        let found = |uri: &str| library.find(uri).map(|(page, arguments)| (page.uri.clone(), arguments));
        assert_eq!(found("geonode://guide"), Some(("geonode://guide".into(), json!({}))));
        let tree = |name: &str| Some(("geonode://tree/".to_owned(), json!({"name": name})));
        assert_eq!(found("geonode://tree/Grass%20%C3%A4"), tree("Grass ä"));
        for wrong in [
            "geonode://tree/",
            "geonode://tree/%zz",
            "geonode://tree/%ff",
            "geonode://",
            "file:///etc",
        ] {
            assert_eq!(found(wrong), None, "{wrong}");
        }
        assert_eq!(
            library.templates().first().unwrap().uri_template,
            "geonode://tree/{name}"
        );
        assert_eq!(library.resources().len(), 1);
    }

    #[test]
    fn a_prompt_is_filled_once() {
        let library = library();
        let given = |text: &str| json!({"wish": text}).as_object().unwrap().clone();
        let filled = library.prompt("make", &given("{wish}")).unwrap();
        assert_eq!(filled.text, "Make {wish}, {not this}.");
        let [page] = library
            .prompt("make", &given("100%"))
            .unwrap()
            .pages
            .try_into()
            .unwrap();
        let (_, arguments) = library.find(&page).unwrap();
        assert_eq!(arguments, json!({"name": "100%"}), "it names what the user named");
        assert!(library.prompt("make", &Map::new()).unwrap_err().contains("needs wish"));
        assert!(library.prompt("other", &given("x")).is_err());
    }
}

//! Whether a model can be reached, in words a person can act on, and which servers of models run on this machine.

use std::time::{Duration, Instant};

use geonode_protocol::Code;
use reqwest::Url;
use serde::Serialize;

use crate::client::Client;
use crate::config::{ClientConfig, is_loopback};
use crate::error::ProviderError;
use crate::message::Message;
use crate::providers::{Models, Provider};
use crate::request::RequestBuilder;
use crate::secret::ApiKey;

/// Ports on which servers of language models usually listen.
pub const LOCAL_PORTS: [(&str, u16); 4] = [
    ("Ollama", 11434),
    ("LM Studio", 1234),
    ("llama.cpp", 8080),
    ("vLLM", 8000),
];

/// A server on this machine answers at once or not at all.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(1);
/// A model that is loaded for the first time takes a while.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The shortest question that every model can answer.
const QUESTION: &str = "Answer with the word: ready";
const ANSWER_TOKENS: u32 = 64;
/// How many models a hint names, and how alike they are to the one that is not there.
const MAX_NAMED: usize = 3;
const ALIKE: f64 = 0.4;

/// What a test of a connection found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Whether the model answers.
    pub ok: bool,
    /// What is wrong; none when all is well.
    pub code: Option<Code>,
    /// What was found, in words.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What the endpoint offers; empty when it does not say.
    pub models: Vec<String>,
    /// Time that the endpoint took, in milliseconds.
    pub ms: f64,
}

/// Why a connection is of no use, with what to do about it.
struct Failed {
    code: Code,
    text: String,
    hint: String,
}

impl From<&ProviderError> for Failed {
    fn from(error: &ProviderError) -> Self {
        Self {
            code: error.code(),
            text: error.to_string(),
            hint: error.code().fix().to_owned(),
        }
    }
}

/// A test that may be cancelled from another thread.
#[derive(Debug)]
pub struct ConnectionTest {
    provider: String,
    model: Option<String>,
    base_url: Option<String>,
    /// None for the offline planner, which needs no connection.
    client: Option<Result<Client, ProviderError>>,
}

impl ConnectionTest {
    /// Prepares a test; sends nothing. What cannot work is part of the outcome.
    pub fn new(provider: &str, model: Option<String>, base_url: Option<String>, api_key: Option<String>) -> Self {
        let client = || {
            Client::new(ClientConfig {
                model: model.clone(),
                base_url: base_url.clone(),
                api_key: api_key.map(ApiKey::new).transpose()?,
                timeout: TIMEOUT,
                local_timeout: None,
                max_retries: 0,
                ..ClientConfig::new(Provider::from_name(provider)?)
            })
        };
        Self {
            client: (provider != Provider::OFFLINE).then(client),
            provider: provider.to_owned(),
            model,
            base_url,
        }
    }

    /// Asks for the list of models, then one short question. Takes a minute at most.
    pub fn run(&self) -> Outcome {
        let started = Instant::now();
        let mut models = Vec::new();
        let found = match &self.client {
            None => Ok("The offline planner needs no connection.".to_owned()),
            Some(Err(error)) => Err(Failed::from(error)),
            Some(Ok(client)) => self.ask(client, &mut models, started),
        };
        let ms = started.elapsed().as_secs_f64() * 1000.0;
        match found {
            Ok(text) => Outcome {
                ok: true,
                code: None,
                text,
                hint: None,
                models,
                ms,
            },
            Err(failed) => Outcome {
                ok: false,
                code: Some(failed.code),
                text: failed.text,
                hint: Some(failed.hint),
                models,
                ms,
            },
        }
    }

    /// Ends what is in flight within a second. To be called again until [`Self::run`] returns: it may be between two calls.
    pub fn cancel(&self) {
        if let Some(Ok(client)) = &self.client {
            client.cancel();
        }
    }

    fn ask(&self, client: &Client, models: &mut Vec<String>, started: Instant) -> Result<String, Failed> {
        match client.models() {
            Ok(offered) => models.extend(offered.into_iter().map(|model| model.id)),
            // Some endpoints have no list; whether they answer is what counts.
            Err(error) if matches!(error.code(), Code::BadResponse | Code::UnknownModel | Code::BadRequest) => {}
            Err(error) => return Err(Failed::from(&error)),
        }
        let place = self.base_url.as_deref().unwrap_or(&self.provider);
        if let Some(model) = &self.model
            && !models.is_empty()
            && !models.contains(model)
            && client.provider().models() == Models::Server
        {
            return Err(Failed {
                code: Code::UnknownModel,
                text: format!("{place} answers, but does not offer the model “{model}”."),
                hint: offer(model, models),
            });
        }
        let question = RequestBuilder::new(vec![Message::user(QUESTION)]).max_tokens(Some(ANSWER_TOKENS));
        let reply = question.build().and_then(|request| client.send(&request));
        let reply = reply.map_err(|error| Failed::from(&error))?;
        let name = match reply.model.as_str() {
            "" => self.model.as_deref().unwrap_or_default(),
            name => name,
        };
        let seconds = started.elapsed().as_secs_f64();
        Ok(format!("{place} answers as “{name}” after {seconds:.1} s."))
    }
}

/// The models nearest to the one that is not there, else the first ones.
fn offer(model: &str, offered: &[String]) -> String {
    let mut ranked: Vec<(f64, &str)> = offered
        .iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(model, name), name.as_str()))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut near: Vec<&str> = ranked
        .iter()
        .filter(|(alike, _)| *alike >= ALIKE)
        .map(|(_, name)| *name)
        .collect();
    if near.is_empty() {
        near = offered.iter().map(String::as_str).collect();
    }
    near.truncate(MAX_NAMED);
    let named: Vec<String> = near.iter().map(|name| format!("“{name}”")).collect();
    let named = named.join(", ");
    match offered.len().saturating_sub(near.len()) {
        0 => format!("It offers {named}."),
        more => format!("It offers {named} and {more} more."),
    }
}

/// Whether a provider at this address never leaves this machine: it needs no network, or the address is one of the machine's own.
pub fn stays_local(provider: &str, base_url: Option<&str>) -> bool {
    let address = || base_url.and_then(|url| Url::parse(url.trim()).ok());
    provider == Provider::OFFLINE
        || Provider::named(provider).is_some_and(|provider| !provider.uses_network())
        || address().is_some_and(|url| is_loopback(&url))
}

/// A server of language models on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LocalServer {
    /// What usually listens there.
    pub name: String,
    /// Its address.
    pub base_url: String,
    /// What it offers.
    pub models: Vec<String>,
}

/// Looks for servers on these ports of this machine, all at once; they get no key. Takes about a second at most.
pub fn local_servers<'a>(ports: impl IntoIterator<Item = (&'a str, u16)>) -> Vec<LocalServer> {
    std::thread::scope(|scope| {
        let looks: Vec<_> = ports
            .into_iter()
            .map(|(name, port)| scope.spawn(move || local_server(name, port)))
            .collect();
        looks
            .into_iter()
            .filter_map(|look| look.join().ok().flatten())
            .collect()
    })
}

/// None where nobody listens, or something that is not a server of models.
fn local_server(name: &str, port: u16) -> Option<LocalServer> {
    let base_url = format!("http://127.0.0.1:{port}/v1");
    let client = Client::new(ClientConfig {
        base_url: Some(base_url.clone()),
        timeout: LOCAL_TIMEOUT,
        total: LOCAL_TIMEOUT,
        max_retries: 0,
        stored_key: false,
        ..ClientConfig::new(Provider::OpenAiCompatible)
    });
    let models = client.ok()?.models().ok()?;
    Some(LocalServer {
        name: name.to_owned(),
        base_url,
        models: models.into_iter().map(|model| model.id).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{offer, stays_local};

    #[test]
    fn only_the_machine_s_own_addresses_stay_local() {
        assert!(stays_local("offline", None) && stays_local("replay", Some("recording.json")));
        for url in [
            "http://localhost:1234/v1",
            "http://127.0.0.9/v1",
            "https://[::1]:8000/v1",
        ] {
            assert!(stays_local("openai-compatible", Some(url)), "{url}");
        }
        for url in [
            "http://192.168.0.1/v1",
            "https://localhost.example.com/v1",
            "https://127.0.0.1.example.com",
            "https://127.0.0.1@example.com/v1",
            "localhost:1234",
            "",
        ] {
            assert!(!stays_local("openai-compatible", Some(url)), "{url}");
        }
        assert!(!stays_local("openai", None) && !stays_local("no such provider", None));
    }

    #[test]
    fn the_nearest_models_are_named_and_the_others_counted() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let offered = names(&["small", "qwen3:8b", "qwen3:14b", "mistral"]);
        assert_eq!(
            offer("qwen3-8b", &offered),
            "It offers “qwen3:8b”, “qwen3:14b” and 2 more."
        );
        assert_eq!(offer("zzz", &names(&["small", "large"])), "It offers “small”, “large”.");
    }
}

//! What a client is made from, checked before anything is sent.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::error::ProviderError;
use crate::providers::Provider;
use crate::secret::ApiKey;

impl Provider {
    /// The provider of this name, as settings and scripts spell it.
    ///
    /// # Errors
    /// `UnknownProvider`; `Config` for `offline`, which plans without a model and so has no client.
    pub fn from_name(name: &str) -> Result<Self, ProviderError> {
        match Self::named(name) {
            Some(provider) => Ok(provider),
            None if name == Self::OFFLINE => Err(ProviderError::Config(
                "“offline” plans without a model: start a run with it; there is no client to send messages with."
                    .into(),
            )),
            None => Err(ProviderError::UnknownProvider(name.to_owned())),
        }
    }
}

/// Settings of one client.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Whom to ask.
    pub provider: Provider,
    /// Model name, sent as it is. `None`: for `openai-compatible` the first one that is listed; others need one.
    pub model: Option<String>,
    /// Address with its version segment, such as `http://127.0.0.1:11434/v1`; for `replay` the path of the recording.
    pub base_url: Option<String>,
    /// Key. `None`: the provider's environment variables, then the key that is stored for this provider and address
    /// ([`crate::keys`]). Without any `openai-compatible` sends no auth header.
    pub api_key: Option<ApiKey>,
    /// Limit of each attempt; in a stream, of the wait between pieces of content. Default 120 s.
    pub timeout: Duration,
    /// Limit of the wait for the first piece of a reply, and for a reply that comes as a whole, where the server is on this computer: a
    /// model there may read a long prompt for minutes. `None`: as `timeout`. Default 600 s.
    pub local_timeout: Option<Duration>,
    /// Limit of everything together, waits between attempts included. Default 600 s.
    pub total: Duration,
    /// Further attempts after the first. Default 2.
    pub max_retries: u32,
    /// Whether a stored key is looked for where none is given or set in the environment. Default true.
    pub stored_key: bool,
    /// Whether replies may come in pieces; else a stream is one reply that comes as a whole. Default true.
    pub streaming: bool,
}

impl ClientConfig {
    /// Default settings for a provider.
    pub fn new(provider: Provider) -> Self {
        Self {
            provider,
            model: None,
            base_url: None,
            api_key: None,
            timeout: Duration::from_secs(120),
            local_timeout: Some(Duration::from_secs(600)),
            total: Duration::from_secs(600),
            max_retries: 2,
            stored_key: true,
            streaming: true,
        }
    }
}

/// A checked address: encrypted or on this computer, without credentials in it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    url: Url,
    /// Whether the host is this computer; then no proxy is used.
    pub(crate) loopback: bool,
}

impl Endpoint {
    /// Checks an address as a person typed it.
    pub(crate) fn parse(text: &str) -> Result<Self, ProviderError> {
        let text = text.trim();
        let refuse = |why: &str| ProviderError::Config(format!("The address “{}” {why}", shown_text(text)));
        let url = Url::parse(text)
            .map_err(|_| refuse("is not a web address. It looks like http://127.0.0.1:11434/v1 or https://host/v1."))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(refuse(
                "must begin with https:// (or http:// on this computer) and name a host.",
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse(
                "carries a user name or password. Put the key into the key field instead.",
            ));
        }
        if url.fragment().is_some() {
            return Err(refuse("has a part after “#”, which servers never see. Remove it."));
        }
        let loopback = is_loopback(&url);
        let endpoint = Self { url, loopback };
        if endpoint.url.scheme() == "http" && !loopback {
            return Err(ProviderError::InsecureUrl {
                endpoint: endpoint.shown(),
            });
        }
        Ok(endpoint)
    }

    /// The address of `path` below the endpoint; the endpoint's own query stays, the path's is added.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(&format!("{}/{path}", self.url.path().trim_end_matches('/')));
        let queries: Vec<&str> = self
            .url
            .query()
            .into_iter()
            .chain(query)
            .filter(|query| !query.is_empty())
            .collect();
        url.set_query((!queries.is_empty()).then(|| queries.join("&")).as_deref());
        url
    }

    /// The address for messages: scheme, host, port, path.
    pub(crate) fn shown(&self) -> String {
        shown(&self.url)
    }

    /// Scheme, host and port, in the one way to write them.
    pub(crate) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Host, port and scheme decide; plain http never needs certificates.
    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

/// `scheme://host:port` of an address that a client could have.
pub(crate) fn origin_of(address: &str) -> Result<String, ProviderError> {
    Endpoint::parse(address).map(|endpoint| endpoint.origin())
}

/// An address for messages, without user info, query and fragment.
pub(crate) fn shown(url: &Url) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.as_str().trim_end_matches('/').to_owned()
}

/// What a person typed, without what may be a password in it.
fn shown_text(text: &str) -> String {
    let bare = text.split(['?', '#']).next().unwrap_or_default();
    let bare = match bare.rsplit_once('@') {
        Some((_, host)) => host,
        None => bare,
    };
    crate::error::one_line(bare).unwrap_or_default()
}

/// Whether the address is one that never leaves this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    if host == "localhost" {
        return true;
    }
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback()),
        Err(_) => false,
    }
}

/// The file that a `replay` client reads.
pub(crate) fn recording_path(config: &ClientConfig) -> Result<PathBuf, ProviderError> {
    match config.base_url.as_deref().map(str::trim) {
        Some(path) if !path.is_empty() => Ok(PathBuf::from(path.strip_prefix("file://").unwrap_or(path))),
        _ => Err(ProviderError::Config(
            "The replay provider needs the path of a recording as its base_url.".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_names_match_their_list() {
        let listed = ProviderError::UnknownProvider("x".into()).to_string();
        let (_, names) = listed.trim_end_matches('.').split_once("Known providers: ").unwrap();
        let mut known = 0;
        for name in names.split(", ").filter(|name| *name != "offline") {
            assert_eq!(Provider::from_name(name).unwrap().name(), name);
            known += 1;
        }
        assert!(known >= 4);
        assert!(matches!(Provider::from_name("offline"), Err(ProviderError::Config(_))));
        assert!(matches!(
            Provider::from_name("oracle"),
            Err(ProviderError::UnknownProvider(_))
        ));
    }

    #[test]
    fn plain_http_only_reaches_this_computer() {
        for good in [
            "http://127.0.0.1:11434/v1",
            "http://localhost:1234/v1",
            "http://[::1]:8080/v1",
            "http://127.1/v1",
            "http://[::ffff:127.0.0.1]/v1",
            "https://example.com/v1",
        ] {
            assert!(Endpoint::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://example.com/v1",
            "http://192.168.0.7:11434/v1",
            "http://0.0.0.0:1/v1",
            "http://localhost.evil.com/v1",
            "http://127.0.0.1.evil.com",
            "http://[fe80::1]/v1",
        ] {
            assert!(
                matches!(Endpoint::parse(bad), Err(ProviderError::InsecureUrl { .. })),
                "{bad}"
            );
        }
        for bad in [
            "",
            "localhost:1234",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "http://",
            "127.0.0.1:11434/v1",
        ] {
            assert!(matches!(Endpoint::parse(bad), Err(ProviderError::Config(_))), "{bad}");
        }
    }

    #[test]
    fn credentials_in_an_address_are_refused_and_not_repeated() {
        for text in [
            "https://user:hunter2@host/v1",
            "http//user:hunter2@host",
            "ftp://x:hunter2@host/?k=hunter2",
        ] {
            let message = Endpoint::parse(text).unwrap_err().to_string();
            assert!(!message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn the_path_is_extended_and_the_query_preserved() {
        let join = |base: &str| Endpoint::parse(base).unwrap().join("chat/completions").to_string();
        assert_eq!(join("http://127.0.0.1:1/v1/"), "http://127.0.0.1:1/v1/chat/completions");
        assert_eq!(join("http://127.0.0.1:1"), "http://127.0.0.1:1/chat/completions");
        assert_eq!(
            join("https://h/v1?api-version=2"),
            "https://h/v1/chat/completions?api-version=2"
        );
        let url = Endpoint::parse("https://h/v1?a=1").unwrap().join("models?alt=sse");
        assert_eq!(url.as_str(), "https://h/v1/models?a=1&alt=sse");
        assert_eq!(
            Endpoint::parse("https://h/v1?secret=1").unwrap().shown(),
            "https://h/v1"
        );
    }
}

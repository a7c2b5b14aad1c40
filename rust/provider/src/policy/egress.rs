//! Servers that data may be sent to: the configured one, or those of a list.

use crate::client::Client;
use crate::config::origin_of;
use crate::error::ProviderError;

/// The origins that requests may be sent to. By default only the client's own: redirects to
/// others are never followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Egress {
    /// `scheme://host:port` of each; `None`: the configured one.
    allowed: Option<Vec<String>>,
}

impl Egress {
    /// Only these servers, each written as an address or as a bare host (then by https on its usual port).
    ///
    /// # Errors
    /// `Config` for a text that is not an address.
    pub fn only(servers: &[String]) -> Result<Self, ProviderError> {
        let origins: Result<Vec<String>, ProviderError> = servers
            .iter()
            .map(|server| server.trim())
            .filter(|server| !server.is_empty())
            .map(|server| {
                if server.contains("://") {
                    origin_of(server)
                } else {
                    origin_of(&format!("https://{server}"))
                }
            })
            .collect();
        Ok(Self {
            allowed: Some(origins?),
        })
    }

    /// Whether data may be sent to this client's server.
    pub fn allows(&self, client: &Client) -> bool {
        self.check(client).is_ok()
    }

    pub(super) fn check(&self, client: &Client) -> Result<(), ProviderError> {
        let (Some(allowed), Some(origin)) = (&self.allowed, client.origin()) else {
            return Ok(());
        };
        if allowed.contains(&origin) {
            return Ok(());
        }
        Err(ProviderError::EgressDenied {
            origin,
            allowed: if allowed.is_empty() {
                "none".to_owned()
            } else {
                allowed.join(", ")
            },
        })
    }
}

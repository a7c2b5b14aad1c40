//! Whether a model can be reached, and which servers of models run on this machine.

use std::collections::BTreeMap;

use geonode_provider::connection::{self, LOCAL_PORTS};
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};
use crate::json::to_python;

/// A test of a connection. May be used from several threads.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct ConnectionTest(connection::ConnectionTest);

#[pymethods]
impl ConnectionTest {
    /// Prepares a test; sends nothing. Invalid settings are reported by `run`.
    #[new]
    #[pyo3(signature = (provider, model=None, base_url=None, api_key=None))]
    fn new(
        py: Python<'_>,
        provider: &str,
        model: Option<String>,
        base_url: Option<String>,
        api_key: Option<String>,
    ) -> PyResult<Self> {
        detached(py, || {
            Ok::<_, CoreError>(Self(connection::ConnectionTest::new(
                provider, model, base_url, api_key,
            )))
        })
    }

    /// Asks for the list of models, then one short question, without the GIL: `{"ok", "code", "text", "hint", "models", "ms"}`.
    fn run<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let outcome = detached(py, || Ok::<_, CoreError>(self.0.run()))?;
        to_python(py, &outcome)
    }

    /// Cancels the current request within a second. Call it again until `run` returns, since it may be between two requests.
    fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            self.0.cancel();
            Ok::<_, CoreError>(())
        })
    }
}

/// Ports on which servers of language models usually listen: `{NAME: PORT}`.
#[pyfunction]
pub(crate) fn local_ports() -> BTreeMap<&'static str, u16> {
    LOCAL_PORTS.into_iter().collect()
}

/// Servers of language models that answer on these ports of this machine (by default the usual ones); they get no key:
/// `[{"name", "base_url", "models"}]`. Takes about a second at most, without the GIL.
#[pyfunction]
#[pyo3(signature = (ports=None))]
pub(crate) fn local_servers(py: Python<'_>, ports: Option<BTreeMap<String, u16>>) -> PyResult<Bound<'_, PyAny>> {
    let found = detached(py, move || {
        let found = match &ports {
            Some(ports) => connection::local_servers(ports.iter().map(|(name, port)| (name.as_str(), *port))),
            None => connection::local_servers(LOCAL_PORTS),
        };
        Ok::<_, CoreError>(found)
    })?;
    to_python(py, &found)
}

/// Whether requests to a provider at this address never leave this machine: it needs no network, or the address is one of the machine's own.
#[pyfunction]
#[pyo3(signature = (provider, base_url=None))]
pub(crate) fn stays_local(provider: &str, base_url: Option<&str>) -> bool {
    connection::stays_local(provider, base_url)
}

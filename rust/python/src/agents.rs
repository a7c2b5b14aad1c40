//! The native class `Agents`: the server for other programs on this machine.

use std::path::PathBuf;
use std::sync::Arc;

use geonode_agents::{Act, Config, Library, Server, StartError};
use geonode_engine::EngineError;
use geonode_protocol::Code;
use geonode_store::audit;
use pyo3::prelude::*;

use crate::errors::{CoreError, detached};
use crate::json::{dumps, to_python};

/// Serves other programs on loopback until `stop`. Its calls never wait for a client.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Agents(Server);

#[pymethods]
impl Agents {
    /// Starts the server. `catalogue` is the path of this Blender's nodes, `folder` the one in which clients look for it, `port` the wanted
    /// one (if it is taken, another is used), `instructions` are for clients, `about` says which Blender it is, `library` is what clients
    /// can read: `{"pages": […], "sayings": […]}`.
    #[new]
    #[pyo3(signature = (catalogue, folder, port, instructions, about, library))]
    fn new(
        py: Python<'_>,
        catalogue: String,
        folder: PathBuf,
        port: u16,
        instructions: String,
        about: String,
        library: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let library = dumps(library)?;
        detached(py, move || -> Result<_, CoreError> {
            let library: Library =
                serde_json::from_str(&library).map_err(|error| EngineError::Request(error.to_string()))?;
            let catalogue = geonode_engine::catalogue(&catalogue)?;
            let registry = geonode_engine::agent_tools(&catalogue)
                .map_err(|error| CoreError::from(EngineError::Internal(error.to_string())))?;
            let config = Config {
                registry,
                library,
                folder,
                port,
                instructions,
                about,
                hears: Arc::new(|act: Act| {
                    audit::record(audit::Event::Program {
                        client: act.client,
                        tool: act.tool,
                        code: act.code,
                        left_out: 0,
                    });
                }),
            };
            Server::start(config).map(Self).map_err(|error| {
                let code = match &error {
                    StartError::Port(_) => Code::Network,
                    StartError::File(_) => Code::OutputNotWritable,
                    StartError::System(_) => Code::InternalError,
                };
                CoreError::policy(code, error.to_string(), Vec::new())
            })
        })
    }

    /// Address that clients connect to.
    #[getter]
    fn url(&self) -> String {
        self.0.url()
    }

    /// Address for clients that use a WebSocket.
    #[getter]
    fn socket(&self) -> String {
        self.0.socket()
    }

    /// What clients present; never shown or logged.
    #[getter]
    fn token(&self) -> String {
        self.0.token().to_owned()
    }

    /// The file in which programs of the same user find both.
    #[getter]
    fn file(&self) -> PathBuf {
        self.0.file().to_owned()
    }

    /// The next call for Blender's main thread, `{"id", "client", "session", "tool", "arguments"}`, or None. Never blocks.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.take().map(|call| to_python(py, &call)).transpose()
    }

    /// Whether the client of a call that was taken still waits for its answer.
    fn wanted(&self, id: u64) -> bool {
        self.0.wanted(id)
    }

    /// Answers a call with `{"ok", "result"?, "error"?: {"code", "message"}, "ms"?}`; returns whether its client still waited.
    fn answer(&self, id: u64, result: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.answer(id, dumps(result)?))
    }

    /// Says to the client of a call that was taken how far it is.
    fn tell(&self, id: u64, stage: &str) {
        self.0.tell(id, stage);
    }

    /// Lets no further call start, or goes on.
    fn pause(&self, paused: bool) {
        self.0.pause(paused);
    }

    /// The sessions of programs, and the programs without one of the last minutes (`session` 0): `[{"name", "session", "calls", "open",
    /// "idle_s"}]`.
    fn clients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.clients())
    }

    /// Ends all connections at once and makes the token worthless.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            self.0.stop();
            Ok::<_, CoreError>(())
        })
    }
}

//! The server as the host holds it: started, polled, answered, stopped. No call of it waits for a client.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use geonode_tools::Registry;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::calls::Calls;
use crate::discovery::Discovery;
use crate::guests::Guests;
use crate::http::{self, Shared};
use crate::library::Library;
use crate::mcp::{Guest, Handler};
use crate::queue::{Client, Queue, Taken};
use crate::secret::random;
use crate::sessions::Sessions;
use crate::witness::{Hears, Witness};

/// A session that says nothing ends after this time: longer than the artist may take to answer. How many there are is bounded (`Guests`).
const SILENCE: Duration = Duration::from_secs(3600);
/// Open calls are answered within this time when the server stops.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// What belongs to stopping and takes an instant has this long.
const GIVE_UP: Duration = Duration::from_millis(50);
/// Threads for tools of the core.
const THREADS: usize = 8;

/// What a server needs.
pub struct Config {
    /// The tools that clients may call.
    pub registry: Registry,
    /// What they can read, and the prompts that they offer.
    pub library: Library,
    /// Where programs of the same user find the server.
    pub folder: PathBuf,
    /// The port; 0 or one that is taken: the next free one of the system.
    pub port: u16,
    /// What the server says about itself to clients.
    pub instructions: String,
    /// Which Blender this is, for people who choose between several.
    pub about: String,
    /// Hears of refusals and of calls that write.
    pub hears: Hears,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No port of this machine can be listened on.
    #[error("No port on this machine can be opened: {0}.")]
    Port(std::io::Error),
    /// The file for clients cannot be written.
    #[error("The file in which other programs find Blender cannot be written: {0}.")]
    File(std::io::Error),
    /// The system gives no random numbers or no threads.
    #[error("The server cannot start: {0}.")]
    System(String),
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    token: String,
    queue: Arc<Queue>,
    closing: CancellationToken,
    running: Mutex<Option<Running>>,
    file: PathBuf,
}

#[derive(Debug)]
struct Running {
    runtime: Runtime,
    discovery: Discovery,
    /// Ends all connections.
    stop: CancellationToken,
    /// Ends with the listener.
    open: Receiver<()>,
}

impl Server {
    /// Starts the server on threads of its own.
    ///
    /// # Errors
    /// [`StartError`] when a port, the file or threads cannot be had.
    pub fn start(config: Config) -> Result<Self, StartError> {
        let token = random(32).map_err(|error| StartError::System(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(THREADS)
            .thread_name("geonode-agents")
            .enable_all()
            .build()
            .map_err(|error| StartError::System(error.to_string()))?;
        let listen = |port| std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = listen(config.port).or_else(|_| listen(0)).map_err(StartError::Port)?;
        listener.set_nonblocking(true).map_err(StartError::Port)?;
        let address = listener.local_addr().map_err(StartError::Port)?;
        let url = format!("http://{address}{}", http::PATH);
        let queue = Arc::new(Queue::default());
        let calls = Calls {
            registry: config.registry,
            queue: Arc::clone(&queue),
            witness: Witness::new(config.hears),
        };
        let handler = Handler {
            calls: calls.clone(),
            library: Arc::new(config.library),
            about: config.instructions.into(),
            guest: Guest::new(&queue),
        };
        let (stop, closing) = (CancellationToken::new(), CancellationToken::new());
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let settings = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts.clone())
            .with_cancellation_token(stop.clone());
        let its = Arc::clone(&queue);
        let make = move || {
            Ok(Handler {
                guest: Guest::new(&its),
                ..handler.clone()
            })
        };
        let mut rooms = LocalSessionManager::default();
        rooms.session_config.keep_alive = Some(SILENCE);
        let rooms = Arc::new(rooms);
        let shared = Arc::new(Shared {
            service: StreamableHttpService::new(make, Arc::clone(&rooms), settings),
            rooms,
            guests: Guests::default(),
            sessions: Sessions::new(calls.clone()),
            token: token.clone(),
            hosts,
            closing: closing.clone(),
            stop: stop.clone(),
            sockets: Shared::sockets(),
            presence: Arc::default(),
            witness: calls.witness.clone(),
        });
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(StartError::Port)?
        };
        let (serving, open) = std::sync::mpsc::channel();
        runtime.spawn(http::serve(listener, shared, serving));
        let discovery = Discovery::write(&config.folder, [&url, &socket_at(address)], &token, &config.about)
            .map_err(StartError::File)?;
        Ok(Self {
            address,
            token,
            queue,
            closing,
            file: discovery.path().to_owned(),
            running: Mutex::new(Some(Running {
                runtime,
                discovery,
                stop,
                open,
            })),
        })
    }

    /// Where clients connect.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, http::PATH)
    }

    /// Where clients connect with a WebSocket.
    pub fn socket(&self) -> String {
        socket_at(self.address)
    }

    /// What clients have to present.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The file in which programs of the same user find address and token.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The next call for the host, if one waits. Never blocks.
    pub fn take(&self) -> Option<Taken> {
        self.queue.take()
    }

    /// Whether the client of a call that was taken still waits for its answer.
    pub fn wanted(&self, id: u64) -> bool {
        self.queue.wanted(id)
    }

    /// Answers a call with the text of a [`geonode_tools::HostResult`]; returns whether its client still waited.
    pub fn answer(&self, id: u64, result: String) -> bool {
        self.queue.answer(id, result)
    }

    /// Says to the client of a call that was taken how far it is.
    pub fn tell(&self, id: u64, stage: &str) {
        self.queue.tell(id, stage);
    }

    /// Lets no further call start, or goes on.
    pub fn pause(&self, paused: bool) {
        self.queue.pause(paused);
    }

    /// The programs of the last minutes.
    pub fn clients(&self) -> Vec<Client> {
        self.queue.clients()
    }

    /// Takes no further request and removes the file; the token is worth nothing from now on. Calls that are open are answered with
    /// `cancelled` on a thread of its own, which then ends all connections. Never waits for a client.
    pub fn stop(&self) {
        self.closing.cancel();
        self.queue.close();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running {
            runtime,
            discovery,
            stop,
            open,
        }) = running
        else {
            return;
        };
        drop(discovery);
        // The port is free once nobody listens on it.
        open.recv_timeout(GIVE_UP).unwrap_or_default();
        let queue = Arc::clone(&self.queue);
        let end = move || {
            let until = Instant::now() + LAST_WORDS;
            while !queue.is_idle() && Instant::now() < until {
                std::thread::sleep(GIVE_UP / 10);
            }
            // The answers are on their way.
            std::thread::sleep(GIVE_UP);
            stop.cancel();
            runtime.shutdown_timeout(GIVE_UP);
        };
        // Without a thread the runtime is dropped with the closure, at once.
        drop(std::thread::Builder::new().name("geonode-agents-end".into()).spawn(end));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn socket_at(address: SocketAddr) -> String {
    format!("ws://{address}{}", http::SOCKET)
}

//! Other programs on this machine use the assistant's tools through the Model Context Protocol (streamable HTTP) or a WebSocket.
//!
//! [`Server`] listens on loopback, admits requests with its random token and nothing else, and carries out the tools of the core
//! on threads of its own. Calls that need Blender wait in a bounded [`queue`] until the host's main thread takes them: it polls and
//! never waits for a client. Only the owner of the account can read the file in which a client finds address and token.
//!
//! What never happens: another machine, a web page or a program without the token reaches a tool; a client that floods, stalls or
//! dies holds the host.

mod arguments;
mod calls;
mod discovery;
mod frame;
mod guests;
mod http;
mod library;
mod mcp;
mod places;
mod presence;
mod queue;
mod secret;
mod server;
mod sessions;
mod socket;
mod witness;

pub use library::{Library, Page, Saying};
pub use queue::{Client, Taken};
pub use server::{Config, Server, StartError};
pub use witness::{Act, Hears};

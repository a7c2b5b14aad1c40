//! Limits on the size and duration of answers.

use std::time::Duration;

/// Longest reply, decoded; in a stream, its text.
pub(crate) const REPLY_BYTES: usize = 16 << 20;
/// Longest stream on the wire, decoded: framing costs some 300 bytes per token.
pub(crate) const STREAM_BYTES: usize = 64 << 20;
/// Longest single event of a stream.
pub(crate) const EVENT_BYTES: usize = 4 << 20;
/// Longest error body.
pub(crate) const ERROR_BYTES: usize = 256 << 10;
/// Longest sum of header names and values.
pub(crate) const HEADER_BYTES: usize = 256 << 10;
/// Name lookup, connection and TLS together.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);
/// How long a server on this computer is waited for before the first request, to say what it serves.
pub(crate) const LOOK_AROUND: Duration = Duration::from_secs(2);
/// Longest wait that a server may ask for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Redirects within one origin.
pub(crate) const REDIRECTS: usize = 5;
/// Events that may wait for a slow reader.
pub(crate) const EVENTS_AHEAD: usize = 32;
/// Pages of a model list.
pub(crate) const MODEL_PAGES: usize = 50;
/// Nesting of schemas and arguments.
pub(crate) const JSON_DEPTH: usize = 100;

//! The messages of the host to the worker of a run.

/// A message of the host.
#[derive(Debug)]
pub(crate) enum Input {
    Answer {
        id: u64,
        json: String,
        /// How long the host took, in milliseconds.
        ms: Option<f64>,
    },
    Fail {
        id: u64,
        code: String,
        message: String,
    },
    Approve {
        id: u64,
        without: Vec<String>,
    },
    Reject {
        id: u64,
        words: Option<String>,
    },
    DryRun {
        id: u64,
        without: Vec<String>,
    },
    /// The host has cancelled the run and set the flag.
    Cancel,
}

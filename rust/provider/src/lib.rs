//! Talks to language models: the only crate that names reqwest

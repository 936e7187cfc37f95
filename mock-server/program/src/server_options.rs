//! The options of a server. Invalid values are rejected here.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use mock_server::journal::JournalLimits;
use mock_server::{Dialect, InvalidInput, World};

/// The options of a server.
#[derive(Debug, Args)]
pub(crate) struct ServerOptions {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) addr: String,
    /// Seed for keys, statistics and random choices; an existing state file keeps its own [default: 0]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// Behavior where the specification is silent: default, minimal, maximal, random:SEED, or a JSON
    /// file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) dialect: Option<DialectChoice>,
    /// Store the state in this file; created if it does not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Receiver of webhook events (http:// URL); events are sent through the control API
    #[arg(long, value_name = "URL", requires = "webhook_secret_file", value_parser = webhook_url)]
    pub(crate) webhook_url: Option<String>,
    /// File with the webhook secret; one trailing line break is ignored
    #[arg(long, value_name = "FILE", requires = "webhook_url")]
    pub(crate) webhook_secret_file: Option<PathBuf>,
    /// JSON file with a fault rule or an array of fault rules
    #[arg(long, value_name = "FILE")]
    pub(crate) fault: Option<PathBuf>,
    /// Let web pages of this origin use the service, such as http://localhost:3000, or of any with *
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors: Option<String>,
    /// Log each request to stderr, without its key
    #[arg(long)]
    pub(crate) log: bool,
    /// Maximum number of requests in the journal of a world [default: 10000]
    #[arg(long, value_name = "N")]
    pub(crate) journal_entries: Option<usize>,
    /// Maximum memory of the journal of a world in bytes [default: 8388608]
    #[arg(long, value_name = "BYTES")]
    pub(crate) journal_bytes: Option<usize>,
    /// Maximum number of bytes that the journal records of each body [default: 4096]
    #[arg(long, value_name = "BYTES")]
    pub(crate) journal_body_bytes: Option<usize>,
}

impl ServerOptions {
    pub(crate) fn journal_limits(&self) -> JournalLimits {
        let default = JournalLimits::default();
        JournalLimits {
            entries: self.journal_entries.unwrap_or(default.entries),
            bytes: self.journal_bytes.unwrap_or(default.bytes),
            body_bytes: self.journal_body_bytes.unwrap_or(default.body_bytes),
        }
    }
}

fn seed(text: &str) -> Result<u64, String> {
    let expected = |_| format!("expected a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(expected)
}

/// Checks the form of an address. Its host is resolved later.
fn address(text: &str) -> Result<String, &'static str> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
            Ok(text.to_owned())
        }
        _ => Err("expected a host and a port, such as 127.0.0.1:8080"),
    }
}

fn webhook_url(url: &str) -> Result<String, InvalidInput> {
    World::default().set_webhook_receiver(url, "any secret")?;
    Ok(url.to_owned())
}

/// A named dialect, or a file with settings.
#[derive(Debug, Clone)]
pub(crate) enum DialectChoice {
    Named(Box<Dialect>),
    File(PathBuf),
}

impl FromStr for DialectChoice {
    type Err = String;

    /// Prefers a named dialect to a file of the same name; `./NAME` selects the file.
    fn from_str(text: &str) -> Result<Self, String> {
        match Dialect::named(text) {
            Ok(dialect) => Ok(Self::Named(Box::new(dialect))),
            Err(_) if fs::exists(text).unwrap_or(false) => Ok(Self::File(text.into())),
            Err(error) => Err(format!("{error}, or an existing file")),
        }
    }
}

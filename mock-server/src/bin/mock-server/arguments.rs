//! What the program is told on its command line. What cannot be right, whatever the machine is
//! like, is refused here, with exit code 2.

use std::fmt;
use std::fs;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;
use mock_server::{Dialect, InvalidInput, World};

/// Serves the whole profile service on this machine until Ctrl-C or SIGTERM.
///
/// Prints one line of JSON on stdout when it is ready: its URL, keys named by what they may do, and
/// the URL of the control API.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  mock-server\n  mock-server --addr 127.0.0.1:8080 --state state.json\n  mock-server --dialect minimal --fault faults.json --log"
)]
pub(crate) struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    pub(crate) addr: Address,
    /// What keys, statistics and chance follow from, 0 unless given; an existing state file keeps
    /// its own
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// How to behave where the specification is silent: default, minimal, maximal, random:SEED, or a
    /// JSON file with settings
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) dialect: Option<DialectChoice>,
    /// Keep everything in this file, which is made when it is not there
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Send events to this http:// URL when the control API is told to
    #[arg(long, value_name = "URL", requires = "webhook_secret_file", value_parser = webhook_url)]
    pub(crate) webhook_url: Option<String>,
    /// Sign them with what this file holds, without one line break at its end
    #[arg(long, value_name = "FILE", requires = "webhook_url")]
    pub(crate) webhook_secret_file: Option<PathBuf>,
    /// Follow the fault rules in this JSON file, one rule or an array of them
    #[arg(long, value_name = "FILE")]
    pub(crate) fault: Option<PathBuf>,
    /// Tell each request on stderr, without its key
    #[arg(long)]
    pub(crate) log: bool,
}

fn seed(text: &str) -> Result<u64, String> {
    let expected = |_| format!("a whole number from 0 to {} is expected", u64::MAX);
    text.parse().map_err(expected)
}

fn webhook_url(url: &str) -> Result<String, InvalidInput> {
    World::default().point_webhook_at(url, "any secret")?;
    Ok(url.to_owned())
}

/// A host and a port; whether there is such a host shows when it is used.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    host: String,
    port: u16,
}

impl Address {
    pub(crate) fn listen(&self) -> std::io::Result<TcpListener> {
        let addresses: Vec<SocketAddr> =
            (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        TcpListener::bind(&*addresses)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.rsplit_once(':');
        let (host, port) = parts.ok_or("it has no port; 127.0.0.1:8080 is an address")?;
        let port = port
            .parse()
            .map_err(|_| format!("the port is `{port}`; a number from 0 to 65535 is expected"))?;
        let in_brackets = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        if in_brackets.is_none() && host.contains(':') {
            return Err("an IPv6 address stands in brackets, as in [::1]:8080".to_owned());
        }
        let host = in_brackets.unwrap_or(host).to_owned();
        if host.is_empty() {
            return Err("it has no host; 127.0.0.1:8080 is an address".to_owned());
        }
        Ok(Self { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

/// A dialect, or the file that has it.
#[derive(Debug, Clone)]
pub(crate) enum DialectChoice {
    Named(Box<Dialect>),
    File(PathBuf),
}

impl FromStr for DialectChoice {
    type Err = String;

    /// A name comes before a file of the same name, which `./` in front of it tells apart.
    fn from_str(text: &str) -> Result<Self, String> {
        match Dialect::named(text) {
            Ok(dialect) => Ok(Self::Named(Box::new(dialect))),
            Err(_) if fs::exists(text).unwrap_or(false) => Ok(Self::File(text.into())),
            Err(error) => Err(format!("{error}; and there is no such file")),
        }
    }
}

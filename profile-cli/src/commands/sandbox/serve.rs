//! `profile sandbox serve`: serves the sandbox over HTTP.

use std::io;
use std::net::{SocketAddr, TcpListener};

use clap::Args;
use mock_server::WorldsServer;
use serde_json::json;

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::session::sandbox;
use crate::system::interruption::{InterruptGuard, ShutdownSignals};
use crate::system::private_file;

#[derive(Debug, Args)]
#[command(after_help = "\
Prints the URL and the path of a file with the API key once the server accepts requests. Commands
with --sandbox use the same profile. Ctrl-C stops the server with exit code 130, SIGTERM with 0.

Examples:
  profile sandbox serve
  profile sandbox serve --addr 127.0.0.1:8080 --json
  PROFILE_BASE_URL=http://127.0.0.1:8080 \\
    PROFILE_API_KEY_FILE=~/.local/state/profile/sandbox.key profile show")]
pub(crate) struct ServeArguments {
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:0")]
    #[arg(value_parser = address)]
    addr: SocketAddr,
}

pub(crate) fn run(arguments: &ServeArguments, session: &Session<'_>) -> Result<u8, Failure> {
    let worlds = sandbox::worlds(sandbox::dialect(&session.settings)?)?;
    let key_file = sandbox::key_path()?;
    private_file::write(&key_file, format!("{}\n", worlds.keys().all).as_bytes())
        .map_err(|error| Failure::of_file("written", &key_file, &error))?;
    let addr = arguments.addr;
    let listener = TcpListener::bind(addr).map_err(|error| cannot_listen(addr, &error))?;
    session.block_on(async {
        let _guard = InterruptGuard::new();
        // Registered before the URL is printed, since a script may stop the server at once.
        let signals = ShutdownSignals::new();
        let mut signals =
            signals.map_err(|error| failed(format!("cannot handle signals: {error}")))?;
        let server = WorldsServer::new(worlds, listener);
        let server = server.map_err(|error| cannot_listen(addr, &error))?;
        // The control API would expose the key to all clients.
        let server = server.without_control();
        if !addr.ip().is_loopback() {
            let warning = format!("other machines can reach {addr} and the data of the sandbox");
            session.output.warn(&warning);
        }
        session
            .output
            .report(&ready(server.url(), &key_file.to_string_lossy()));
        let mut exit_code = 0;
        let stop = async { exit_code = signals.next().await };
        let served = server.serve_until(stop).await;
        served.map_err(|error| failed(format!("the sandbox stopped: {error}")))?;
        Ok(exit_code)
    })?
}

fn ready(url: &str, key_file: &str) -> Report {
    let fields = [("url", url), ("key_file", key_file)];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Report::new(
        json!({"url": url, "key_file": key_file}),
        View::Fields(fields.into()),
    )
}

fn cannot_listen(addr: SocketAddr, error: &io::Error) -> Failure {
    let failure = failed(format!("cannot listen on {addr}: {error}"));
    match error.kind() {
        io::ErrorKind::AddrInUse => failure.hint("omit --addr to use a free port"),
        _ => failure,
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = "expected an IP address and a port, such as 127.0.0.1:8080";
    text.parse().map_err(|_| expected.to_owned())
}

fn failed(message: String) -> Failure {
    Failure::new(FailureKind::Other, message)
}

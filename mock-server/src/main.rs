//! The program `mock-server`: the profile service on this machine, for clients in any language.

use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use mock_server::{
    FaultRule, HttpServer, InvalidFault, Keys, StateError, StateFile, World, Worlds,
};
use serde::Serialize;

/// Serves the whole profile service on this machine until Ctrl-C or SIGTERM.
///
/// Prints one line of JSON on stdout when it is ready: its URL, keys named by what they may do, and
/// the URL of the control API.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  mock-server\n  mock-server --addr 127.0.0.1:8080 --state state.json\n  mock-server --fault faults.json --log"
)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    addr: String,
    /// What keys, statistics and chance follow from; an existing state file keeps its own
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Keep everything in this file, which is made when it is not there
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Follow the fault rules in this JSON file, one rule or an array of them
    #[arg(long, value_name = "FILE")]
    fault: Option<PathBuf>,
    /// Tell each request on stderr, without its key
    #[arg(long)]
    log: bool,
}

/// The line that tells the parent process that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
    control: &'a str,
}

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error("cannot listen on {addr}: {source}; choose another address with --addr")]
    Listen { addr: String, source: io::Error },
    #[error(transparent)]
    State(#[from] StateError),
    #[error("the fault file {} cannot be read: {source}", path.display())]
    FaultFile { path: PathBuf, source: io::Error },
    #[error("the fault file {} cannot be followed: {source}", path.display())]
    Fault { path: PathBuf, source: InvalidFault },
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
    #[error("cannot serve: {0}")]
    Serve(io::Error),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody can be told when stderr is closed as well; the exit code still tells.
            let _ = writeln!(io::stderr(), "mock-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), ServeError> {
    // A parent may send the signal as soon as it has read the line, so it is caught before that.
    let stop = stop_signal().map_err(ServeError::Signal)?;
    let worlds = worlds(&arguments)?;
    let keys = worlds.keys().clone();
    let server = listen(worlds, arguments)?;
    announce(&server, &keys).map_err(ServeError::Print)?;
    server.serve_until(stop).await.map_err(ServeError::Serve)
}

fn worlds(arguments: &Arguments) -> Result<Worlds, ServeError> {
    let world = World::new(arguments.seed);
    let worlds = match &arguments.state {
        Some(path) => Worlds::on_file(StateFile::new(path), world)?,
        None => Worlds::in_memory(world),
    };
    if let Some(path) = &arguments.fault {
        let path = || path.clone();
        let text = fs::read_to_string(path()).map_err(|source| ServeError::FaultFile {
            path: path(),
            source,
        })?;
        FaultRule::from_json(&text)
            .and_then(|rules| worlds.add_faults(rules))
            .map_err(|source| ServeError::Fault {
                path: path(),
                source,
            })?;
    }
    Ok(worlds)
}

fn listen(worlds: Worlds, arguments: Arguments) -> Result<HttpServer, ServeError> {
    let Arguments { addr, log, .. } = arguments;
    let listen = |source| ServeError::Listen {
        addr: addr.clone(),
        source,
    };
    let listener = TcpListener::bind(&addr).map_err(listen)?;
    let server = HttpServer::new(worlds, listener).map_err(listen)?;
    if !log {
        return Ok(server);
    }
    Ok(server.log(|line| {
        // A log that nobody reads any more is no reason to stop serving.
        let _ = writeln!(io::stderr(), "{line}");
    }))
}

fn announce(server: &HttpServer, keys: &Keys) -> io::Result<()> {
    let (url, control) = (server.url(), &server.control_url());
    let line = serde_json::to_string(&Ready { url, keys, control })?;
    let mut stderr = io::stderr().lock();
    writeln!(stderr, "mock-server: serving on {url} until Ctrl-C. Try:")?;
    writeln!(
        stderr,
        "  curl -H 'Authorization: Bearer {}' {url}/api/v1/me",
        keys.all
    )?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}

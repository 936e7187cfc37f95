//! The program `mock-server`: the profile service on this machine, for clients in any language.

use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use mock_server::{Keys, MockServer, StartError};
use serde::Serialize;

/// Serves the whole profile service on this machine until Ctrl-C or SIGTERM.
///
/// Prints one line of JSON on stdout when it is ready: its URL, and keys named by what they may do.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  mock-server\n  mock-server --addr 127.0.0.1:8080 --state state.json"
)]
struct Arguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    addr: String,
    /// What keys and statistics follow from; an existing state file keeps its own
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Keep everything in this file, which is made when it is not there
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
}

/// The line that tells the parent process that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
}

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    #[error("cannot listen on {addr}: {source}; choose another address with --addr")]
    Listen { addr: String, source: io::Error },
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("cannot wait for signals: {0}")]
    Signal(io::Error),
    #[error("cannot print the address: {0}")]
    Print(io::Error),
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
    let server = start(arguments).await?;
    announce(&server).map_err(ServeError::Print)?;
    stop.await;
    Ok(())
}

async fn start(arguments: Arguments) -> Result<MockServer, ServeError> {
    let Arguments { addr, seed, state } = arguments;
    let listener =
        TcpListener::bind(&addr).map_err(|source| ServeError::Listen { addr, source })?;
    let mut builder = MockServer::builder().seed(seed).listener(listener);
    if let Some(path) = state {
        builder = builder.state_file(path);
    }
    Ok(builder.start().await?)
}

fn announce(server: &MockServer) -> io::Result<()> {
    let (url, keys) = (server.uri(), server.keys());
    let line = serde_json::to_string(&Ready { url, keys })?;
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

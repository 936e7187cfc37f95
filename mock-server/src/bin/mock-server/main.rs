//! The program `mock-server`, a local mock of the profile service for clients in any language.

mod arguments;
mod serve_error;
mod settings;
mod signals;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use clap::Parser;
use mock_server::{FaultRule, HttpServer, Keys, StateFile, World, Worlds};
use serde::Serialize;
use tokio::sync::oneshot;

use arguments::Arguments;
use serve_error::ServeError;
use settings::{Settings, read};
use signals::Signals;

/// The line on stdout that reports that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
    control: Option<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Ignore a closed stderr; the exit code still reports the failure.
            let _ = writeln!(io::stderr(), "mock-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), ServeError> {
    // Register signal handlers before printing the line, after which a parent may send signals.
    let mut signals = Signals::catch().map_err(ServeError::Signal)?;
    let worlds = worlds(&arguments)?;
    let keys = worlds.keys().clone();
    if let Some(seed) = arguments.seed
        && keys != World::new(seed).keys()
    {
        // The same seed always gives the same keys, so these come from a state file.
        warn(&format!(
            "--seed {seed} is ignored: the state file has its own seed; use another file to start over"
        ));
    }
    let (lines, written) = log_lines();
    let server = listen(worlds, arguments, lines.clone())?;
    announce(&server, &keys).map_err(ServeError::Print)?;
    let (stop, stopped) = oneshot::channel();
    let serving = server.serve_until(async {
        // Completes when the sender sends or is dropped.
        let _ = stopped.await;
    });
    tokio::select! {
        served = serving => served.map_err(ServeError::Serve)?,
        () = signals.twice(stop) => {}
    }
    // Give the log thread a moment to write the remaining lines.
    if lines.try_send(None).is_ok() {
        let _ = written.recv_timeout(Duration::from_millis(100));
    }
    Ok(())
}

fn worlds(arguments: &Arguments) -> Result<Worlds, ServeError> {
    let settings = Settings::read(arguments)?;
    let mut world = World::new(arguments.seed.unwrap_or_default());
    settings.apply(&mut world);
    let worlds = match &arguments.state {
        None => Worlds::in_memory(world),
        Some(path) => in_file(path, world, &settings)?,
    };
    if let Some(path) = &arguments.fault {
        FaultRule::from_json(&read("fault", path)?)
            .and_then(|rules| worlds.add_faults(rules))
            .map_err(|source| ServeError::Fault {
                path: path.clone(),
                source,
            })?;
    }
    Ok(worlds)
}

/// Opens a state file and applies the settings of the command line, which override those of the file.
fn in_file(path: &Path, world: World, settings: &Settings) -> Result<Worlds, ServeError> {
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    let missing = directory.filter(|directory| !directory.exists());
    let mut worlds = Worlds::in_file(StateFile::new(path), world)?;
    if let Some(directory) = missing {
        warn(&format!("created the directory {}", directory.display()));
    }
    if !settings.is_empty() && worlds.update(|world| settings.apply(world))? {
        warn("--dialect replaces the dialect of the state file");
    }
    Ok(worlds)
}

/// Prints a warning to stderr.
fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "mock-server: {message}");
}

fn listen(
    worlds: Worlds,
    arguments: Arguments,
    lines: SyncSender<Option<String>>,
) -> Result<HttpServer, ServeError> {
    let Arguments { addr, log, .. } = arguments;
    let listen = |source| ServeError::Listen {
        addr: addr.clone(),
        source,
    };
    let listener = addr.listen().map_err(listen)?;
    let server = HttpServer::new(worlds, listener).map_err(listen)?;
    if !log {
        return Ok(server);
    }
    Ok(server.log(move |line| {
        // If stderr blocks, lines are dropped so that requests are not delayed.
        let _ = lines.try_send(Some(line.to_string()));
    }))
}

/// Starts a thread that writes lines to stderr, which may block, until it receives `None`. The
/// receiver is notified when the thread ends.
fn log_lines() -> (SyncSender<Option<String>>, Receiver<()>) {
    const WAITING: usize = 1024;
    let (sender, lines) = sync_channel::<Option<String>>(WAITING);
    let (ended, written) = sync_channel(1);
    thread::spawn(move || {
        while let Ok(Some(line)) = lines.recv() {
            // Ignore a closed stderr.
            let _ = writeln!(io::stderr(), "{line}");
        }
        let _ = ended.send(());
    });
    (sender, written)
}

fn announce(server: &HttpServer, keys: &Keys) -> io::Result<()> {
    let (url, control) = (server.url(), server.control_url());
    let line = serde_json::to_string(&Ready { url, keys, control })?;
    let mut stderr = io::stderr().lock();
    let address = server.address();
    if !address.ip().is_loopback() {
        writeln!(
            stderr,
            "mock-server: {address} and its control API can be reached from other machines; omit \
             --addr to listen on 127.0.0.1 only"
        )?;
    }
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

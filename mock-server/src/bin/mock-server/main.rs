//! The program `mock-server`: the profile service on this machine, for clients in any language.

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

/// The line that tells the parent process that the server is ready.
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
            // Nobody can be told when stderr is closed as well; the exit code still tells.
            let _ = writeln!(io::stderr(), "mock-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: Arguments) -> Result<(), ServeError> {
    // A parent may send the signal as soon as it has read the line, so it is caught before that.
    let mut signals = Signals::catch().map_err(ServeError::Signal)?;
    let worlds = worlds(&arguments)?;
    let keys = worlds.keys().clone();
    if let Some(seed) = arguments.seed
        && keys != World::new(seed).keys()
    {
        // The keys of a seed are the same everywhere, so these come from a state file.
        warn(&format!(
            "--seed {seed} is ignored: the state file has its own seed; use another file to start over"
        ));
    }
    let (lines, written) = log_lines();
    let server = listen(worlds, arguments, lines.clone())?;
    announce(&server, &keys).map_err(ServeError::Print)?;
    let (stop, stopped) = oneshot::channel();
    let serving = server.serve_until(async {
        // The sender sends, or is dropped with everything else.
        let _ = stopped.await;
    });
    tokio::select! {
        served = serving => served.map_err(ServeError::Serve)?,
        () = signals.twice(stop) => {}
    }
    // Whoever reads the log has the rest of it soon, or never.
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

/// A file that was there before has settings of its own, which those of the command line replace.
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

/// Tells something that is no reason to stop.
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
        // When nobody reads, lines are left out rather than requests unanswered.
        let _ = lines.try_send(Some(line.to_string()));
    }))
}

/// What is sent here goes to stderr, on a thread that may wait for whoever reads it, until nothing is
/// sent in place of a line. The receiver hears of that.
fn log_lines() -> (SyncSender<Option<String>>, Receiver<()>) {
    const WAITING: usize = 1024;
    let (sender, lines) = sync_channel::<Option<String>>(WAITING);
    let (ended, written) = sync_channel(1);
    thread::spawn(move || {
        while let Ok(Some(line)) = lines.recv() {
            // A log that nobody reads any more is no reason to stop serving.
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

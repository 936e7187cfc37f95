//! Serves until a signal.

use std::io::{self, Write};

use mock_server::{Keys, WorldsServer};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::control_options::ControlOptions;
use crate::failure::Failure;
use crate::log::Log;
use crate::server_options::ServerOptions;
use crate::setup::{listen, worlds};
use crate::signals::Signals;

/// The line on stdout that reports that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
    control: Option<&'a str>,
}

/// Serves until Ctrl-C or SIGTERM.
pub(crate) async fn serve(options: ServerOptions, control: ControlOptions) -> Result<(), Failure> {
    // Register signal handlers before printing the line, after which a parent may send signals.
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    let worlds = worlds(&options)?;
    let keys = worlds.keys().clone();
    let log = options.log.then(Log::start);
    let server = listen(worlds, &options.addr, log.as_ref())?;
    let server = control.apply(server)?;
    announce(&server, &keys).map_err(Failure::of("print the address"))?;
    let (stop, stopped) = oneshot::channel();
    let serving = server.serve_until(async {
        // Completes when the sender sends or is dropped.
        let _ = stopped.await;
    });
    tokio::select! {
        served = serving => served.map_err(Failure::of("serve"))?,
        () = signals.twice(stop) => {}
    }
    if let Some(log) = log {
        log.finish();
    }
    Ok(())
}

fn announce(server: &WorldsServer, keys: &Keys) -> io::Result<()> {
    let (url, control) = (server.url(), server.control_url());
    let line = serde_json::to_string(&Ready {
        url,
        keys,
        control: control.as_deref(),
    })?;
    let mut stderr = io::stderr().lock();
    let address = server.address();
    if !address.ip().is_loopback() {
        let what = match &control {
            Some(_) => " and its control API",
            None => "",
        };
        writeln!(
            stderr,
            "mock-server: {address}{what} can be reached from other machines; omit --addr to listen \
             on 127.0.0.1 only"
        )?;
    }
    writeln!(stderr, "mock-server: serving on {url} until Ctrl-C. Try:")?;
    writeln!(
        stderr,
        "  curl -H 'Authorization: Bearer {}' {url}/api/v1/me",
        keys.all
    )?;
    if control.is_some() {
        writeln!(stderr, "Open {url}/ in a browser to see requests")?;
    }
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

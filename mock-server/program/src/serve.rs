//! Serves until a signal, and the health check of the container, whose image has no other program.

use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use clap::Args;
use mock_server::{Keys, WorldsServer};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::processes::Signals;
use crate::server::{ControlOptions, Log, ServerOptions, listen, worlds};

/// The line on stdout that reports that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
    control: Option<&'a str>,
}

/// Serves until Ctrl-C or SIGTERM.
pub(crate) async fn serve(options: ServerOptions, control: ControlOptions) -> Result<(), Failure> {
    let worlds = worlds(&options)?;
    // Not earlier: a signal must end the wait for the state file. Not later: a parent may send signals
    // after the printed line.
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
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

/// Time limit for the connection to each address.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Exit with 0 if a server accepts connections at an address, and with 1 otherwise.
///
/// Sends no request, so that nothing appears in the journal.
#[derive(Debug, Args)]
pub(crate) struct HealthOptions {
    /// Address of the server
    #[arg(value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    addr: String,
}

/// Connects to the server once.
pub(crate) fn health(options: &HealthOptions) -> Result<u8, Failure> {
    let connect = |addr: &String| {
        addr.to_socket_addrs()?
            .find_map(|address| TcpStream::connect_timeout(&address, TIMEOUT).ok())
            .ok_or_else(|| std::io::ErrorKind::ConnectionRefused.into())
    };
    let HealthOptions { addr } = options;
    match connect(addr) {
        Ok(_) => Ok(0),
        Err(reason) => Err(Failure::Health {
            addr: addr.clone(),
            reason,
        }),
    }
}

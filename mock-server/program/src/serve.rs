//! Serves until a signal, and the health check of the container, whose image has no other program.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mock_server::{Keys, Signals, WorldsServer};
use serde::Serialize;
use tokio::sync::watch;

use crate::failure::Failure;
use crate::processes;
use crate::server::{self, ControlOptions, Log, ServerOptions, listen, worlds};

/// The line on stdout that reports that the server is ready.
#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    keys: &'a Keys,
    control: Option<&'a str>,
}

/// Serves until a signal.
pub(crate) async fn serve(options: ServerOptions, control: ControlOptions) -> Result<i32, Failure> {
    let mut signals = Signals::catch().map_err(Failure::of("wait for signals"))?;
    let token = processes::start(&mut signals, control.token()).await?;
    let options = Arc::new(options);
    let worlds = Arc::new(processes::start(&mut signals, worlds(options.clone())).await?);
    let log = options.log.then(Log::start);
    let servers = control.apply(
        token.as_deref(),
        listen(&worlds, &options.addr, log.as_ref())?,
    )?;
    announce(&servers, &worlds.keys()).map_err(Failure::of("print the address"))?;
    let (stop, stopped) = watch::channel(());
    let serving = server::serve(servers, &stopped).join_all();
    let second_signal = async {
        let first = signals.next().await;
        drop(stop);
        signals.next_after(Some(first)).await
    };
    tokio::select! {
        served = serving => served.into_iter().collect::<Result<_, _>>().map_err(Failure::of("serve"))?,
        _ = second_signal => {}
    }
    if let Some(log) = log {
        log.finish();
    }
    Ok(0)
}

fn announce(servers: &[WorldsServer], keys: &Keys) -> io::Result<()> {
    let (url, control) = (servers[0].url(), servers[0].control_url());
    let control = control.as_deref();
    let line = serde_json::to_string(&Ready { url, keys, control })?;
    // Ignore a closed stderr.
    let mut stderr = io::stderr().lock();
    let addresses = servers.iter().map(WorldsServer::address);
    for address in addresses.filter(|address| !address.ip().is_loopback()) {
        let what = control.map_or("", |_| " and its control API");
        let _ = writeln!(
            stderr,
            "mock-server: {address}{what} can be reached from other machines; omit --addr to listen \
             on 127.0.0.1 only"
        );
    }
    let _ = writeln!(stderr, "mock-server: serving on {url} until Ctrl-C. Try:");
    let _ = writeln!(
        stderr,
        "  curl -H \"Authorization: Bearer {}\" {url}/api/v1/me",
        keys.all
    );
    if control.is_some() {
        let _ = writeln!(stderr, "Open {url}/ in a browser to see requests");
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
    /// Address of the server [default: port 8080 of 127.0.0.1, or else of ::1]
    #[arg(value_name = "HOST:PORT")]
    addr: Option<String>,
}

/// Connects to the server once.
pub(crate) fn health(options: &HealthOptions) -> Result<i32, Failure> {
    // The container image may have no names for these addresses.
    let addrs = match &options.addr {
        Some(addr) => vec![addr.as_str()],
        None => vec!["127.0.0.1:8080", "[::1]:8080"],
    };
    let is_served = |address: SocketAddr| {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT);
        // Without a server, both ends of a connection can get the same port.
        stream.is_ok_and(|stream| stream.local_addr().ok() != stream.peer_addr().ok())
    };
    let mut reason = io::ErrorKind::ConnectionRefused.into();
    for addr in &addrs {
        match addr.to_socket_addrs().map(|mut all| all.any(is_served)) {
            Ok(true) => return Ok(0),
            Ok(false) => {}
            Err(error) => reason = error,
        }
    }
    let addr = addrs.join(" and ");
    Err(Failure::Health { addr, reason })
}

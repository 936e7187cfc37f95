//! `profile webhook listen`: receives, verifies, prints and forwards deliveries.

mod event;
mod handler;
mod limits;
mod reporter;
mod server;

use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use reqwest::Url;
use webhook_verify::Verifier;

use self::event::Recorder;
use self::handler::Handler;
use self::reporter::Reporter;
use self::server::Server;
use super::{Encoding, SECRET_HELP, Sender, WebhookSecret, destination};
use crate::outcome::{Failure, Result};
use crate::session::Session;
use crate::terminal::{SafeUrl, argument};

#[derive(Debug, Args)]
#[command(after_help = format!("\
Prints `listening on http://HOST:PORT` to stderr when it is ready, and then a line for each
delivery: time, kind, status code of the response, size in bytes, `verified` or `rejected`, the reason
for a rejection, and the path; separated by tabs in a pipe. On a terminal, the payload of a verified
delivery follows, shortened if it is long. With --json, each line is an object that contains the body
as a string, or in base64 if it is not UTF-8. With --no-payload, neither is printed.

The service cannot reach 127.0.0.1; a tunnel, such as cloudflared or ngrok, forwards a public URL to it.
The response to a verified delivery is 204, or 503 if it cannot be recorded. Deliveries are forwarded after
the response, one at a time and in order, so that errors of the receiver cannot turn the webhook off. At most
1,000 deliveries and 64 MiB wait to be forwarded; then the oldest is dropped with a warning.

Rejected deliveries, which anyone can send, are printed without their body, at most one per second. They
are neither forwarded nor recorded, and do not count for --max. The response is 401, 413 if the body is
too large, or 408 if it takes longer than 10 seconds. It is 503 if 1,024 deliveries are in progress. Of
deliveries of more than 16 KiB, 64 can be in progress; others wait up to 5 seconds, and then get 503.
Ten consecutive failures turn a webhook off; a warning is printed after five and after ten. While stdout
is blocked, at most 1,000 deliveries wait to be printed, and others are dropped.

After Ctrl-C, the command waits for deliveries that are being forwarded, and ends by SIGINT (130 in a
shell); after SIGTERM or SIGHUP, it exits with 0. A second signal ends it at once, but not the second SIGHUP
of a closed terminal.
{SECRET_HELP}

Examples:
  profile webhook listen --forward-to http://127.0.0.1:8080/hooks
  profile webhook listen --record deliveries --max 10 --json"))]
pub(crate) struct ListenArguments {
    /// Address to listen on; port 0 selects a free port, which is printed to stderr
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    addr: String,

    /// Forward verified deliveries, with their headers and bytes, to this receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    forward_to: Option<SafeUrl>,

    /// Save each verified delivery to a file in this directory, for `profile webhook replay`
    #[arg(long, value_name = "DIRECTORY")]
    record: Option<PathBuf>,

    /// Print only a line for each delivery, without its payload
    #[arg(long)]
    no_payload: bool,

    /// Exit after N verified deliveries
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max: Option<u64>,

    /// Maximum size of a body; larger ones are rejected
    #[arg(long, value_name = "BYTES", default_value_t = Verifier::DEFAULT_BODY_LIMIT)]
    max_body: usize,

    #[command(flatten)]
    encoding: Encoding,
}

pub(crate) fn run(arguments: &ListenArguments, session: &Session<'_>) -> Result<u8> {
    let verifier = Verifier::new(WebhookSecret::load(session)?.secret()?)
        .encoding(arguments.encoding.digest)
        .body_limit(arguments.max_body);
    let forward_to = arguments.forward_to.as_ref();
    let sender = forward_to.map(|url| Sender::new(url, session));
    let recorder = arguments.record.as_deref().map(Recorder::new).transpose()?;
    let max = arguments.max.unwrap_or(u64::MAX);
    let (handler, mut messages) = Handler::new(verifier, sender.transpose()?, recorder, max);
    let (listener, address) = bind(&arguments.addr)?;
    if let Some(url) = forward_to.filter(|url| leads_to(url, address)) {
        let message = format!("--forward-to: {url} is the address of this command");
        return Err(Failure::usage(message).hint("use the address of your receiver"));
    }
    let reporter = Reporter {
        output: session.output,
        address,
        forward_to,
        prints_payloads: !arguments.no_payload,
        counts: Arc::clone(&handler.counts),
    };
    let server = Server::start(listener, handler)?;
    let mut result = Ok(());
    // The channel closes once all deliveries are answered and forwarded.
    while let Some(message) = messages.blocking_recv() {
        let printed = reporter.report(message);
        if !matches!(printed, Ok(ControlFlow::Continue(()))) {
            server.stop.notify_one();
        }
        result = printed.map(drop).and(result);
    }
    let exit_code = server.end();
    reporter.end();
    result.and(exit_code)
}

/// Returns `true` if a listener at this address accepts connections to the URL.
fn leads_to(url: &SafeUrl, address: SocketAddr) -> bool {
    let is_same_port = |url: &&Url| url.port_or_known_default() == Some(address.port());
    let Some(url) = url.parsed().filter(is_same_port) else {
        return false;
    };
    let is_any = address.ip().is_unspecified();
    let found = url.socket_addrs(|| None).unwrap_or_default();
    found.iter().map(SocketAddr::ip).any(|ip| {
        ip == address.ip()
            || ip.is_unspecified()
            // Only addresses of this machine can be bound.
            || (is_any && TcpListener::bind((ip, 0)).is_ok())
    })
}

fn bind(text: &str) -> Result<(TcpListener, SocketAddr)> {
    let shown = argument(text.as_bytes());
    let addresses: Result<Vec<_>, _> = text.to_socket_addrs().map(Iterator::collect);
    let addresses = addresses.map_err(|error| {
        let message = format!("--addr: \"{shown}\" is not a valid address: {error}");
        Failure::usage(message).hint("expected a host and a port, such as 127.0.0.1:8080")
    })?;
    let bound = TcpListener::bind(addresses.as_slice());
    bound
        .and_then(|listener| listener.local_addr().map(|address| (listener, address)))
        .map_err(|error| {
            let message = format!("cannot listen on {shown}: {error}");
            Failure::other(message).hint("use another port, or 0 for a free port")
        })
}

//! `profile webhook listen`: receives, verifies, prints and forwards deliveries.

mod event;
mod handler;
mod reporter;
mod server;

use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::Args;
use reqwest::Url;
use tokio::sync::mpsc::Receiver;
use tokio::sync::{Notify, oneshot};
use webhook_verify::Verifier;

use self::event::Recorder;
use self::handler::{Counts, Handler, Message, Queue, Queued, forward};
use self::reporter::Reporter;
use self::server::serve;
use super::{Encoding, SECRET_HELP, Sender, WebhookSecret, destination};
use crate::outcome::{Failure, Result};
use crate::session::Session;
use crate::system::interruption;
use crate::terminal::{SafeUrl, argument};

#[derive(Debug, Args)]
#[command(after_help = format!("\
Prints `listening on http://HOST:PORT` to stderr when it is ready, and then a line for each \
delivery: time, kind, status code of the response, size in bytes, `verified` or `rejected`, the reason \
for a rejection, and the path; separated by tabs in a pipe. On a terminal, the payload of a verified \
delivery follows, shortened if it is long. With --json, each line is an object that contains the body \
as a string, or in base64 if it is not UTF-8. With --no-payload, neither is printed.

The service cannot reach 127.0.0.1; a tunnel, such as cloudflared or ngrok, forwards a public URL to it. \
The response to a verified delivery is 204, or 503 if it cannot be recorded. Deliveries are forwarded after \
the response, one at a time and in order, so that errors of the receiver cannot turn the webhook off. At most \
256 deliveries and 64 MiB wait for the receiver, and as many for stdout. Others are recorded with --record, but \
neither forwarded nor printed; a warning says how many.

Rejected deliveries, which anyone can send, are printed without their body, at most one per second. They \
are neither forwarded nor recorded, and do not count for --max. The response is 401, 413 if the body is \
too large, or 408 if it takes longer than 10 seconds. At most 200 connections are open; others wait. Of \
deliveries of more than 16 KiB, 64 can be in progress; others wait up to 5 seconds, and then get 503. \
Ten consecutive failures turn a webhook off; a warning is printed after five and after ten.

After Ctrl-C, the command waits for deliveries that are being forwarded, and up to 5 seconds for stdout, and \
ends by SIGINT (130 in a shell); after SIGTERM or SIGHUP, it exits with 0. A second signal ends it at once, but not the second SIGHUP \
of a closed terminal. \
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

/// Maximum time to wait for stderr if stdout is blocked.
const END_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) fn run(arguments: &ListenArguments, session: &Session<'_>) -> Result<u8> {
    let verifier = Verifier::new(WebhookSecret::load(session)?.secret()?)
        .encoding(arguments.encoding.digest)
        .body_limit(arguments.max_body);
    let forward_to = arguments.forward_to.as_ref();
    let sender = forward_to
        .map(|url| Sender::new(url, session))
        .transpose()?;
    let recorder = arguments.record.as_deref().map(Recorder::new).transpose()?;
    let (listener, address) = bind(&arguments.addr)?;
    let leads_here = |url: &&SafeUrl| {
        let port = url.parsed().and_then(Url::port_or_known_default);
        url.is_loopback() && port == Some(address.port())
    };
    if let Some(url) = forward_to.filter(leads_here) {
        let message = format!("--forward-to: {url} is the address of this command");
        return Err(Failure::usage(message).hint("use the address of your receiver"));
    }
    let _deferred = interruption::defer();
    let output = session.output;
    output.status(&format!("listening on http://{address}"));
    if let Some(url) = forward_to {
        output.note(&format!("forwarding to {url}"));
    }
    if !address.ip().is_loopback() {
        output.warn(
            "other machines can reach this address; bodies are printed only if the signature is valid",
        );
    }
    let (counts, stop) = (Arc::<Counts>::default(), Arc::<Notify>::default());
    let (to_print, messages) = Queue::new();
    let forwarding = sender.map(|to| forward(to, Arc::clone(&to_print), Arc::clone(&counts)));
    let (to_forward, forwarding) = forwarding.unzip();
    let handler = Handler::new(
        verifier,
        recorder,
        to_print,
        to_forward,
        arguments.max.unwrap_or(u64::MAX),
        Arc::clone(&counts),
        Arc::clone(&stop),
    );
    let reporter = Reporter {
        output,
        prints_payloads: !arguments.no_payload,
        counts,
    };
    serve_and_print(
        listener,
        handler,
        forwarding,
        (messages, &reporter),
        &stop,
        session,
    )
}

/// Serves, and prints on a thread of its own, so that deliveries are answered while stdout is blocked.
fn serve_and_print(
    listener: TcpListener,
    handler: Handler,
    forwarding: Option<impl Future<Output = ()> + Send + 'static>,
    (messages, reporter): (Receiver<Queued<Message>>, &Reporter<'_>),
    stop: &Notify,
    session: &Session<'_>,
) -> Result<u8> {
    let (ended, printed) = oneshot::channel();
    thread::scope(|scope| {
        let print = move || drop(ended.send(reporter.print(messages, stop)));
        let printer = thread::Builder::new().spawn_scoped(scope, print);
        printer.map_err(|error| Failure::other(format!("cannot start a thread: {error}")))?;
        // On a thread, since stderr may be blocked, too.
        let wait = || drop(scope.spawn(|| reporter.wait()));
        let served = serve(listener, handler, forwarding, stop, printed, wait);
        let (exit_code, printed) = session.block_on(served)??;
        if let Some(printed) = printed {
            reporter.end();
            return printed.map(|()| exit_code);
        }
        let (said, is_said) = mpsc::channel();
        scope.spawn(move || {
            reporter
                .output
                .warn("stdout is blocked, so some deliveries were not printed");
            reporter.end();
            said.send(())
        });
        let _ = is_said.recv_timeout(END_TIMEOUT);
        interruption::end_if_pending();
        std::process::exit(exit_code.into())
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

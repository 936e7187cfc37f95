//! `profile webhook listen`: receives, verifies, prints and forwards deliveries.

mod event;
mod handler;
mod recorder;
mod reporter;

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use reqwest::Url;
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::mpsc::UnboundedReceiver;
use webhook_verify::Verifier;

use self::handler::{Handler, Message};
use self::reporter::Reporter;
use super::encoding::Encoding;
use super::secret;
use super::sender::destination;
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;
use crate::system::interruption::{InterruptGuard, ShutdownSignals};

/// The timeout for the head of a request, so that a slow sender cannot hold a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The delay after a failed `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// The time after which the command reports that it waits before it ends.
const WAIT_DELAY: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct ListenArguments {
    /// Address to listen on; port 0 selects a free port, which is printed to stderr
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    addr: String,

    /// Forward verified deliveries, with their headers and bytes, to this receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    forward_to: Option<Url>,

    /// When to respond: `now`, with 204, so that errors of the receiver cannot turn the webhook off;
    /// or `after` forwarding, with the status code of the receiver
    #[arg(long, value_enum, value_name = "WHEN", default_value = "now")]
    #[arg(hide_possible_values = true)]
    ack: Ack,

    /// Save each verified delivery to a file in this directory, for `profile webhook replay`
    #[arg(long, value_name = "DIRECTORY")]
    record: Option<PathBuf>,

    /// Print only a line for each delivery, without its payload
    #[arg(long)]
    no_payload: bool,

    /// Exit after N deliveries, including rejected ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max: Option<u64>,

    /// Maximum size of a body; larger ones are rejected
    #[arg(long, value_name = "BYTES", default_value_t = Verifier::DEFAULT_BODY_LIMIT)]
    max_body: usize,

    #[command(flatten)]
    encoding: Encoding,
}

/// When to respond to a delivery that is forwarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Ack {
    /// With 204 before forwarding, so that errors of the receiver cannot turn the webhook off
    Now,
    /// With the status code of the receiver, or 502 if there is none
    After,
}

fn after_help() -> String {
    format!(
        "\
Prints `listening on http://HOST:PORT` to stderr when it is ready, and then a line for each
delivery: time, kind, status code of the response, size in bytes, `verified` or `rejected`, and the
reason for a rejection; separated by tabs in a pipe. On a terminal, the payload of a verified delivery
follows, shortened if it is long, unless --no-payload is given. With --json, each line is an object
that contains the body as a string, or in base64 if it is not UTF-8. Rejected deliveries are printed
without their body, and neither forwarded nor recorded; the response is 401, or 413 if the body is too
large. Ten consecutive failures turn a webhook off; a warning is printed after five and after ten.

After Ctrl-C, the command waits for deliveries that are being forwarded, and exits with 130; a second
Ctrl-C exits at once.
{}

Examples:
  profile webhook listen --forward-to http://127.0.0.1:8080/hooks
  profile webhook listen --record deliveries --max 10 --json",
        secret::HELP
    )
}

pub(crate) fn run(arguments: &ListenArguments, session: &Session<'_>) -> Result<u8, Failure> {
    if arguments.ack == Ack::After && arguments.forward_to.is_none() {
        return Err(Failure::usage("--ack after requires --forward-to"));
    }
    let (handler, messages) = Handler::new(arguments, session)?;
    let reporter = Reporter::new(session.output, !arguments.no_payload);
    session.block_on(listen(arguments, handler, messages, reporter))?
}

/// Listens until the maximum number of deliveries or a signal, and returns the exit code.
async fn listen(
    arguments: &ListenArguments,
    handler: Handler,
    mut messages: UnboundedReceiver<Message>,
    mut reporter: Reporter<'_>,
) -> Result<u8, Failure> {
    let (listener, address) = bind(&arguments.addr).await?;
    let mut signals = ShutdownSignals::new().map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("cannot handle signals: {error}"),
        )
    })?;
    let uninterrupted = InterruptGuard::new();
    let forward_to = arguments.forward_to.as_ref();
    reporter.begin(address, forward_to);
    let handler = Arc::new(handler);
    let connections = GracefulShutdown::new();
    let ended = loop {
        tokio::select! {
            stream = accept(&listener) => {
                let handler = Arc::clone(&handler);
                let service = service_fn(move |request| Arc::clone(&handler).handle(request));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_TIMEOUT)
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connections.watch(connection));
            }
            Some(message) = messages.recv() => {
                match reporter.report(message) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break Ok(0),
                    Err(failure) => break Err(failure),
                }
                if arguments.max.is_some_and(|max| reporter.deliveries() >= max) {
                    break Ok(0);
                }
            }
            exit_code = signals.next() => break Ok(exit_code),
        }
    };
    drop((listener, handler));
    drop(uninterrupted);
    let finishing = finish(messages, reporter, forward_to, ended);
    tokio::join!(connections.shutdown(), finishing).1
}

/// Reports the remaining messages, and what the command waits for if that takes a moment.
async fn finish(
    mut messages: UnboundedReceiver<Message>,
    mut reporter: Reporter<'_>,
    forward_to: Option<&Url>,
    mut ended: Result<u8, Failure>,
) -> Result<u8, Failure> {
    let mut delay = pin!(tokio::time::sleep(WAIT_DELAY));
    let mut is_silent = true;
    loop {
        tokio::select! {
            message = messages.recv() => {
                // The channel closes once all deliveries have been answered and forwarded.
                let Some(message) = message else { break };
                ended = ended.and_then(|exit_code| match reporter.report(message)? {
                    ControlFlow::Continue(()) => Ok(exit_code),
                    ControlFlow::Break(()) => Ok(0),
                });
            }
            () = &mut delay, if is_silent => {
                is_silent = false;
                reporter.wait(forward_to);
            }
        }
    }
    reporter.end();
    ended
}

/// Accepts the next connection. Errors are not fatal: the client may have disconnected.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}

async fn bind(text: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let unknown = |error: &std::io::Error| {
        let message = format!("--addr: {text:?} is not a valid address: {error}");
        Failure::usage(message).hint("expected a host and a port, such as 127.0.0.1:8080")
    };
    let addresses: Vec<_> = lookup_host(text)
        .await
        .map_err(|error| unknown(&error))?
        .collect();
    let bound = TcpListener::bind(addresses.as_slice()).await;
    bound
        .and_then(|listener| listener.local_addr().map(|address| (listener, address)))
        .map_err(|error| {
            let message = format!("cannot listen on {text}: {error}");
            Failure::new(FailureKind::Other, message).hint("use another port, or 0 for a free port")
        })
}

//! `profile webhook listen`: receives deliveries, checks them, shows them and passes them on.

mod event;
mod handler;
mod teller;

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::PathBuf;
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

use self::handler::{Handler, News};
use self::teller::Teller;
use super::encoding::Encoding;
use super::secret;
use super::sender::destination;
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;
use crate::system::interruption::{InterruptGuard, ShutdownSignals};

/// The time limit for the head of a request, so that a slow sender does not hold a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The wait when the system has no file handle left for a connection; it queues it meanwhile.
const BACK_OFF: Duration = Duration::from_millis(20);

/// Receive deliveries, check their signatures and show them
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(crate) struct WebhookListenArguments {
    /// Where to listen; port 0 is one that is free, and is told on stderr
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    addr: String,

    /// Pass on what was verified, with its bytes and headers, to this receiver
    #[arg(long, value_name = "URL", value_parser = destination)]
    forward_to: Option<Url>,

    /// Answer before passing on, so that a broken receiver cannot get the webhook turned off (now),
    /// or with what the receiver answered (after)
    #[arg(long, value_enum, value_name = "WHEN", default_value = "now")]
    #[arg(hide_possible_values = true)]
    ack: Ack,

    /// Keep each verified delivery in a file of this directory, for `profile webhook replay`
    #[arg(long, value_name = "DIRECTORY")]
    record: Option<PathBuf>,

    /// End after so many deliveries, refused ones among them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max: Option<u64>,

    /// Refuse bodies that are larger
    #[arg(long, value_name = "BYTES", default_value_t = Verifier::DEFAULT_BODY_LIMIT)]
    max_body: usize,

    #[command(flatten)]
    encoding: Encoding,
}

/// When a delivery that is passed on gets its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Ack {
    /// With 204 before it is passed on, so that a broken receiver cannot get the webhook turned off
    Now,
    /// With the status that the receiver answers, or 502 if it does not answer
    After,
}

fn after_help() -> String {
    format!(
        "\
Prints `listening on http://HOST:PORT` on stderr as soon as deliveries can come, and then a line
for each: when it came, its kind, the status it was answered with, its bytes, and `verified` or why
it was refused; separated by tabs in a pipe. With --json each is an object on a line of its own,
with the body as text, or in base64 where it is not UTF-8; a refused delivery is shown without its
body. What is not verified is answered with 401, a body that is too large with 413, and neither is
passed on or recorded. Ten failed deliveries in a row turn a webhook off: from five on you are
warned.

Ctrl-C ends it with exit code 130 once what is under way has been passed on; a second one ends it
at once.
{}

Examples:
  profile webhook listen --forward-to http://127.0.0.1:8080/hooks
  profile webhook listen --addr 127.0.0.1:8081 --record deliveries --max 10 --json",
        secret::HELP
    )
}

pub(crate) fn run(
    arguments: &WebhookListenArguments,
    session: &Session<'_>,
) -> Result<u8, Failure> {
    if arguments.ack == Ack::After && arguments.forward_to.is_none() {
        let message = "--ack after waits for a receiver's answer, and none is named";
        return Err(Failure::usage(message).hint("add --forward-to"));
    }
    let (handler, news) = Handler::new(arguments, session)?;
    let teller = Teller::new(session.output, arguments.record.clone())?;
    session.block_on(listen(arguments, handler, news, teller))?
}

/// Listens until it is to end, and returns the exit code.
async fn listen(
    arguments: &WebhookListenArguments,
    handler: Handler,
    mut news: UnboundedReceiver<News>,
    mut teller: Teller<'_>,
) -> Result<u8, Failure> {
    let (listener, address) = bind(&arguments.addr).await?;
    let mut signals = ShutdownSignals::new().map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("signals cannot be had: {error}"),
        )
    })?;
    let uninterrupted = InterruptGuard::new();
    teller.begin(address);
    let handler = Arc::new(handler);
    let connections = GracefulShutdown::new();
    let mut ended = loop {
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
            Some(news) = news.recv() => {
                match teller.tell(news) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break Ok(0),
                    Err(failure) => break Err(failure),
                }
                if arguments.max.is_some_and(|max| teller.deliveries() >= max) {
                    break Ok(0);
                }
            }
            exit_code = signals.next() => break Ok(exit_code),
        }
    };
    drop((listener, handler));
    drop(uninterrupted);
    connections.shutdown().await;
    // Deliveries that are still being passed on hold a sender.
    while let Some(news) = news.recv().await {
        ended = ended.and_then(|exit_code| match teller.tell(news)? {
            ControlFlow::Continue(()) => Ok(exit_code),
            ControlFlow::Break(()) => Ok(0),
        });
    }
    teller.end();
    ended
}

/// Waits for the next connection. A client that went away again is no reason to stop.
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
        let message = format!("--addr is {text:?}, which is not a place to listen at: {error}");
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
            Failure::new(FailureKind::Other, message).hint("name another port, or 0 for a free one")
        })
}

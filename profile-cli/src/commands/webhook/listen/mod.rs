//! `profile webhook listen`: receives, verifies, prints and forwards deliveries. `handler` responds to them, and
//! `event` prints them.

mod event;
mod handler;

use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::Args;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use reqwest::Url;
use tokio::sync::mpsc::Receiver;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::timeout;
use webhook_verify::Verifier;

use self::event::{Message, Queue, Queued, Recorder, Reporter, State};
use self::handler::{Handler, forward};
use super::delivery::{Sender, destination};
use super::{Encoding, SECRET_HELP, WebhookSecret};
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
not forwarded or not printed; a warning says how many.

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

pub(super) fn run(arguments: &ListenArguments, session: &Session<'_>) -> Result<ExitCode> {
    let verifier = Verifier::new(WebhookSecret::load(session)?.secret)
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
    let state = Arc::<State>::default();
    let (to_print, messages) = Queue::new();
    let forwarding = sender.map(|to| forward(to, Arc::clone(&to_print), Arc::clone(&state)));
    let (to_forward, forwarding) = forwarding.unzip();
    let max = arguments.max.unwrap_or(u64::MAX);
    let handler = Handler::new(verifier, recorder, to_print, to_forward, max, &state);
    let reporter = Reporter {
        output,
        prints_payloads: !arguments.no_payload,
        state,
    };
    serve_and_print(listener, handler, forwarding, messages, &reporter, session).map(ExitCode::from)
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

/// Maximum time to wait for stderr if stdout is blocked.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves, and prints on a thread of its own, so that deliveries are answered while stdout is blocked.
fn serve_and_print(
    listener: TcpListener,
    handler: Handler,
    forwarding: Option<impl Future<Output = ()> + Send + 'static>,
    messages: Receiver<Queued<Message>>,
    reporter: &Reporter<'_>,
    session: &Session<'_>,
) -> Result<u8> {
    let (ended, printed) = oneshot::channel();
    thread::scope(|scope| {
        let print = move || drop(ended.send(reporter.print(messages)));
        let printer = thread::Builder::new().spawn_scoped(scope, print);
        printer.map_err(|error| Failure::other(format!("cannot start a thread: {error}")))?;
        // On a thread, since stderr may be blocked, too.
        let wait = || drop(scope.spawn(|| reporter.wait()));
        let stop = &reporter.state.stop;
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

/// Maximum number of connections. Others wait.
const MAX_CONNECTIONS: usize = 200;

/// The timeout for the head of a request, so that a slow sender cannot hold a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of the head of a request, and of the buffer of a connection.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The delay before a command that is ending reports what it waits for.
const WAIT_DELAY: Duration = Duration::from_millis(300);

/// Maximum time to wait for stdout after a signal.
const PRINT_TIMEOUT: Duration = Duration::from_secs(5);

/// The delay after a failed `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// Serves until `stop` is notified or a signal arrives, and waits for requests in progress, for deliveries to forward,
/// and for stdout; calls `wait` if that takes long. Returns the exit code, and `None` if stdout is blocked after a
/// signal.
async fn serve<T>(
    listener: TcpListener,
    handler: Handler,
    forwarding: Option<impl Future<Output = ()> + Send + 'static>,
    stop: &Notify,
    printed: oneshot::Receiver<T>,
    wait: impl FnOnce(),
) -> Result<(u8, Option<T>)> {
    let listener = listener
        .set_nonblocking(true)
        .and_then(|()| tokio::net::TcpListener::from_std(listener));
    let listener = listener.map_err(|error| Failure::other(format!("cannot listen: {error}")))?;
    let forwarding = forwarding.map(tokio::spawn);
    let connections = GracefulShutdown::new();
    let signal = tokio::select! {
        () = accept_all(listener, handler, &connections) => None,
        () = stop.notified() => None,
        exit_code = interruption::stopped() => Some(exit_code),
    };
    // Stdout may be blocked, and the receiver of `--forward-to` may hang.
    interruption::end_server_at_once();
    let mut finished = pin!(async {
        connections.shutdown().await;
        if let Some(forwarding) = forwarding {
            let _ = forwarding.await;
        }
        match signal {
            Some(_) => timeout(PRINT_TIMEOUT, printed).await.ok()?.ok(),
            None => printed.await.ok(),
        }
    });
    let printed = match timeout(WAIT_DELAY, &mut finished).await {
        Ok(printed) => printed,
        Err(_) => {
            wait();
            finished.await
        }
    };
    Ok((signal.unwrap_or_default(), printed))
}

/// Accepts connections until canceled.
async fn accept_all(
    listener: tokio::net::TcpListener,
    handler: Handler,
    connections: &GracefulShutdown,
) {
    let handler = Arc::new(handler);
    let limit = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let permit = Arc::clone(&limit).acquire_owned().await;
        let (stream, _) = loop {
            match listener.accept().await {
                Ok(accepted) => break accepted,
                // Not fatal: the client may have disconnected.
                Err(_) => tokio::time::sleep(BACK_OFF).await,
            }
        };
        let handler = Arc::clone(&handler);
        let service = service_fn(move |request| Arc::clone(&handler).handle(request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            // Answers senders that close their side of the connection after the request.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            let _ = connection.await;
            drop(permit);
        });
    }
}

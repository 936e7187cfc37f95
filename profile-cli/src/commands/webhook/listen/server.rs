//! Receives deliveries on a thread of its own, so that they are answered while stdout is blocked.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{Notify, oneshot};

use super::handler::{Handler, Message};
#[cfg(unix)]
use super::limits::MAX_DELIVERIES;
use crate::outcome::{Failure, Result};
use crate::system::interruption::{self, Deferral};

/// The timeout for the head of a request, so that a slow sender cannot hold a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of the head of a request, and of the buffer of a connection.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The delay after a failed `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// The delay before a command that is ending reports what it waits for.
const WAIT_DELAY: Duration = Duration::from_millis(300);

/// A running server.
pub(super) struct Server {
    thread: JoinHandle<Result<u8>>,
    /// Notified to stop accepting deliveries.
    pub(super) stop: Arc<Notify>,
    /// Dropped once all messages are received: until then, deliveries may be forwarded.
    end: oneshot::Sender<()>,
}

impl Server {
    pub(super) fn start(listener: TcpListener, handler: Handler) -> Result<Self> {
        let stop = Arc::new(Notify::new());
        let (end, ended) = oneshot::channel();
        let deferred = interruption::defer();
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| failed("start the async runtime", &error))?;
            runtime.block_on(serve(listener, handler, deferred, &stopped, ended))
        });
        let thread = thread.map_err(|error| failed("start a thread", &error))?;
        Ok(Self { thread, stop, end })
    }

    /// Ends the thread, and returns the exit code: that of a signal, or 0.
    pub(super) fn end(self) -> Result<u8> {
        drop(self.end);
        let ended = self.thread.join();
        ended.expect("the program aborts on a panic of the thread")
    }
}

/// Serves until the handler has received enough deliveries, a signal arrives, or `stop` is notified.
async fn serve(
    listener: TcpListener,
    handler: Handler,
    _deferred: Deferral,
    stop: &Notify,
    ended: oneshot::Receiver<()>,
) -> Result<u8> {
    let listener = listener
        .set_nonblocking(true)
        .and_then(|()| tokio::net::TcpListener::from_std(listener));
    let listener = listener.map_err(|error| failed("listen", &error))?;
    let handler = Arc::new(handler);
    #[cfg(unix)]
    allow_open_files(4 * MAX_DELIVERIES as u64);
    handler.report(Message::Ready);
    let connections = GracefulShutdown::new();
    let exit_code = loop {
        tokio::select! {
            stream = accept(&listener) => {
                let handler = Arc::clone(&handler);
                let service = service_fn(move |request| Arc::clone(&handler).handle(request));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_TIMEOUT)
                    .max_buf_size(MAX_HEAD_BYTES)
                    // Answers senders that close their side of the connection after the request.
                    .half_close(true)
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connections.watch(connection));
            }
            () = handler.has_enough.notified() => break 0,
            () = stop.notified() => break 0,
            exit_code = interruption::stopped() => break exit_code,
        }
    };
    // Stdout may be blocked, and the receiver of `--forward-to` may hang.
    interruption::end_server_at_once();
    // Does not keep the channel open.
    let waiting = Arc::downgrade(&handler);
    drop((listener, handler));
    let finished = async {
        // `ended` fails when its sender is dropped, which is the signal.
        let _ = tokio::join!(connections.shutdown(), ended);
    };
    let mut finished = pin!(finished);
    tokio::select! {
        () = &mut finished => {}
        () = tokio::time::sleep(WAIT_DELAY) => {
            // If no handler is left, all deliveries have been answered and forwarded.
            if let Some(handler) = waiting.upgrade() {
                handler.report(Message::Waiting(handler.queue().len()));
            }
            finished.await;
        }
    }
    Ok(exit_code)
}

/// Accepts the next connection. Errors are not fatal: the client may have disconnected.
async fn accept(listener: &tokio::net::TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(BACK_OFF).await,
        }
    }
}

/// Raises the limit on open files, which is often 1,024, so that excess connections get a response.
#[cfg(unix)]
fn allow_open_files(count: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.map_or(count, |maximum| maximum.min(count));
    limit.current = limit.current.map(|current| current.max(allowed));
    // Without permission, the limit stays.
    let _ = setrlimit(Resource::Nofile, limit);
}

fn failed(what: &str, error: &std::io::Error) -> Failure {
    Failure::other(format!("cannot {what}: {error}"))
}

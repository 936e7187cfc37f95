//! Connections: accepts them until the server stops, and serves each with hyper until a wire fault takes
//! it over.

use std::error::Error;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::header::HOST;
use http::{Request, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use super::{NoResponse, READ_TIMEOUT, Responded, response};
use crate::engine::{Reply, http_date};
use crate::faults::{PlannedReply, WireFault};
use crate::tasks::Shutdown;

/// Maximum number of connections that wait to be accepted. The standard library allows 128, and clients repeat
/// an attempt beyond that after a second.
const BACKLOG: i32 = 1024;

/// Pause after an error of `accept`, for example if no file descriptor is available.
const BACK_OFF: Duration = Duration::from_millis(20);

/// Accepts and serves connections until `stop` completes. Each connection ends when the shutdown starts, after
/// its pending request, or when its runtime is dropped.
pub(crate) async fn serve(
    listener: TcpListener,
    handler: Arc<impl Handler>,
    shutdown: &Shutdown,
    stop: impl Future<Output = ()>,
) {
    // An error leaves the queue as it is.
    let _ = SockRef::from(&listener).listen(BACKLOG);
    let accept_all = async {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Errors are temporary.
                tokio::time::sleep(BACK_OFF).await;
                continue;
            };
            let (handler, shutdown) = (handler.clone(), shutdown.clone());
            // The server waits for it, even if the connection has not been served yet.
            let unfinished = shutdown.started();
            tokio::spawn(async move {
                serve_connection(stream, handler, shutdown).await;
                drop(unfinished);
            });
        }
    };
    tokio::select! {
        // First, so that no connection waits to be accepted.
        biased;
        () = accept_all => {}
        () = stop => {}
    }
}

/// A handler of HTTP requests.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Returns the response to a request.
    fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> impl Future<Output = Responded> + Send;
}

/// Serves a connection until the client closes it or the shutdown starts. A pending request is finished
/// first.
async fn serve_connection(stream: TcpStream, handler: Arc<impl Handler>, shutdown: Shutdown) {
    // Turns off Nagle's algorithm. After an error, the next read would fail too.
    let _ = stream.set_nodelay(true);
    let has_request = AtomicBool::new(false);
    let service = service_fn(|request| {
        has_request.store(true, Ordering::Relaxed);
        let handler = handler.clone();
        async move {
            match check_host(&request) {
                Ok(()) => handler.handle(request).await,
                Err(rejection) => Ok(response(PlannedReply::new(rejection))),
            }
        }
    });
    let has_ended = false;
    let stream = TokioIo::new(ClientStream { stream, has_ended });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIMEOUT)
        .serve_connection(stream, service);
    let served = tokio::select! {
        biased;
        served = &mut connection => served,
        () = shutdown.started() => {
            if !has_request.load(Ordering::Relaxed) {
                // No complete request has arrived.
                return;
            }
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let Err(error) = served else {
        return;
    };
    let cause = error.source().and_then(|error| error.downcast_ref());
    if let Some(NoResponse::Fault(answer, fault)) = cause {
        let (reply, exchange) = &**answer;
        let stream = connection.into_parts().io.into_inner().stream;
        let written = tokio::select! {
            written = write_fault(stream, *fault, reply) => written,
            () = shutdown.started() => Ok(()),
        };
        // Any other fault is the outcome, whenever the client disconnects.
        if let (Err(_), WireFault::Dribble { .. }) = (written, fault) {
            exchange.abandon();
        }
    }
}

/// A connection whose client may leave after it has sent its requests, which are handled nevertheless.
struct ClientStream {
    stream: TcpStream,
    has_ended: bool,
}

impl AsyncRead for ClientStream {
    /// Reports the end of the connection one poll late: hyper drops a request that it has read when it
    /// sees the end, even if it has not called its handler yet.
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        let is_end = read.is_err() || buffer.filled().len() == before;
        if is_end && !std::mem::replace(&mut self.has_ended, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    /// Discards what a client that has left cannot receive. The next request may already be here, and
    /// reading reports the end of the connection.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        let all = || slices.iter().map(|slice| slice.len()).sum();
        written.map(|written| Ok(written.unwrap_or_else(|_| all())))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Rejects a request of HTTP/1.1 without `Host` or with several (RFC 9112, section 3.2).
fn check_host<B>(request: &Request<B>) -> Result<(), Reply> {
    let headers = request.headers().iter();
    let count = headers.filter(|(name, _)| *name == HOST).count();
    if count == 1 || (count == 0 && request.version() < Version::HTTP_11) {
        return Ok(());
    }
    let message = format!("the request has {count} Host headers; expected one");
    Err(Reply::error(400, "invalid_host", &message))
}

/// Ends a connection as the fault requires. An error means that the client has disconnected.
async fn write_fault(
    mut stream: TcpStream,
    fault: WireFault,
    reply: &PlannedReply,
) -> io::Result<()> {
    match fault {
        // With a linger of zero, the system sends RST instead of FIN.
        WireFault::Reset { after } => {
            if let Some(after) = after {
                send_part(&mut stream, reply, after).await?;
            }
            return stream.set_zero_linger();
        }
        WireFault::Stall { after } => {
            send_part(&mut stream, reply, after).await?;
            return wait_for_end(&mut stream).await;
        }
        WireFault::Close => {}
        WireFault::Cut { after } => send_part(&mut stream, reply, after).await?,
        WireFault::Dribble { bytes, pause } => {
            let head = match reply.code {
                204 => head(reply, ""),
                _ => head_with_length(reply, reply.body.len() as u64),
            };
            stream.write_all(head.as_bytes()).await?;
            let size = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
            for piece in sent_body(reply).chunks(size) {
                tokio::select! {
                    () = tokio::time::sleep(pause) => stream.write_all(piece).await?,
                    ended = wait_for_end(&mut stream) => {
                        return ended.and(Err(ErrorKind::BrokenPipe.into()));
                    }
                }
            }
        }
        WireFault::BadChunk => stream.write_all(&bad_chunk(reply)).await?,
    }
    // Sends FIN. Closing the connection before the rest of the request is read would send RST.
    stream.shutdown().await?;
    // The response is complete, whatever the client does.
    let _ = tokio::time::timeout(READ_TIMEOUT, wait_for_end(&mut stream)).await;
    Ok(())
}

/// Sends the head and the first `after` bytes of the body. `Content-Length` is always larger, so that
/// the client can detect the missing bytes.
async fn send_part(stream: &mut TcpStream, reply: &PlannedReply, after: u64) -> io::Result<()> {
    let body = sent_body(reply);
    let announced = after.saturating_add(1).max(reply.body.len() as u64);
    let sent = usize::try_from(after).map_or(body.len(), |after| body.len().min(after));
    let mut bytes = head_with_length(reply, announced).into_bytes();
    bytes.extend_from_slice(&body[..sent]);
    stream.write_all(&bytes).await
}

/// Returns the body, or no bytes for HEAD.
fn sent_body(reply: &PlannedReply) -> &[u8] {
    if reply.is_head { &[] } else { &reply.body }
}

/// Waits until the client closes the connection, and discards what it sends.
async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut dropped = [0; 1024];
    while stream.read(&mut dropped).await? > 0 {}
    Ok(())
}

/// Returns a response with one valid chunk and an invalid chunk size.
fn bad_chunk(reply: &PlannedReply) -> Vec<u8> {
    let first = match reply.body.as_ref() {
        [] => b"{",
        body => &body[..body.len().min(8)],
    };
    let mut bytes = head(reply, "transfer-encoding: chunked\r\n").into_bytes();
    if !reply.is_head {
        let size = format!("{:x}\r\n", first.len());
        bytes.extend([size.as_bytes(), first, b"\r\nno size\r\n"].concat());
    }
    bytes
}

fn head_with_length(reply: &PlannedReply, length: u64) -> String {
    head(reply, &format!("content-length: {length}\r\n"))
}

fn head(reply: &PlannedReply, framing: &str) -> String {
    let status = StatusCode::from_u16(reply.code).expect("a reply has a status of three digits");
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    // As hyper does it for other responses.
    if reply.headers.iter().all(|(name, _)| name != "date") {
        head += &format!("date: {}\r\n", http_date(Timestamp::now()));
    }
    head + framing + "connection: close\r\n\r\n"
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;
    use crate::transport::receive;

    struct ReadsAll;

    impl Handler for ReadsAll {
        async fn handle(self: Arc<Self>, request: Request<Incoming>) -> Responded {
            let _ = receive(request, 1024, &Shutdown::default(), |_| Ok::<_, ()>(())).await?;
            let reply = Reply::error(404, "nothing", "not found");
            Ok(response(PlannedReply::new(reply)))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn closes_the_connection_of_a_silent_client() {
        let half_a_body = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12345678";
        for sent in ["", "GET / HTTP/1.1\r\nHos", half_a_body] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mut client = TcpStream::connect(address).await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            client.write_all(sent.as_bytes()).await.unwrap();
            let begun = Instant::now();
            serve_connection(stream, Arc::new(ReadsAll), Shutdown::default()).await;
            assert!(begun.elapsed() >= READ_TIMEOUT, "{sent}");
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).await.unwrap();
            assert_eq!(answer, b"", "{sent}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn closes_the_connection_of_a_body_that_drips() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(address).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n";
        client.write_all(head).await.unwrap();
        let dripping = tokio::spawn(async move {
            while client.write_all(b"x").await.is_ok() {
                tokio::time::sleep(READ_TIMEOUT / 4).await;
            }
        });
        let serving = serve_connection(stream, Arc::new(ReadsAll), Shutdown::default());
        let ended = tokio::time::timeout(2 * READ_TIMEOUT, serving).await;
        assert!(ended.is_ok(), "the connection is still open");
        dripping.abort();
    }
}

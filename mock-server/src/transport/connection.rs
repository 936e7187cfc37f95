//! Serves one connection with hyper, until a wire fault takes it over.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::no_response::{NoResponse, READ_TIMEOUT};
use super::write_fault::write_fault;

/// A handler of HTTP requests.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Returns the response to a request.
    fn handle(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Full<Bytes>>, NoResponse>> + Send;
}

/// Serves a connection until the client closes it or `stop` becomes `true`. A pending request is
/// finished first.
pub(super) async fn serve(
    stream: TcpStream,
    handler: Arc<impl Handler>,
    mut stop: watch::Receiver<bool>,
) {
    // Avoids delays of small responses. An error would also show up on the next read.
    let _ = stream.set_nodelay(true);
    let has_request = AtomicBool::new(false);
    let service = service_fn(|request| {
        has_request.store(true, Ordering::Relaxed);
        let handler = handler.clone();
        async move { handler.handle(request).await }
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let served = tokio::select! {
        biased;
        served = &mut connection => Some(served),
        () = stopped(&mut stop) => None,
    };
    let served = match served {
        Some(served) => served,
        // No complete request has arrived.
        None if !has_request.load(Ordering::Relaxed) => return,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let Err(error) = served else {
        return;
    };
    if let Some(NoResponse::Fault(reply, fault)) =
        error.source().and_then(|error| error.downcast_ref())
    {
        let stream = connection.into_parts().io.into_inner();
        tokio::select! {
            // An error means that the client has closed the connection.
            _ = write_fault(stream, *fault, reply) => {}
            () = stopped(&mut stop) => {}
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // A dropped sender also means that the server has stopped.
    let _ = stop.wait_for(|stop| *stop).await;
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::super::incoming::receive;
    use super::super::outgoing::respond;
    use super::*;
    use crate::engine::Reply;
    use crate::faults::PlannedReply;
    use crate::shutdown::Shutdown;

    struct ReadsAll;

    impl Handler for ReadsAll {
        async fn handle(
            &self,
            request: Request<Incoming>,
        ) -> Result<Response<Full<Bytes>>, NoResponse> {
            receive(request, 1024, &Shutdown::new()).await?;
            respond(PlannedReply::new(Reply::error(404, "nothing", "not found")))
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
            let (_going, stop) = watch::channel(false);
            client.write_all(sent.as_bytes()).await.unwrap();
            let begun = Instant::now();
            serve(stream, Arc::new(ReadsAll), stop).await;
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
        let (_going, stop) = watch::channel(false);
        let head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n";
        client.write_all(head).await.unwrap();
        let dripping = tokio::spawn(async move {
            while client.write_all(b"x").await.is_ok() {
                tokio::time::sleep(READ_TIMEOUT / 4).await;
            }
        });
        let serving = serve(stream, Arc::new(ReadsAll), stop);
        let ended = tokio::time::timeout(2 * READ_TIMEOUT, serving).await;
        assert!(ended.is_ok(), "the connection is still open");
        dripping.abort();
    }
}

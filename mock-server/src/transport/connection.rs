//! One connection: hyper speaks on it until a fault on the wire takes it over.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::misbehave::misbehave;
use super::outgoing::{Departure, Unanswered};
use super::payload::Payload;

/// What answers the requests of a server.
pub(super) trait Handler: Send + Sync + 'static {
    /// The answer to one request.
    fn handle(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Payload>, Unanswered>> + Send;
}

/// Serves a connection until its client leaves or `stop` says so; then a request under way is
/// answered still.
pub(super) async fn serve(
    stream: TcpStream,
    handler: Arc<impl Handler>,
    mut stop: watch::Receiver<bool>,
) {
    // Small answers would otherwise wait for the client's acknowledgement. A connection that is
    // gone already shows itself when it is read.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let handler = handler.clone();
        async move { handler.handle(request).await }
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let served = tokio::select! {
        biased;
        served = &mut connection => Some(served),
        () = told_to(&mut stop) => None,
    };
    let served = match served {
        Some(served) => served,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let Err(error) = served else {
        return;
    };
    if let Some(departure) = departure(&error) {
        let stream = connection.into_parts().io.into_inner();
        tokio::select! {
            // Nobody is left to be told when the client goes first.
            _ = misbehave(stream, departure) => {}
            () = told_to(&mut stop) => {}
        }
    }
}

async fn told_to(stop: &mut watch::Receiver<bool>) {
    // Without a sender there is no server any more, and that is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
}

fn departure(error: &hyper::Error) -> Option<&Departure> {
    match error.source()?.downcast_ref()? {
        Unanswered::Departure(departure) => Some(departure),
        Unanswered::Broken(_) | Unanswered::Gone(_) => None,
    }
}

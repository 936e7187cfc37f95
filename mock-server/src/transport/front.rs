//! The front of a Rust suite's server: it stands before wiremock, passes everything on, and does
//! on the wire what wiremock cannot.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::connection::Handler;
use super::listener;
use super::outgoing::{Departure, Unanswered};
use super::payload::Payload;
use crate::faults::{Filling, WireFault};

/// The header by which the service tells the front what to do. It never leaves the front.
const INSTRUCTION: &str = "x-mock-server-front";

/// What the front is to do with an answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Instruction {
    Wire(WireFault),
    /// Send this in place of the body.
    Fill(Filling),
}

impl Instruction {
    /// Name and value of the header that carries the instruction to the front.
    pub(crate) fn to_header(&self) -> (&'static str, String) {
        let value = serde_json::to_string(self).expect("names and numbers become JSON");
        (INSTRUCTION, value)
    }

    fn of(value: &HeaderValue) -> Option<Self> {
        serde_json::from_slice(value.as_bytes()).ok()
    }
}

/// A running front; it ends when this is dropped, and its connections with it.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) address: SocketAddr,
    /// The thread waits for this to be dropped.
    _stop: oneshot::Sender<()>,
}

impl Front {
    /// Serves the listener on a thread of its own, and passes everything on to `behind`.
    pub(crate) fn start(listener: TcpListener, behind: SocketAddr) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let inside = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        drop(inside);
        thread::Builder::new()
            .name("mock-server front".to_owned())
            .spawn(move || {
                let serving =
                    listener::serve_without_grace(listener, Arc::new(Forward { behind }), async {
                        // The sender sends nothing; it is dropped.
                        let _ = stopped.await;
                    });
                runtime.block_on(serving);
            })?;
        Ok(Self {
            address,
            _stop: stop,
        })
    }
}

/// Passes requests on.
struct Forward {
    behind: SocketAddr,
}

impl Handler for Forward {
    async fn handle(&self, request: Request<Incoming>) -> Result<Response<Payload>, Unanswered> {
        // When nobody is behind any more, the server is about to end.
        let stream = TcpStream::connect(self.behind)
            .await
            .map_err(Unanswered::Gone)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut response = sender.send_request(request).await?;
        let instruction = response.headers_mut().remove(INSTRUCTION);
        match instruction.as_ref().and_then(Instruction::of) {
            None => Ok(response.map(Payload::Forwarded)),
            Some(instruction) => follow(instruction, response).await,
        }
    }
}

async fn follow(
    instruction: Instruction,
    response: Response<Incoming>,
) -> Result<Response<Payload>, Unanswered> {
    let (mut head, body) = response.into_parts();
    head.headers.remove(http::header::CONTENT_LENGTH);
    match instruction {
        Instruction::Fill(filling) => {
            let body = Payload::Filler(filling.filler());
            Ok(Response::from_parts(head, body))
        }
        Instruction::Wire(fault) => Err(Unanswered::Departure(Box::new(Departure {
            fault,
            status: head.status,
            headers: head.headers,
            body: body.collect().await?.to_bytes(),
        }))),
    }
}

//! HTTP/2 services that close connections and refuse streams.

use std::sync::{Arc, Mutex};

use profile_sdk::{ApiKey, Client, ClientBuilder, ErrorKind, RetryPolicy};
use tokio::io::{self, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::client_builder_for;
use crate::tls::acceptor;

/// The number of requests after which a connection closes.
const MAX_REQUESTS: u32 = 20;

const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;

// Types of frames.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The reaction of a service to a request beyond the maximum of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// Announces the last stream in a GOAWAY with this code, and ignores newer ones.
    GoAway(u32),
    /// Announces all streams as processed, and closes the connection without responding.
    Cut,
    /// Refuses the stream, and closes the connection a moment later.
    Refuse,
}

/// An HTTPS service that speaks HTTP/2, frame by frame.
struct Service {
    uri: String,
    certificate: String,
    /// The bodies of the requests that were processed.
    processed: Arc<Mutex<Vec<String>>>,
}

impl Service {
    async fn start(beyond: Beyond) -> Self {
        let (acceptor, certificate) = acceptor(&["h2"]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let processed = Arc::<Mutex<Vec<String>>>::default();
        let bodies = processed.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(acceptor.clone(), stream, beyond, bodies.clone()));
            }
        });
        Self {
            uri: format!("https://localhost:{port}"),
            certificate,
            processed,
        }
    }

    /// Returns a builder for a client with many retries, because each connection refuses up to 15 of 16
    /// requests at once.
    fn client(&self) -> ClientBuilder {
        client_builder_for(&self.uri)
            .retry(RetryPolicy::new().max_retries(20))
            .retry_budget(1000)
            .root_certificate_pem(self.certificate.as_bytes())
            .api_key(ApiKey::new("the-key").unwrap())
    }

    fn processed(&self) -> Vec<String> {
        let mut processed = self.processed.lock().unwrap().clone();
        processed.sort();
        processed
    }
}

struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

async fn read_frame(stream: &mut TlsStream<TcpStream>) -> io::Result<Frame> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    stream.read_exact(&mut payload).await?;
    Ok(Frame {
        kind: head[3],
        flags: head[4],
        stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
        payload,
    })
}

async fn write_frame(
    connection: &mut TlsStream<TcpStream>,
    (kind, flags, stream): (u8, u8, u32),
    payload: &[u8],
) -> io::Result<()> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    connection.write_all(&frame).await?;
    connection.flush().await
}

async fn serve(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    beyond: Beyond,
    processed: Arc<Mutex<Vec<String>>>,
) -> io::Result<()> {
    let mut connection = acceptor.accept(stream).await?;
    let mut preface = [0; 24];
    connection.read_exact(&mut preface).await?;
    write_frame(&mut connection, (SETTINGS, 0, 0), &[]).await?;
    let mut requests = 0;
    loop {
        let frame = read_frame(&mut connection).await?;
        match frame.kind {
            SETTINGS if frame.flags & ACK == 0 => {
                write_frame(&mut connection, (SETTINGS, ACK, 0), &[]).await?;
            }
            PING if frame.flags & ACK == 0 => {
                write_frame(&mut connection, (PING, ACK, 0), &frame.payload).await?;
            }
            DATA if frame.flags & END_STREAM != 0 => {
                let last_allowed = 2 * MAX_REQUESTS - 1;
                if frame.stream <= last_allowed {
                    let body = String::from_utf8(frame.payload).unwrap();
                    processed.lock().unwrap().push(body);
                    requests += 1;
                    respond(&mut connection, frame.stream).await?;
                } else if beyond == Beyond::Refuse {
                    let code = REFUSED_STREAM.to_be_bytes();
                    write_frame(&mut connection, (RST_STREAM, 0, frame.stream), &code).await?;
                }
                if requests == MAX_REQUESTS || frame.stream > last_allowed {
                    let (last, code) = match beyond {
                        Beyond::GoAway(code) => (last_allowed, code),
                        Beyond::Refuse | Beyond::Cut if frame.stream <= last_allowed => continue,
                        Beyond::Refuse | Beyond::Cut => (frame.stream, NO_ERROR),
                    };
                    let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
                    write_frame(&mut connection, (GOAWAY, 0, 0), &payload).await?;
                    connection.shutdown().await?;
                    // Reads the rest, so that closing the socket does not reset it.
                    return io::copy(&mut connection, &mut io::sink()).await.map(drop);
                }
            }
            _ => {}
        }
    }
}

async fn respond(connection: &mut TlsStream<TcpStream>, stream: u32) -> io::Result<()> {
    // Entry 8 of the static table: `:status: 200`.
    write_frame(connection, (HEADERS, END_HEADERS, stream), &[0x88]).await?;
    write_frame(connection, (DATA, END_STREAM, stream), br#"{"data":{}}"#).await
}

/// Creates 400 posts in 16 tasks. Returns the errors.
async fn create_posts(client: &Client) -> Vec<profile_sdk::Error> {
    let mut tasks = JoinSet::new();
    for task in 0..16 {
        let client = client.clone();
        tasks.spawn(async move {
            let mut errors = Vec::new();
            for post in 0..25 {
                let text = format!("{:03}", 25 * task + post);
                errors.extend(client.create_post(&text).await.err());
            }
            errors
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

fn every_body() -> Vec<String> {
    let bodies = (0..400).map(|number| format!(r#"{{"body":"{number:03}"}}"#));
    bodies.collect()
}

#[tokio::test]
async fn only_requests_that_were_not_processed_are_sent_again() {
    for (beyond, are_processed) in [
        (Beyond::GoAway(NO_ERROR), false),
        (Beyond::Refuse, false),
        (Beyond::GoAway(INTERNAL_ERROR), true),
        (Beyond::Cut, true),
    ] {
        let service = Service::start(beyond).await;
        let client = service.client().build().unwrap();
        let errors = create_posts(&client).await;
        assert_eq!(errors.is_empty(), !are_processed, "{beyond:?}: {errors:?}");
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::ResponseLost, "{beyond:?}: {error}");
            assert!(error.may_have_been_applied(), "{beyond:?}: {error}");
        }
        let mut processed = service.processed();
        if !are_processed {
            assert_eq!(processed, every_body(), "{beyond:?}");
        }
        processed.dedup();
        assert_eq!(processed.len(), service.processed().len(), "{beyond:?}");
    }
}

#[tokio::test]
async fn without_retries_an_error_says_that_the_request_was_not_applied() {
    let service = Service::start(Beyond::Refuse).await;
    let client = service.client().retry(RetryPolicy::none()).build().unwrap();
    for _ in 0..MAX_REQUESTS {
        client.create_post("p").await.unwrap();
    }
    let error = client.create_post("p").await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connection, 1));
    assert!(!error.may_have_been_applied() && error.is_retryable());
    let expected = "POST /api/v1/me/posts: the service closed the connection without processing the request, \
                    so nothing was applied";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn there_is_one_version_of_h2() {
    // With another version than that of hyper, errors would not be recognized.
    let lock = include_str!("../../../Cargo.lock");
    assert_eq!(lock.matches("\nname = \"h2\"\n").count(), 1);
}

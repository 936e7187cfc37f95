//! Runs one server for `../compare`: prints a line of JSON when it is ready, and serves until stdin
//! is closed.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use mock_server::MockServer;
use serde_json::{Value, json};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServerBuilder, ResponseTemplate};

/// Number of links of the profile.
const LINKS: usize = 20;

/// Number of servers to start for the median start time.
const STARTS: usize = 501;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    match std::env::args().nth(1).as_deref() {
        Some("axum") => axum_hello_world().await,
        Some("axum-json") => axum_json().await,
        Some("library") => library().await,
        Some("wiremock") => bare_wiremock(wiremock::MockServer::builder()).await,
        Some("wiremock-unrecorded") => {
            bare_wiremock(wiremock::MockServer::builder().disable_request_recording()).await
        }
        Some("start") => start().await,
        other => Err(format!("unknown peer {other:?}").into()),
    }
}

async fn axum_hello_world() -> Result<(), Failure> {
    let router = Router::new().route("/api/v1/me", get(|| async { "Hello, World!" }));
    serve_with_axum(router, "none").await
}

/// Checks the key and serializes the data of the library's response for each request, without records.
async fn axum_json() -> Result<(), Failure> {
    let (key, reply) = reply().await?;
    let data: Value = serde_json::from_slice(&reply.body)?;
    let state = Arc::new((format!("Bearer {key}"), data));
    let handler = move |headers: HeaderMap| async move {
        let (expected, data) = &*state;
        match headers.get("authorization") {
            Some(found) if found == expected => {
                let body = serde_json::to_vec(data).expect("a JSON value");
                Ok(([("content-type", "application/json")], body))
            }
            _ => Err(StatusCode::UNAUTHORIZED),
        }
    };
    serve_with_axum(Router::new().route("/api/v1/me", get(handler)), &key).await
}

async fn serve_with_axum(router: Router, key: &str) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    ready(&json!({ "url": url, "key": key }))?;
    std::thread::spawn(exit_with_stdin);
    Ok(axum::serve(listener, router).await?)
}

async fn library() -> Result<(), Failure> {
    let server = with_links().await?;
    ready(&json!({"url": server.uri(), "key": server.key()}))?;
    exit_with_stdin();
    Ok(())
}

/// Serves a fixed copy of the library's response with wiremock. By default, wiremock records every
/// request, as the library does in its journal.
async fn bare_wiremock(server: MockServerBuilder) -> Result<(), Failure> {
    let (key, reply) = reply().await?;
    let headers = reply.headers.iter();
    let response = ResponseTemplate::new(reply.status)
        .append_headers(headers.map(|(name, value)| (name.as_ref(), value.as_ref())))
        .set_body_bytes(reply.body);
    let server = server.start().await;
    Mock::given(method("GET"))
        .and(path("/api/v1/me"))
        .and(header("authorization", format!("Bearer {key}")))
        .respond_with(response)
        .mount(&server)
        .await;
    ready(&json!({"url": server.uri(), "key": key}))?;
    exit_with_stdin();
    Ok(())
}

/// Returns the owner's key and the library's response to `GET /me`.
async fn reply() -> Result<(String, mock_server::Reply), Failure> {
    let service = with_links().await?;
    let key = service.key().to_owned();
    let request = mock_server::Request::new("GET", "/api/v1/me")
        .header("Authorization", format!("Bearer {key}"));
    let reply = mock_server::handle(&mut service.world()?, &request);
    Ok((key, reply))
}

async fn start() -> Result<(), Failure> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let start = Instant::now();
        let server = MockServer::start().await;
        times.push(start.elapsed());
        drop(server);
    }
    times.sort_unstable();
    let median: Duration = times[STARTS / 2];
    ready(&json!({"median_milliseconds": median.as_secs_f64() * 1000.0}))
}

async fn with_links() -> Result<MockServer, Failure> {
    let server = MockServer::start().await;
    server.update(|world| {
        let present = world.account("demo").map_or(0, |demo| demo.links.len());
        for number in present..LINKS {
            let title = format!("Link {number}");
            world.add_link("demo", &title, "https://example.com/link")?;
        }
        Ok::<_, mock_server::InvalidInput>(())
    })??;
    Ok(server)
}

fn ready(line: &Value) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

/// Exits when the parent process closes the pipe or ends.
fn exit_with_stdin() {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

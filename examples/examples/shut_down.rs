//! A web server whose calls end when it shuts down, each with its outcome.
//!
//! Without arguments, it shuts down during a request. With the argument `serve`, it listens on 127.0.0.1:8080 until
//! SIGTERM or Ctrl-C, and calls the service in `PROFILE_BASE_URL` with the key in `PROFILE_API_KEY`.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use mock_server::{Fault, FaultRule, MockServer};
use profile_sdk::{ApiKey, Client, ErrorKind};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Publishes the body of a request as a post.
async fn announce(State(client): State<Client>, text: String) -> (StatusCode, String) {
    match client.create_post(&text).await {
        Ok(_) => (StatusCode::CREATED, "published\n".to_owned()),
        Err(error) => {
            let (status, advice) = match error.kind() {
                _ if error.may_have_been_applied() => (StatusCode::BAD_GATEWAY, "look first"),
                ErrorKind::Canceled => (StatusCode::SERVICE_UNAVAILABLE, "try again"),
                _ => (StatusCode::BAD_GATEWAY, "not published"),
            };
            (status, format!("{advice}: {error}\n"))
        }
    }
}

/// Serves until the signal. Its calls end with it, so that the last responses need not wait for them.
async fn serve(
    listener: TcpListener,
    client: &Client,
    shutdown: watch::Receiver<()>,
) -> io::Result<()> {
    let signal = || {
        let mut shutdown = shutdown.clone();
        async move { _ = shutdown.changed().await }
    };
    let app = Router::new()
        .route("/announce", post(announce))
        .with_state(client.until(signal()));
    let server = axum::serve(listener, app);
    server.with_graceful_shutdown(signal()).await
}

/// Returns a channel that closes at SIGTERM or Ctrl-C.
#[cfg(unix)]
fn shutdown() -> io::Result<watch::Receiver<()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (sender, receiver) = watch::channel(());
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        drop(sender);
    });
    Ok(receiver)
}

#[cfg(not(unix))]
fn shutdown() -> io::Result<watch::Receiver<()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    let (sender, receiver) = watch::channel(());
    tokio::spawn(async move {
        interrupt.recv().await;
        drop(sender);
    });
    Ok(receiver)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("serve") {
        let shutdown = shutdown()?;
        let listener = TcpListener::bind("127.0.0.1:8080").await?;
        return Ok(serve(listener, &Client::from_env()?, shutdown).await?);
    }

    let service = MockServer::start().await;
    service.add_fault(FaultRule::new(Fault::delay(Duration::from_secs(60))).times(1))?;
    let client = Client::new(service.uri(), ApiKey::new(service.key())?)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut request = TcpStream::connect(listener.local_addr()?).await?;
    let (shut_down, shutdown) = watch::channel(());
    let server = tokio::spawn(async move { serve(listener, &client, shutdown).await });
    let head = "POST /announce HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n";
    request.write_all(format!("{head}Hi").as_bytes()).await?;
    let created = service.expect("POST", "/me/posts");
    created.arrives(1, Duration::from_secs(10)).await;
    drop(shut_down);
    server.await??;
    let mut response = String::new();
    request.read_to_string(&mut response).await?;
    let body = response.split("\r\n\r\n").nth(1).unwrap_or_default();
    // look first: POST /api/v1/me/posts: the call was canceled; the change may have been applied
    print!("{body}");
    Ok(())
}

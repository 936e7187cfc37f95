//! Receives webhooks on 127.0.0.1:8080, or the address in `LISTEN_HOST` and `PORT`, and skips repeated
//! ones, also after a restart: the digests of handled deliveries are in the SQLite database `deliveries.db`. The secret
//! is in `PROFILE_WEBHOOK_SECRET`.
//!
//! `SeenDeliveries` states what this cannot do. If the handler writes to the same database, insert
//! the digest in its transaction instead: then each delivery is handled exactly once.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::routing::post;
use rusqlite::{Connection, params};
use tokio::net::TcpListener;
use tokio::signal;
use tokio::task::spawn_blocking;
use webhook_verify::{BodyDigest, Receiver, Secret, SeenDeliveries, Verified, Verifier};

type AnyError = Box<dyn Error + Send + Sync>;

/// The time for which a handled delivery is remembered.
const EXPIRY: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The digests of handled deliveries, in SQLite.
#[derive(Clone)]
struct HandledDeliveries {
    connection: Arc<Mutex<Connection>>,
}

impl HandledDeliveries {
    fn new(connection: Connection) -> rusqlite::Result<Self> {
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS handled (digest BLOB PRIMARY KEY, at INTEGER NOT NULL)
                 WITHOUT ROWID;
             CREATE INDEX IF NOT EXISTS handled_at ON handled (at);",
        )?;
        let connection = Arc::new(Mutex::new(connection));
        Ok(Self { connection })
    }

    /// Runs a query on a thread that may block. `cutoff` is the Unix time before which entries have
    /// expired.
    async fn query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection, i64, i64) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, AnyError> {
        let connection = self.connection.clone();
        let now = UNIX_EPOCH.elapsed()?.as_secs() as i64;
        let cutoff = now - EXPIRY.as_secs() as i64;
        let run = move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            query(&connection, now, cutoff)
        };
        Ok(spawn_blocking(run).await??)
    }
}

impl SeenDeliveries for HandledDeliveries {
    type Error = AnyError;

    async fn contains(&self, digest: BodyDigest) -> Result<bool, AnyError> {
        self.query(move |connection, _, cutoff| {
            let sql = "SELECT EXISTS (SELECT 1 FROM handled WHERE digest = ?1 AND at > ?2)";
            connection.query_row(sql, params![digest.as_bytes(), cutoff], |row| row.get(0))
        })
        .await
    }

    async fn insert(&self, digest: BodyDigest) -> Result<(), AnyError> {
        self.query(move |connection, now, cutoff| {
            connection.execute("DELETE FROM handled WHERE at <= ?1", [cutoff])?;
            let sql = "INSERT INTO handled (digest, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.execute(sql, params![digest.as_bytes(), now])?;
            Ok(())
        })
        .await
    }
}

#[derive(Clone)]
struct App {
    receiver: Receiver,
    handled: HandledDeliveries,
}

impl FromRef<App> for Receiver {
    fn from_ref(app: &App) -> Self {
        app.receiver.clone()
    }
}

async fn receive(State(app): State<App>, delivery: Verified<Bytes>) -> StatusCode {
    // In a task of its own, because the server drops this function if the service closes the connection.
    let handled = tokio::spawn(async move {
        let digest = delivery.body_digest();
        app.handled.handle_once(digest, handle(&delivery)).await
    });
    match handled.await.unwrap_or_else(|panic| Err(panic.into())) {
        Ok(Some(())) => StatusCode::NO_CONTENT,
        Ok(None) => {
            let _ = writeln!(io::stdout(), "skipped a repeated delivery");
            StatusCode::NO_CONTENT
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "webhook failed: {:?}", error.to_string());
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// Handles a verified delivery.
async fn handle(delivery: &Verified<Bytes>) -> Result<(), AnyError> {
    let text = String::from_utf8_lossy(delivery.body());
    writeln!(io::stdout(), "{text}")?; // Put it into a queue.
    Ok(())
}

fn app(secret: Secret, connection: Connection) -> rusqlite::Result<Router> {
    let receiver = Receiver::new(Verifier::new(secret))
        .time_limit(Duration::from_secs(10))
        .on_rejection(|rejection, run| {
            let _ = writeln!(io::stderr(), "webhook rejected: {rejection} ({run})");
        });
    let app = App {
        receiver,
        handled: HandledDeliveries::new(connection)?,
    };
    Ok(Router::new().route("/hooks", post(receive)).with_state(app))
}

/// Returns the value of a variable, or the default if it is empty.
fn variable(name: &str, default: &str) -> String {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    value.unwrap_or_else(|| default.to_owned())
}

/// Waits for SIGTERM or Ctrl-C, after which the deliveries on the way are answered.
async fn stopped() {
    #[cfg(unix)]
    let terminated = async {
        let kind = signal::unix::SignalKind::terminate();
        let signals = signal::unix::signal(kind);
        signals.expect("SIGTERM can be handled").recv().await
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = signal::ctrl_c() => {}
        _ = terminated => {}
    }
}

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    let secret =
        env::var("PROFILE_WEBHOOK_SECRET").map_err(|_| "PROFILE_WEBHOOK_SECRET is not set")?;
    let secret = Secret::new(secret).map_err(|error| format!("PROFILE_WEBHOOK_SECRET: {error}"))?;
    let app = app(secret, Connection::open("deliveries.db")?)?;
    let (host, port) = (
        variable("LISTEN_HOST", "127.0.0.1"),
        variable("PORT", "8080"),
    );
    let listener = TcpListener::bind(format!("{host}:{port}")).await?;
    // The README of webhook-verify names the limits that are missing here.
    let server = axum::serve(listener, app).with_graceful_shutdown(stopped());
    Ok(server.await?)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tower::ServiceExt;
    use webhook_verify::SignedRequest;

    use super::*;

    fn secret() -> Secret {
        Secret::new("a secret").unwrap()
    }

    async fn respond(app: &Router, body: &'static [u8]) -> u16 {
        let request = SignedRequest::post("/hooks", body).sign(&secret()).unwrap();
        let response = app.clone().oneshot(request.map(Body::from)).await.unwrap();
        response.status().as_u16()
    }

    fn digests(connection: &Connection) -> u32 {
        let count = "SELECT count(*) FROM handled";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn stores_each_handled_delivery_once() {
        let name = "file:handled?mode=memory&cache=shared";
        let database = Connection::open(name).unwrap();
        for _restart in 0..2 {
            let app = app(secret(), Connection::open(name).unwrap()).unwrap();
            assert_eq!(respond(&app, b"{}").await, 204);
            assert_eq!(respond(&app, b"{}").await, 204);
            assert_eq!(respond(&app, b"\xff").await, 204, "not UTF-8");
            assert_eq!(digests(&database), 2);
        }
    }

    #[tokio::test]
    async fn handles_repeated_deliveries_until_they_expire() {
        let verifier = Verifier::new(secret());
        let request = SignedRequest::post("/hooks", "{}").sign(&secret()).unwrap();
        let delivery = verifier.verify_request(request).unwrap().into_body();
        let digest = delivery.body_digest();
        let handled = HandledDeliveries::new(Connection::open_in_memory().unwrap()).unwrap();
        let handle = || handled.handle_once(digest, async { Ok::<_, AnyError>(()) });
        assert_eq!(handle().await.unwrap(), Some(()));
        assert_eq!(handle().await.unwrap(), None);
        let expire = |connection: &Connection, _, cutoff| {
            connection.execute("UPDATE handled SET at = ?1", [cutoff])
        };
        assert_eq!(handled.query(expire).await.unwrap(), 1);
        assert_eq!(handle().await.unwrap(), Some(()));
        assert_eq!(handle().await.unwrap(), None);
    }
}

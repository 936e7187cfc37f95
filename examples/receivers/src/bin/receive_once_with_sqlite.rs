//! Receives webhooks on 127.0.0.1:8080, or the address in `LISTEN_HOST` and `PORT`, and handles each
//! exactly once, also if it is repeated after a restart or at the same time: the digest of its body and
//! the effects of the handler are written to the SQLite database `deliveries.db` in one transaction.
//! Two events with equal bodies count as one. The secret is in `PROFILE_WEBHOOK_SECRET`.

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
use rusqlite::{Connection, Transaction, params};
use tokio::net::TcpListener;
use tokio::signal;
use tokio::task::spawn_blocking;
use webhook_verify::{Receiver, Secret, Verified, Verifier};

type AnyError = Box<dyn Error + Send + Sync>;

/// The time for which a handled delivery is remembered.
const EXPIRY: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS handled (digest BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS handled_at ON handled (at);
    CREATE TABLE IF NOT EXISTS events (body BLOB NOT NULL);";

#[derive(Clone)]
struct App {
    receiver: Receiver,
    database: Arc<Mutex<Connection>>,
}

impl FromRef<App> for Receiver {
    fn from_ref(app: &App) -> Self {
        app.receiver.clone()
    }
}

async fn receive(State(app): State<App>, delivery: Verified<Bytes>) -> StatusCode {
    // This task continues if the server drops this function, since the service closed the connection.
    let handled = spawn_blocking(move || {
        let mut database = app.database.lock().unwrap_or_else(PoisonError::into_inner);
        handle_once(&mut database, &delivery)
    });
    match handled.await.unwrap_or_else(|panic| Err(panic.into())) {
        Ok(true) => StatusCode::NO_CONTENT,
        Ok(false) => {
            let _ = writeln!(io::stdout(), "skipped a repeated delivery");
            StatusCode::NO_CONTENT
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "webhook failed: {:?}", error.to_string());
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// Handles a verified delivery, or returns `false` if it was handled before.
fn handle_once(database: &mut Connection, delivery: &Verified<Bytes>) -> Result<bool, AnyError> {
    let now = UNIX_EPOCH.elapsed()?.as_secs() as i64;
    let transaction = database.transaction()?;
    let expired = now - EXPIRY.as_secs() as i64;
    transaction.execute("DELETE FROM handled WHERE at <= ?1", [expired])?;
    let digest = delivery.body_digest();
    let sql = "INSERT INTO handled (digest, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    let inserted = transaction.execute(sql, params![digest.as_bytes(), now])?;
    if inserted == 1 {
        handle(&transaction, delivery.body())?;
    }
    transaction.commit()?;
    Ok(inserted == 1)
}

/// Handles a delivery. If it fails, its changes of the database are undone; others would be repeated.
fn handle(transaction: &Transaction<'_>, body: &[u8]) -> Result<(), AnyError> {
    transaction.execute("INSERT INTO events (body) VALUES (?1)", [body])?;
    io::stdout().write_all(body)?;
    Ok(io::stdout().flush()?)
}

fn app(secret: Secret, database: Connection) -> rusqlite::Result<Router> {
    let receiver = Receiver::new(Verifier::new(secret))
        .time_limit(Duration::from_secs(10))
        .on_rejection(|rejection, consecutive| {
            let _ = writeln!(
                io::stderr(),
                "webhook rejected: {rejection} ({consecutive})"
            );
        });
    database.execute_batch(TABLES)?;
    let database = Arc::new(Mutex::new(database));
    let app = App { receiver, database };
    Ok(Router::new().route("/hooks", post(receive)).with_state(app))
}

/// Returns the value of a variable, or the default if it is empty.
fn variable(name: &str, default: &str) -> String {
    let value = env::var(name).ok().filter(|value| !value.is_empty());
    value.unwrap_or_else(|| default.to_owned())
}

/// Catches SIGTERM, and returns a future that waits for it or for Ctrl-C.
fn stopped() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminated = signal::unix::signal(signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminated.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = signal::ctrl_c() => {}
            _ = terminated => {}
        }
    })
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
    // Before it listens: as process 1, it would ignore an earlier signal.
    let stopped = stopped()?;
    let listener = TcpListener::bind(format!("{host}:{port}")).await?;
    // The README of webhook-verify names the limits that are missing here.
    let server = axum::serve(listener, app).with_graceful_shutdown(stopped);
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

    fn rows(database: &Connection, table: &str) -> u32 {
        let count = format!("SELECT count(*) FROM {table}");
        database.query_row(&count, [], |row| row.get(0)).unwrap()
    }

    #[tokio::test]
    async fn handles_each_delivery_once_until_it_expires() {
        let name = "file:handled?mode=memory&cache=shared";
        let database = Connection::open(name).unwrap();
        for _restart in 0..2 {
            let app = app(secret(), Connection::open(name).unwrap()).unwrap();
            assert_eq!(respond(&app, b"{}").await, 204);
            assert_eq!(respond(&app, b"{}").await, 204);
            assert_eq!(respond(&app, b"\xff").await, 204, "not UTF-8");
            assert_eq!(rows(&database, "handled"), 2);
            assert_eq!(rows(&database, "events"), 2);
        }
        let app = app(secret(), Connection::open(name).unwrap()).unwrap();
        database.execute("UPDATE handled SET at = 0", []).unwrap();
        assert_eq!(respond(&app, b"{}").await, 204);
        assert_eq!(rows(&database, "handled"), 1);
        assert_eq!(rows(&database, "events"), 3);
    }

    #[tokio::test]
    async fn a_delivery_that_could_not_be_handled_is_not_remembered() {
        let name = "file:failed?mode=memory&cache=shared";
        let database = Connection::open(name).unwrap();
        let app = app(secret(), Connection::open(name).unwrap()).unwrap();
        database
            .execute("ALTER TABLE events RENAME TO other", [])
            .unwrap();
        assert_eq!(respond(&app, b"{}").await, 500);
        assert_eq!(rows(&database, "handled"), 0);
        database
            .execute("ALTER TABLE other RENAME TO events", [])
            .unwrap();
        assert_eq!(respond(&app, b"{}").await, 204);
        assert_eq!(rows(&database, "events"), 1);
    }
}

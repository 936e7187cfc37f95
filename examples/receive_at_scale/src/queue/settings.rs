//! Settings of the connection and of the stream.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::{ConnectOptions, Event, ServerAddr};
use clap::Parser;
use tracing::warn;

use super::{DUPLICATE_WINDOW, PING_INTERVAL, QueueError, RETRY_DELAY};

/// Seconds in a week.
const WEEK: u64 = 7 * 24 * 60 * 60;

/// Settings of the connection to the broker, and of the stream.
///
/// All receivers and workers must use the same settings of the stream. There is no `Debug`, because
/// a password is among them.
#[derive(Clone, Parser)]
pub struct QueueSettings {
    /// URLs of the broker's servers, separated by commas; `tls://` for TLS
    #[arg(
        long,
        env,
        hide_env_values = true,
        default_value = "nats://127.0.0.1:4222",
        value_delimiter = ',',
        value_name = "URL"
    )]
    pub nats_url: Vec<ServerAddr>,
    /// User of the broker, whose password is in the environment variable NATS_PASSWORD
    #[arg(long, env, value_name = "NAME")]
    pub nats_user: Option<String>,
    /// The password of the user.
    #[arg(skip = std::env::var("NATS_PASSWORD").unwrap_or_default())]
    pub nats_password: String,
    /// File with NATS credentials
    #[arg(long, env, value_name = "PATH")]
    pub nats_credentials: Option<PathBuf>,
    /// PEM file with the root certificate of the broker, if it is private
    #[arg(long, env, value_name = "PATH")]
    pub nats_root_certificate: Option<PathBuf>,
    /// Number of servers that store each event; 3 in a cluster
    #[arg(long, env, default_value_t = 1, value_name = "NUMBER")]
    pub stream_replicas: usize,
    /// Maximum size of the stream of events, and of that of dead letters, which the broker reserves;
    /// -1 for no limit of its own
    #[arg(long, env, default_value_t = -1, allow_hyphen_values = true, value_name = "BYTES")]
    pub stream_max_bytes: i64,
    /// Seconds for which an event is kept, handled or not; at least 600
    #[arg(long, env, default_value_t = WEEK, value_name = "SECONDS")]
    pub stream_max_age: u64,
}

impl QueueSettings {
    /// Creates settings for a broker. The others have the values in the environment, or the defaults.
    ///
    /// # Errors
    ///
    /// Returns an error if a value is invalid.
    pub fn new(url: &str) -> Result<Self, clap::Error> {
        Self::try_parse_from(["", "--nats-url", url])
    }

    /// Returns the options of a connection.
    pub(super) async fn connect_options(&self) -> Result<ConnectOptions, QueueError> {
        let options = self.credentials().await;
        let options = options.map_err(QueueError::during(
            "read the credentials or the certificate",
        ))?;
        Ok(options
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(|attempts| RETRY_DELAY * attempts.min(5) as u32))
    }

    /// Returns options with the credentials and certificates.
    async fn credentials(&self) -> io::Result<ConnectOptions> {
        let mut options = match &self.nats_credentials {
            Some(path) => ConnectOptions::with_credentials_file(path).await?,
            None => ConnectOptions::new(),
        };
        if let Some(user) = &self.nats_user {
            options = options.user_and_password(user.clone(), self.nats_password.clone());
        }
        if let Some(path) = &self.nats_root_certificate {
            // async-nats would report a missing file as a broker that cannot be reached.
            tokio::fs::metadata(path).await?;
            options = options.add_root_certificates(path.clone());
        }
        Ok(options)
    }

    pub(super) fn stream(&self, name: &str, subject: &str) -> Config {
        Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            storage: StorageType::File,
            num_replicas: self.stream_replicas,
            duplicate_window: DUPLICATE_WINDOW,
            // Not a work queue: after a restart, the broker detects duplicates only of stored events.
            retention: RetentionPolicy::Limits,
            max_age: Duration::from_secs(self.stream_max_age),
            max_bytes: self.stream_max_bytes,
            // Reject new events, and never delete old ones that are not handled.
            discard: DiscardPolicy::New,
            ..Config::default()
        }
    }
}

/// Logs an event of the connection. Failed attempts to connect only make the broker absent.
pub(super) fn log_event(event: &Event, is_absent: &AtomicBool) {
    match event {
        Event::Disconnected => {
            is_absent.store(true, Ordering::Relaxed);
            warn!("lost the broker");
        }
        Event::ClientError(_) => is_absent.store(true, Ordering::Relaxed),
        Event::Connected if is_absent.swap(false, Ordering::Relaxed) => warn!("the broker is back"),
        Event::ServerError(error) => warn!(%error, "the broker reports an error"),
        _ => {}
    }
}

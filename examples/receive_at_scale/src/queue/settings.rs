//! Settings of the connection and of the stream.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::{ConnectOptions, ServerAddr};
use percent_encoding::percent_decode_str;

use super::{DUPLICATE_WINDOW, QueueError};

/// Settings of the connection to the broker, and of the stream.
///
/// All receivers and workers must use the same settings of the stream. There is no `Debug`, because
/// `servers` may contain a password.
#[derive(Clone)]
pub struct QueueSettings {
    /// URLs of the servers of a cluster, separated by commas, such as `nats://127.0.0.1:4222` or
    /// `tls://user:password@nats.example.com`.
    pub servers: String,
    /// A file with NATS credentials.
    pub credentials: Option<PathBuf>,
    /// A file with the root certificate of the servers in PEM format, if it is private.
    pub root_certificate: Option<PathBuf>,
    /// The number of servers that store each event, 1 to 5. The default is 1; in a cluster, use 3.
    pub replicas: usize,
    /// The maximum size in bytes of the stream of events, and of that of dead letters. The broker
    /// reserves it when they are created. The default is -1: only the storage of the broker limits
    /// the size.
    pub max_bytes: i64,
    /// The period for which an event is kept, handled or not, at least [`DUPLICATE_WINDOW`]. The
    /// default is 7 days.
    pub max_age: Duration,
    /// `true` to delete old events, handled or not, when the stream is full. By default, it rejects
    /// new ones, and the receiver responds with 503.
    pub discard_old: bool,
}

impl QueueSettings {
    /// Creates settings with the defaults.
    ///
    /// ```
    /// let mut settings = receive_at_scale::QueueSettings::new("nats://127.0.0.1:4222");
    /// settings.replicas = 3;
    /// ```
    #[must_use]
    pub fn new(servers: impl Into<String>) -> Self {
        Self {
            servers: servers.into(),
            credentials: None,
            root_certificate: None,
            replicas: 1,
            max_bytes: -1,
            max_age: Duration::from_secs(7 * 24 * 60 * 60),
            discard_old: false,
        }
    }

    /// Returns the addresses of the servers.
    pub(super) fn addresses(&self) -> Result<Vec<ServerAddr>, QueueError> {
        let addresses = self.servers.split(',').map(|url| url.trim().parse());
        let addresses: Result<_, _> = addresses.collect();
        addresses.map_err(|cause| QueueError::settings("parse the URL of the broker", cause))
    }

    /// Returns options with the credentials and certificates.
    pub(super) async fn connect_options(
        &self,
        addresses: &[ServerAddr],
    ) -> Result<ConnectOptions, QueueError> {
        let mut options = ConnectOptions::new();
        if let Some(path) = &self.credentials {
            options = ConnectOptions::with_credentials_file(path)
                .await
                .map_err(|cause| QueueError::settings("read the credentials", cause))?;
        }
        // The client does not use the credentials in URLs by itself.
        let with_user = addresses.iter().find(|address| address.has_user_pass());
        if let Some(address) = with_user {
            let decoded = |text: Option<&str>| {
                let text = text.unwrap_or_default();
                percent_decode_str(text).decode_utf8_lossy().into_owned()
            };
            let (user, password) = (decoded(address.username()), decoded(address.password()));
            options = options.user_and_password(user, password);
        }
        if let Some(path) = &self.root_certificate {
            // async-nats would report a missing file as a broker that cannot be reached.
            tokio::fs::metadata(path)
                .await
                .map_err(|cause| QueueError::settings("read the root certificate", cause))?;
            options = options.add_root_certificates(path.clone());
        }
        Ok(options)
    }

    pub(super) fn stream(&self, name: &str, subject: &str) -> Config {
        Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            storage: StorageType::File,
            num_replicas: self.replicas,
            duplicate_window: DUPLICATE_WINDOW,
            // Not a work queue: after a restart, the broker detects duplicates only of stored events.
            retention: RetentionPolicy::Limits,
            max_age: self.max_age,
            max_bytes: self.max_bytes,
            discard: match self.discard_old {
                true => DiscardPolicy::Old,
                false => DiscardPolicy::New,
            },
            ..Config::default()
        }
    }
}

/// Describes the settings in which an existing stream differs.
pub(super) fn differences(found: &Config, expected: &Config) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |name: &str, found: &dyn Debug, expected: &dyn Debug| {
        let [found, expected] = [format!("{found:?}"), format!("{expected:?}")];
        if found != expected {
            differences.push(format!("{name} is {found}, expected {expected}"));
        }
    };
    compare("subjects", &found.subjects, &expected.subjects);
    compare("storage", &found.storage, &expected.storage);
    compare("replicas", &found.num_replicas, &expected.num_replicas);
    compare("retention", &found.retention, &expected.retention);
    compare("discard policy", &found.discard, &expected.discard);
    compare("max_age", &found.max_age, &expected.max_age);
    compare("max_bytes", &found.max_bytes, &expected.max_bytes);
    compare(
        "duplicate window",
        &found.duplicate_window,
        &expected.duplicate_window,
    );
    differences
}

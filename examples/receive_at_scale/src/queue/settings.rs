//! Settings of the connection and of the stream.

use std::env::{self, VarError};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, Info, RetentionPolicy, StorageType};
use async_nats::{ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use clap::builder::{Resettable, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser};
use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tracing::{error, warn};

use super::{DUPLICATE_WINDOW, Names, PING_INTERVAL, QueueError, RETRY_DELAY};

/// Seconds in a week.
const WEEK: u64 = 7 * 24 * 60 * 60;

/// Settings of the connection to the broker, and of the stream.
///
/// All receivers and workers must use the same settings of the stream. There is no `Debug`, because
/// a password is among them.
#[derive(Clone, Parser)]
pub struct QueueSettings {
    /// URLs of the broker's servers, separated by commas; `tls://` for TLS, and
    /// `nats://<user>:<password>@` or `nats://<token>@` to log in
    #[arg(
        long,
        env,
        hide_env_values = true,
        default_value = "nats://127.0.0.1:4222",
        value_delimiter = ',',
        value_parser = UrlParser,
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
    #[arg(long, env, hide_env_values = true, value_name = "PATH")]
    pub nats_credentials: Option<PathBuf>,
    /// PEM file with the root certificate of the broker, if it is private
    #[arg(long, env, value_name = "PATH")]
    pub nats_root_certificate: Option<PathBuf>,
    /// Start of the names of streams and subjects; deployments with different ones share nothing
    #[arg(long, env, default_value = "profile", value_parser = parse_prefix, value_name = "NAME")]
    pub stream_prefix: String,
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
        let command = without_empty_variables(Self::command());
        Self::from_arg_matches(&command.try_get_matches_from(["", "--nats-url", url])?)
    }

    pub(super) fn names(&self) -> Names {
        let (lower, upper) = (&self.stream_prefix, self.stream_prefix.to_uppercase());
        Names {
            stream: format!("{upper}_EVENTS"),
            subject: format!("{lower}.events"),
            dead_stream: format!("{upper}_DEAD_LETTERS"),
            dead_subjects: format!("{lower}.dead."),
        }
    }

    /// Returns the options of a connection.
    pub(super) async fn connect_options(&self) -> Result<ConnectOptions, QueueError> {
        // A program that also contains aws-lc-rs has no default provider. Fails if one is installed
        // already, which is as good.
        let _ = ring::default_provider().install_default();
        let failed = QueueError::during("read the credentials or the certificate");
        let options = self.credentials().await.map_err(failed)?;
        let log = ConnectionLog::default();
        Ok(options
            .ping_interval(PING_INTERVAL)
            .event_callback(move |event| {
                log.log(&event);
                async {}
            })
            .reconnect_delay_callback(|attempts| RETRY_DELAY * attempts.min(5) as u32))
    }

    /// Returns options with the credentials and certificates.
    async fn credentials(&self) -> io::Result<ConnectOptions> {
        if let Err(VarError::NotUnicode(_)) = env::var("NATS_PASSWORD") {
            return Err(io::Error::other("NATS_PASSWORD is not valid UTF-8"));
        }
        let mut options = match &self.nats_credentials {
            Some(path) => {
                let text = String::from_utf8(read(path).await?).map_err(io::Error::other)?;
                ConnectOptions::with_credentials(&text)?
            }
            None => ConnectOptions::new(),
        };
        let password = Some(self.nats_password.clone()).filter(|text| !text.is_empty());
        // All servers of a cluster accept the same user.
        let mut urls = self.nats_url.iter();
        let in_url = urls.find_map(|url| Some((url.username()?, url.password())));
        options = match (self.nats_user.clone(), in_url) {
            (Some(user), _) => options.user_and_password(user, password.unwrap_or_default()),
            (None, Some((user, in_url))) => {
                let user = decode(user)?;
                match password.or(in_url.map(decode).transpose()?) {
                    Some(password) => options.user_and_password(user, password),
                    None => options.token(user),
                }
            }
            (None, None) => options,
        };
        if let Some(path) = &self.nats_root_certificate {
            // async-nats would report an invalid file as a broker that cannot be reached.
            options = options.tls_client_config(trusting(&read(path).await?)?);
        }
        Ok(options)
    }

    /// Logs a warning if too few servers store the stream. A single server accepts more replicas for
    /// an existing stream, and does not create them.
    pub(super) fn check_replicas(&self, stream: &Info) {
        let servers = stream.cluster.as_ref().map_or(1, |cluster| {
            cluster.replicas.len() + usize::from(cluster.leader.is_some())
        });
        let replicas = self.stream_replicas;
        if servers < replicas {
            warn!(servers, replicas, "too few servers store the events");
        }
    }

    /// Returns the stream of events, and that of dead letters.
    pub(super) fn streams(&self) -> [Config; 2] {
        let names = self.names();
        let dead_subjects = names.dead_subject("*");
        let streams = [
            (names.stream, names.subject),
            (names.dead_stream, dead_subjects),
        ];
        streams.map(|(name, subject)| Config {
            name,
            subjects: vec![subject],
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
        })
    }
}

/// Returns `true` if an environment variable is set and not empty: Compose and Helm set those without a
/// value to an empty text.
pub fn is_set(variable: impl AsRef<OsStr>) -> bool {
    env::var_os(variable.as_ref()).is_some_and(|value| !value.is_empty())
}

/// Lets a command ignore variables that are not [set](is_set).
pub fn without_empty_variables(command: Command) -> Command {
    let command = command.mut_subcommands(without_empty_variables);
    command.mut_args(
        |arg| match arg.get_env().is_some_and(|name| !is_set(name)) {
            true => arg.env(Resettable::Reset),
            false => arg,
        },
    )
}

/// Rejects what is not valid in the names of streams, or equals another prefix in upper case.
fn parse_prefix(text: &str) -> Result<String, &'static str> {
    let is_valid = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_');
    match !text.is_empty() && text.chars().all(is_valid) {
        true => Ok(text.to_owned()),
        false => Err("expected lower-case letters, digits, `-` or `_`"),
    }
}

/// Reads a text file without the byte order mark that editors on Windows write. Rejects UTF-16.
async fn read(path: &Path) -> io::Result<Vec<u8>> {
    let invalid = |reason: &dyn Display| io::Error::other(format!("{}: {reason}", path.display()));
    let mut bytes = tokio::fs::read(path)
        .await
        .map_err(|error| invalid(&error))?;
    match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, ..] | [1..=255, 0, ..] => {
            Err(invalid(&"it is UTF-16; expected UTF-8"))
        }
        [0xef, 0xbb, 0xbf, ..] => Ok(bytes.split_off(3)),
        _ => Ok(bytes),
    }
}

/// Returns TLS settings that trust only these root certificates.
fn trusting(pem: &[u8]) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(io::Error::other)?;
        roots.add(certificate).map_err(io::Error::other)?;
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    Ok(config.with_no_client_auth())
}

/// Decodes a part of a URL.
fn decode(text: &str) -> io::Result<String> {
    let text = percent_decode_str(text).decode_utf8();
    let text = text.map_err(|_| io::Error::other("the user in NATS_URL is not valid UTF-8"))?;
    Ok(text.into_owned())
}

/// Parses a URL, which may contain a password: the errors of clap would print it.
#[derive(Clone)]
struct UrlParser;

impl TypedValueParser for UrlParser {
    type Value = ServerAddr;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<ServerAddr, clap::Error> {
        let url = value.to_str().and_then(|text| text.parse().ok());
        url.ok_or_else(|| {
            let message = "invalid URL in --nats-url or NATS_URL; expected for example \
                           nats://127.0.0.1:4222\n";
            command.clone().error(ErrorKind::ValueValidation, message)
        })
    }
}

/// The state of the connection that was logged last.
#[derive(Default)]
pub(super) struct ConnectionLog {
    is_absent: AtomicBool,
    is_refused: AtomicBool,
}

impl ConnectionLog {
    /// Logs an event of the connection. Failed attempts to connect only make the broker absent, unless
    /// it refuses the credentials.
    pub(super) fn log(&self, event: &Event) {
        match event {
            Event::Disconnected => {
                self.is_absent.store(true, Ordering::Relaxed);
                warn!("lost the broker");
            }
            Event::ClientError(error) => {
                self.is_absent.store(true, Ordering::Relaxed);
                if is_refusal(error) && !self.is_refused.swap(true, Ordering::Relaxed) {
                    error!(%error, "the broker refuses the credentials");
                }
            }
            Event::Connected => {
                self.is_refused.store(false, Ordering::Relaxed);
                if self.is_absent.swap(false, Ordering::Relaxed) {
                    warn!("the broker is back");
                }
            }
            Event::ServerError(error) => warn!(%error, "the broker reports an error"),
            _ => {}
        }
    }
}

fn is_refusal(error: &ClientError) -> bool {
    use ConnectErrorKind::{Authentication, AuthorizationViolation, Tls};
    let kinds = [Authentication, AuthorizationViolation, Tls].map(|kind| kind.to_string());
    matches!(error, ClientError::Other(reason) if kinds.contains(reason))
}

//! Settings of the connection and of the stream.

use std::env::{self, VarError};
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::stream::{Config, DiscardPolicy, Info, RetentionPolicy, StorageType};
use async_nats::{ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use clap::builder::{OsStringValueParser, RangedU64ValueParser, Resettable, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Parser};
use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tracing::{error, warn};

use super::{DUPLICATE_WINDOW, PING_INTERVAL, QueueError, RETRY_DELAY, Streams};

/// Seconds in a week.
const WEEK: u64 = 7 * 24 * 60 * 60;

/// The ages that the broker accepts: at least [`DUPLICATE_WINDOW`], and in nanoseconds an `i64`.
const AGES: RangeInclusive<u64> = DUPLICATE_WINDOW.as_secs()..=i64::MAX as u64 / 1_000_000_000;

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
        value_parser = OsStringValueParser::new().try_map(parse_url),
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
    /// Prefix of the names of streams and subjects; deployments with different prefixes share nothing
    #[arg(long, env, default_value = "profile", value_parser = parse_prefix, value_name = "NAME")]
    pub stream_prefix: String,
    /// Number of servers that store each event; 3 in a cluster
    #[arg(long, env, default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=5), value_name = "NUMBER")]
    pub stream_replicas: usize,
    /// Maximum size of each of the two streams, for events and for dead letters; the broker reserves this space;
    /// 0 or -1 for no limit
    #[arg(long, env, default_value_t = -1, allow_hyphen_values = true, value_parser = clap::value_parser!(i64).range(-1..), value_name = "BYTES")]
    pub stream_max_bytes: i64,
    /// Seconds for which an event is kept, handled or not; at least 600
    #[arg(long, env, default_value_t = WEEK, value_parser = clap::value_parser!(u64).range(AGES), value_name = "SECONDS")]
    pub stream_max_age: u64,
}

impl QueueSettings {
    /// Creates settings for a broker. The others have the values in the environment, or the defaults.
    ///
    /// # Errors
    ///
    /// Returns an error if a value is invalid.
    pub fn new(url: &str) -> Result<Self, clap::Error> {
        parse(["", "--nats-url", url])
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
                let parse = |text: &[u8]| {
                    let text = str::from_utf8(text).map_err(io::Error::other)?;
                    ConnectOptions::with_credentials(text)
                };
                read("NATS_CREDENTIALS", path, parse).await?
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
            let config = read("NATS_ROOT_CERTIFICATE", path, trusting).await?;
            options = options.tls_client_config(config);
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

    pub(super) fn streams(&self) -> Streams {
        let config = |name: String, subject: String| Config {
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
        };
        let (lower, upper) = (&self.stream_prefix, self.stream_prefix.to_uppercase());
        Streams {
            events: config(format!("{upper}_EVENTS"), format!("{lower}.events")),
            dead_letters: config(format!("{upper}_DEAD_LETTERS"), format!("{lower}.dead.*")),
        }
    }
}

/// Returns `true` if an environment variable is set and not empty: Compose and Helm set those without a
/// value to an empty text.
pub fn is_set(variable: impl AsRef<OsStr>) -> bool {
    env::var_os(variable.as_ref()).is_some_and(|value| !value.is_empty())
}

/// Parses arguments and variables. Ignores variables that are not [set](is_set). The errors contain no value
/// that may contain a password.
///
/// # Errors
///
/// Returns an error if a value is invalid, or for a request for help.
pub fn parse<T: Parser>(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<T, clap::Error> {
    let matches = without_empty_variables(T::command()).try_get_matches_from(arguments);
    let parsed = matches.and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|mut error| {
        let text = |error: &clap::Error, kind| error.get(kind).map(ToString::to_string);
        let argument = text(&error, ContextKind::InvalidArg);
        let is_url = argument.is_some_and(|name| name.starts_with("--nats-url"));
        for kind in [
            ContextKind::InvalidArg,
            ContextKind::InvalidSubcommand,
            ContextKind::InvalidValue,
        ] {
            let is_secret = text(&error, kind).is_some_and(|text| shown(&text) != text);
            if is_secret || (is_url && kind == ContextKind::InvalidValue) {
                error.insert(kind, ContextValue::String("…".to_owned()));
            }
        }
        error
    })
}

/// Returns a value for a message, or `…` if it may contain a password or control the terminal: a URL may have
/// been passed as any argument.
pub fn shown(value: &str) -> &str {
    let is_hidden = |c| matches!(c, '@' | '?' | '#') || !matches!(c, ' '..='~');
    match value.contains(is_hidden) || value.contains("%40") {
        true => "…",
        false => value,
    }
}

fn without_empty_variables(command: Command) -> Command {
    let command = command.mut_subcommands(without_empty_variables);
    let is_empty = |arg: &Arg| arg.get_env().is_some_and(|name| !is_set(name));
    command.mut_args(|arg| match is_empty(&arg) {
        true => arg.env(Resettable::Reset),
        false => arg,
    })
}

fn parse_url(url: OsString) -> Result<ServerAddr, &'static str> {
    let url = url.to_str().and_then(|text| text.parse().ok());
    url.ok_or("expected URLs in NATS_URL such as nats://127.0.0.1:4222")
}

/// Rejects what is not valid in the names of streams, or equals another prefix in upper case.
fn parse_prefix(text: &str) -> Result<String, &'static str> {
    let is_valid = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_');
    match !text.is_empty() && text.chars().all(is_valid) {
        true => Ok(text.to_owned()),
        false => Err("expected lower-case letters, digits, `-` or `_`"),
    }
}

/// Parses the text file in a variable, without the byte order mark that editors on Windows write. Rejects UTF-16.
async fn read<T>(
    variable: &str,
    path: &Path,
    parse: impl FnOnce(&[u8]) -> io::Result<T>,
) -> io::Result<T> {
    let bytes = tokio::fs::read(path).await;
    let parsed = bytes.and_then(|bytes| match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, ..] | [1..=255, 0, ..] => {
            Err(io::Error::other("it is UTF-16; expected UTF-8"))
        }
        [0xef, 0xbb, 0xbf, text @ ..] | text => parse(text),
    });
    let path = path.to_string_lossy();
    let invalid = |error| io::Error::other(format!("{variable}: {}: {error}", shown(&path)));
    parsed.map_err(invalid)
}

/// Returns TLS settings that trust only these root certificates.
fn trusting(pem: &[u8]) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(io::Error::other)?;
        roots.add(certificate).map_err(io::Error::other)?;
    }
    if roots.is_empty() {
        return Err(io::Error::other("it contains no certificate"));
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

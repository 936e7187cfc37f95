//! Settings from environment variables, which the README lists.

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use receive_at_scale::{EventKey, QueueSettings, by_digest, by_json_field, none};
use tracing::Level;
use webhook_verify::{Secret, Verifier};

/// Creates a verifier for the secret, and for the previous one during a rotation.
pub(crate) fn verifier() -> Result<Verifier, Box<dyn Error>> {
    let secret = env::var("PROFILE_WEBHOOK_SECRET")
        .map_err(|_| "PROFILE_WEBHOOK_SECRET is not set; expected the webhook secret")?;
    let verifier = Verifier::new(Secret::new(secret)?);
    let Ok(before) = env::var("PROFILE_WEBHOOK_SECRET_BEFORE") else {
        return Ok(verifier);
    };
    let before = Secret::new(before);
    let before = before.map_err(|error| format!("PROFILE_WEBHOOK_SECRET_BEFORE: {error}"))?;
    Ok(verifier.also_accept(before))
}

pub(crate) fn queue_settings() -> Result<QueueSettings, String> {
    let mut settings = QueueSettings::new(text("NATS_URL", "nats://127.0.0.1:4222"));
    settings.credentials = env::var_os("NATS_CREDENTIALS").map(Into::into);
    settings.root_certificate = env::var_os("NATS_ROOT_CERTIFICATE").map(Into::into);
    settings.replicas = number("STREAM_REPLICAS", settings.replicas)?;
    settings.max_bytes = number("STREAM_MAX_BYTES", settings.max_bytes)?;
    let max_age = number("STREAM_MAX_AGE", settings.max_age.as_secs())?;
    settings.max_age = Duration::from_secs(max_age);
    settings.discard_old = match text("STREAM_DISCARD", "new").as_str() {
        "new" => false,
        "old" => true,
        other => {
            return Err(format!(
                "invalid STREAM_DISCARD {other:?}; expected `new` or `old`"
            ));
        }
    };
    Ok(settings)
}

pub(crate) fn event_key() -> Result<EventKey, String> {
    match text("EVENT_KEY", "none").as_str() {
        "none" => Ok(none()),
        "digest" => Ok(by_digest()),
        pointer if pointer.starts_with('/') => Ok(by_json_field(pointer)),
        other => Err(format!(
            "invalid EVENT_KEY {other:?}; expected `none`, `digest` or a JSON pointer such as `/data/id`"
        )),
    }
}

/// The libraries may log bodies at the levels below.
pub(crate) fn log_level() -> Result<Level, String> {
    match text("LOG_LEVEL", "info").as_str() {
        "error" => Ok(Level::ERROR),
        "warn" => Ok(Level::WARN),
        "info" => Ok(Level::INFO),
        other => Err(format!(
            "invalid LOG_LEVEL {other:?}; expected `error`, `warn` or `info`"
        )),
    }
}

/// Returns the value of a variable, or the default if it is not set.
pub(crate) fn text(name: &str, default: &str) -> String {
    env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn number<T: FromStr<Err: Display>>(name: &str, default: T) -> Result<T, String> {
    match env::var(name) {
        Ok(text) => text
            .parse()
            .map_err(|error| format!("invalid {name} {text:?}: {error}; expected a number")),
        Err(_) => Ok(default),
    }
}

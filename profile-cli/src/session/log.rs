//! The log on stderr, for `-v` and PROFILE_LOG: lines that start with `>` for requests, `<` for
//! responses, and `*` for other events.

use std::fmt::Debug;
use std::io::{self, Write as _};

use profile_sdk::{Call, Error, Response};
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::preview::path_and_query;
use crate::settings::Settings;
use crate::terminal::{Blocking, SafeUrl, printable};

/// Targets that are logged. Events of other libraries could contain secrets.
const TARGETS: [&str; 2] = ["profile", "profile_sdk"];

/// Installs the log subscriber, if logging is enabled.
pub(crate) fn start(settings: &Settings) {
    let level = settings.log_level;
    if level == LevelFilter::OFF {
        return;
    }
    let targets: Targets = TARGETS.iter().map(|target| (*target, level)).collect();
    let registry = tracing_subscriber::registry().with(Log);
    registry.with(targets).init();
}

/// Logs the request of a call. The client library logs its headers.
pub(crate) fn sending<T>(call: &Call<T>, base_url: Option<&SafeUrl>) {
    if let Ok(request) = call.request() {
        let method = request.method().as_str();
        let base_url = base_url.map(SafeUrl::to_string).unwrap_or_default();
        let base_url = base_url.trim_end_matches('/');
        tracing::info!("> {method} {base_url}{}", path_and_query(request));
        if let Some(body) = request.body() {
            tracing::trace!("> {}", String::from_utf8_lossy(body));
        }
    }
}

/// Logs a response.
pub(crate) fn received<T>(response: &Response<T>) {
    let bytes = response.body().len();
    tracing::info!("< {}, {bytes} bytes", response.status());
    for (name, value) in response.headers() {
        tracing::debug!("< {name}: {}", value);
    }
    if bytes > 0 {
        tracing::trace!("< {}", String::from_utf8_lossy(response.body()));
    }
}

/// Logs a failed call.
pub(crate) fn failed(error: &Error) {
    let after = match error.attempts() {
        0 => "nothing was sent".to_owned(),
        1 => "1 attempt".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    match error.status() {
        Some(status) => tracing::info!("< {status}, {after}"),
        None => tracing::info!("< no response, {after}"),
    }
    // The client library has removed the key.
    if !error.body().is_empty() {
        tracing::trace!("< {}", String::from_utf8_lossy(error.body()));
    }
}

/// Writes each event as a line with its message, without its fields.
struct Log;

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = String::new();
        event.record(&mut |field: &Field, value: &dyn Debug| {
            if field.name() == "message" {
                message = format!("{value:?}");
            }
        });
        let is_of_sdk = event.metadata().target().starts_with("profile_sdk");
        let is_header = message.starts_with("> ");
        let mark = if is_of_sdk && !is_header { "* " } else { "" };
        let line = format!("{mark}{}\n", printable(&message).replace('\n', " "));
        // There is no other place to report an error.
        let _ = Blocking(io::stderr()).write_all(line.as_bytes());
    }
}

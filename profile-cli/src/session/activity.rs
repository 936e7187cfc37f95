//! Shows calls on stderr. With `-v` or PROFILE_LOG, logs lines that start with `>` for requests, `<` for responses,
//! and `*` for other events. Otherwise, a line on a terminal shows what a call waits for, once it has taken a moment.

use std::fmt::Debug;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use profile_sdk::{Call, Error, ErrorKind, Response, Wait};
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::preview::path_and_query;
use crate::settings::{DEFAULT_RETRIES, Settings};
use crate::terminal::{Blocking, SafeUrl, StatusLine, printable, replaces_lines};

/// The time after which a wait is shown.
const DELAY: Duration = Duration::from_millis(300);

/// The time between two updates of the line.
const REFRESH: Duration = Duration::from_millis(250);

/// Installs the log subscriber, if logging is enabled.
pub(crate) fn start_log(settings: &Settings) {
    let level = settings.log_level;
    if level != LevelFilter::OFF {
        // Nothing else sets it.
        let _ = tracing::subscriber::set_global_default(Log(level));
    }
}

/// Logs the request of a call. The client library logs its headers.
pub(super) fn log_call<T>(call: &Call<T>, base_url: Option<&SafeUrl>) {
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
pub(super) fn log_response<T>(response: &Response<T>) {
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
pub(super) fn log_error(error: &Error) {
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

/// Writes each event up to this level as a line with its message, without its fields. Spans are disabled.
struct Log(LevelFilter);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Those of the program and of `profile_sdk`. Events of other libraries could contain secrets.
        let is_ours = metadata.target().starts_with("profile");
        is_ours && metadata.is_event() && *metadata.level() <= self.0
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.0)
    }

    fn event(&self, event: &Event<'_>) {
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

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The latest wait of the current call, as the client library reports it, with the time at which it ends.
#[derive(Clone)]
pub(super) struct Waits {
    latest: Arc<Mutex<Option<(Wait, Instant)>>>,
    /// `true` if stderr is a terminal that can replace a line, and on which nothing else is logged.
    is_shown: bool,
}

impl Waits {
    pub(super) fn new(settings: &Settings) -> Self {
        let is_logged = settings.log_level != LevelFilter::OFF;
        Self {
            latest: Arc::default(),
            is_shown: !settings.hides_progress() && !is_logged && replaces_lines(),
        }
    }

    /// Forgets earlier calls.
    pub(super) fn begin(&self) {
        *self.latest() = None;
    }

    /// Records a wait.
    pub(super) fn record(&self, wait: Wait) {
        let end = Instant::now().checked_add(wait.duration);
        *self.latest() = end.map(|end| (wait, end));
    }

    /// Shows the progress and what is waited for, if there is a terminal, until the future is dropped. Never returns.
    pub(super) async fn show<T>(
        &self,
        base_url: Option<&SafeUrl>,
        max_retries: Option<u32>,
        progress: impl Fn() -> String,
    ) -> T {
        if !self.is_shown {
            return std::future::pending().await;
        }
        let shown = base_url.map(SafeUrl::to_string).unwrap_or_default();
        let host = shown.split("://").nth(1).unwrap_or("the service");
        let host = host.trim_end_matches('/');
        let max_retries = max_retries.unwrap_or(DEFAULT_RETRIES);
        tokio::time::sleep(DELAY).await;
        let line = StatusLine::default();
        loop {
            let latest = *self.latest();
            line.show(&(progress() + &text(latest, host, max_retries)));
            tokio::time::sleep(REFRESH).await;
        }
    }

    fn latest(&self) -> MutexGuard<'_, Option<(Wait, Instant)>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text(latest: Option<(Wait, Instant)>, host: &str, max_retries: u32) -> String {
    let now = Instant::now();
    let Some((wait, end)) = latest.filter(|(_, end)| *end > now) else {
        return format!("waiting for {host}");
    };
    let reason = match wait.reason {
        ErrorKind::RateLimited => "rate limited",
        ErrorKind::Service => "the service failed",
        ErrorKind::Timeout => "no response in time",
        _ => "no connection",
    };
    let seconds = (end - now).as_secs_f64().ceil();
    let counted = |retry| format!(" ({retry} of {max_retries})");
    let counted = wait.retry.map(counted).unwrap_or_default();
    format!("{reason}, retrying in {seconds} s{counted}")
}

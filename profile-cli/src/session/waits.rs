//! Shows on a terminal what a call waits for, once it has taken a moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use profile_sdk::{ErrorKind, Wait};
use tracing::level_filters::LevelFilter;

use crate::settings::{DEFAULT_RETRIES, Settings};
use crate::terminal::{SafeUrl, StatusLine, replaces_lines};

/// The time after which the wait is shown.
const DELAY: Duration = Duration::from_millis(300);

/// The time between two updates of the line.
const REFRESH: Duration = Duration::from_millis(250);

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

    fn latest(&self) -> MutexGuard<'_, Option<(Wait, Instant)>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows the progress and what is waited for, if there is a terminal, until the future is dropped. Never returns.
pub(super) async fn show<T>(
    waits: &Waits,
    base_url: Option<&SafeUrl>,
    max_retries: Option<u32>,
    progress: impl Fn() -> String,
) -> T {
    if !waits.is_shown {
        return std::future::pending().await;
    }
    let shown = base_url.map(SafeUrl::to_string).unwrap_or_default();
    let host = shown.split("://").nth(1).unwrap_or("the service");
    let host = host.trim_end_matches('/');
    let max_retries = max_retries.unwrap_or(DEFAULT_RETRIES);
    tokio::time::sleep(DELAY).await;
    let line = StatusLine::new();
    loop {
        let latest = *waits.latest();
        line.show(&(progress() + &text(latest, host, max_retries)));
        tokio::time::sleep(REFRESH).await;
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

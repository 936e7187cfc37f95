//! Shows on a terminal what a call waits for, once it has taken a moment.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::settings::{DEFAULT_RETRIES, Settings};
use crate::terminal::progress::{StatusLine, replaces_lines};

/// The time after which the wait is shown.
const DELAY: Duration = Duration::from_millis(300);

/// The time between two updates of the line.
const REFRESH: Duration = Duration::from_millis(250);

const RATE_LIMITED: &str = "rate limited";

/// The waits of the calls of one run, as the client library reports them.
#[derive(Clone)]
pub(crate) struct Waits(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The reason for the next attempt.
    reason: Option<&'static str>,
    next_attempt: Option<Instant>,
    retries: u32,
}

impl Waits {
    /// Starts to listen, if stderr is a terminal that can replace a line, and on which nothing else
    /// is logged.
    pub(crate) fn start(settings: &Settings) -> Option<Self> {
        let is_logged = settings.log_level != LevelFilter::OFF;
        if settings.quiet || is_logged || !replaces_lines() {
            return None;
        }
        let waits = Self(Arc::default());
        tracing_subscriber::registry().with(waits.clone()).init();
        Some(waits)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows what is waited for, if there is a terminal, until the future is dropped. Never returns.
pub(super) async fn show<T>(
    waits: Option<&Waits>,
    base_url: Option<&str>,
    max_retries: Option<u32>,
) -> T {
    let Some(waits) = waits else {
        return std::future::pending().await;
    };
    *waits.state() = State::default();
    let host = base_url.and_then(|base_url| base_url.split("://").nth(1));
    let host = host.unwrap_or("the service").trim_end_matches('/');
    let max_retries = max_retries.unwrap_or(DEFAULT_RETRIES);
    tokio::time::sleep(DELAY).await;
    let line = StatusLine::new();
    loop {
        let text = waits.state().text(host, max_retries);
        line.show(&text);
        tokio::time::sleep(REFRESH).await;
    }
}

impl State {
    fn text(&self, host: &str, max_retries: u32) -> String {
        let now = Instant::now();
        let wait = self
            .next_attempt
            .map(|at| at.saturating_duration_since(now));
        let (Some(reason), Some(wait)) = (self.reason, wait.filter(|wait| !wait.is_zero())) else {
            return format!("waiting for {host}");
        };
        let seconds = wait.as_secs_f64().ceil();
        match self.retries {
            _ if reason == RATE_LIMITED => format!("{reason}, retrying in {seconds} s"),
            retries => format!("{reason}, retrying in {seconds} s ({retries} of {max_retries})"),
        }
    }
}

impl<S: Subscriber> Layer<S> for Waits {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "profile_sdk" {
            event.record(&mut *self.state());
        }
    }
}

/// Reads the events of a failed attempt and of a wait.
impl Visit for State {
    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "seconds" {
            let wait = Duration::try_from_secs_f64(value).unwrap_or_default();
            self.next_attempt = Instant::now().checked_add(wait);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() != "kind" {
            return;
        }
        // A wait for the rate limit does not count as a retry.
        if value != "rate_limited" {
            self.retries += 1;
        }
        self.reason = Some(match value {
            "rate_limited" => RATE_LIMITED,
            "service" => "the service failed",
            "timeout" => "no response in time",
            _ => "no connection",
        });
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::State;

    #[test]
    fn describes_the_wait() {
        let mut state = State::default();
        assert_eq!(state.text("host", 3), "waiting for host");
        state.reason = Some("rate limited");
        state.next_attempt = Some(Instant::now() + Duration::from_millis(17_900));
        assert_eq!(state.text("host", 3), "rate limited, retrying in 18 s");
        state.reason = Some("the service failed");
        state.retries = 2;
        let text = "the service failed, retrying in 18 s (2 of 3)";
        assert_eq!(state.text("host", 3), text);
        state.next_attempt = Some(Instant::now());
        assert_eq!(state.text("host", 3), "waiting for host");
    }
}

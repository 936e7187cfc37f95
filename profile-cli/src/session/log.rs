//! What the program tells on stderr of its way to the result, for `-v` and PROFILE_LOG: a line that
//! starts with `>` for what is sent, with `<` for what is received, and with `*` for what happens
//! between them.

use std::fmt::{self, Debug};

use profile_sdk::{Call, Error, Response};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::settings::Settings;
use crate::terminal::printable::printable;

/// Whose events are told. Those of the libraries below could hold what nobody has freed of secrets.
const TARGETS: [&str; 2] = ["profile", "profile_sdk"];

/// Starts the log if one is asked for; without it nothing is set up.
pub(crate) fn start(settings: &Settings) {
    let level = settings.log_level;
    if level == LevelFilter::OFF {
        return;
    }
    let targets: Targets = TARGETS.iter().map(|target| (*target, level)).collect();
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .event_format(Line);
    tracing_subscriber::registry()
        .with(layer)
        .with(targets)
        .init();
}

/// A call is about to be sent.
pub(crate) fn sending<T>(call: &Call<T>) {
    if let Ok(request) = call.request() {
        let (method, path) = (request.method().as_str(), request.path());
        match request.query() {
            Some(query) => tracing::info!("> {method} {path}?{query}"),
            None => tracing::info!("> {method} {path}"),
        }
    }
}

/// A call was received.
pub(crate) fn received<T>(response: &Response<T>) {
    let bytes = response.body().len();
    tracing::info!("< {}, {bytes} bytes", response.status());
}

/// A call got no answer that is of use.
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
}

/// An event as a line for people: its message, without the fields that say the same to programs.
struct Line;

struct Message(String);

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut message = Message(String::new());
        event.record(&mut message);
        let mark = match *event.metadata().level() {
            Level::INFO => "",
            _ => "* ",
        };
        let text = printable(&message.0).replace('\n', " ");
        writeln!(writer, "{mark}{text}")
    }
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

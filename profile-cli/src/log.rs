//! What the program tells on stderr of its way to the result, for `-v` and PROFILE_LOG.

use profile_sdk::{Call, Response};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::settings::Settings;

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
        .with_ansi(false)
        .without_time()
        .with_target(false);
    tracing_subscriber::registry()
        .with(layer)
        .with(targets)
        .init();
}

/// A call is about to be sent.
pub(crate) fn sending<T>(call: &Call<T>) {
    if let Ok(request) = call.request() {
        let method = request.method();
        tracing::info!("{} {}", method.as_str(), request.path());
    }
}

/// A call was answered.
pub(crate) fn answered<T>(response: &Response<T>) {
    let bytes = response.body().len();
    tracing::info!("answered {} with {bytes} bytes", response.status());
}

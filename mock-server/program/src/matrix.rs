//! `mock-server matrix`: runs a command under each alternative to the default dialect.

use std::time::Duration;

use clap::Args;
use mock_server::{Dialect, Fault, FaultRule, WireFault};

use crate::failure::Failure;
use crate::trials::{self, Case, TrialOptions};

/// Run a command against a new mock for each alternative of each dialect setting
///
/// The first run is under the default dialect, or that of --dialect, and has to pass. The command
/// gets the same environment as with `run`. The exit code is 0 if all runs passed, 1 if
/// not, and 125 to 127 if the mock or the command could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server matrix -- pytest -q\n  mock-server matrix --faults --jobs 4 -- npm test\n  mock-server matrix --only ids --show-output -- pytest"
)]
pub(crate) struct MatrixOptions {
    /// Run only the alternatives of this setting, or `fault`; repeatable
    #[arg(long, value_name = "SETTING", value_delimiter = ',')]
    only: Vec<String>,
    /// Also run the command under each standard fault, which affects the first request in each world
    #[arg(long)]
    faults: bool,
    #[command(flatten)]
    trials: TrialOptions,
}

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: MatrixOptions) -> Result<i32, Failure> {
    let base = options.trials.dialect()?;
    let name = match base == Dialect::default() {
        true => "default",
        false => "given",
    };
    let mut cases = vec![Case::new(name, None, trials::worlds(&base))];
    cases.extend(select(&base, &options.only, options.faults)?);
    trials::run(cases, options.trials).await
}

/// Returns the selected cases, which differ from the given dialect.
fn select(base: &Dialect, only: &[String], faults: bool) -> Result<Vec<Case>, Failure> {
    let dialects = base.variations();
    let dialects =
        dialects.map(|(setting, name, dialect)| (setting, name, trials::worlds(&dialect)));
    let standard = standard_faults().map(|(name, fault)| {
        let mut worlds = trials::worlds(base);
        let added = worlds.add_faults(vec![fault]);
        added.expect("the standard faults are valid");
        ("fault", name, worlds)
    });
    let all: Vec<_> = dialects.chain(standard).collect();
    let mut settings: Vec<_> = all.iter().map(|(setting, ..)| *setting).collect();
    settings.dedup();
    if let Some(name) = only.iter().find(|name| !settings.contains(&name.as_str())) {
        let (name, expected) = (name.clone(), settings);
        return Err(Failure::Name { name, expected });
    }
    let selected = |setting: &str| match only.is_empty() {
        true => faults || setting != "fault",
        false => only.iter().any(|name| name == setting),
    };
    let cases = all.into_iter().filter(|(setting, ..)| selected(setting));
    let cases =
        cases.map(|(setting, name, worlds)| Case::new(format!("{setting} = {name}"), None, worlds));
    Ok(cases.collect())
}

/// Returns the faults with their names. Each applies to the first request in a world.
fn standard_faults() -> [(&'static str, FaultRule); 10] {
    let before = |fault| FaultRule::new(fault).times(1);
    let after = |fault| before(fault).after_write();
    let html = Fault::WrongContentType {
        content_type: "text/html".to_owned(),
    };
    let (delay, reset) = (Duration::from_secs(2), WireFault::Reset { after: None });
    let slow = WireFault::Dribble {
        bytes: 16,
        pause: Duration::from_millis(10),
    };
    [
        ("503_once", before(Fault::status(503))),
        ("429_retry_after_1", before(Fault::rate_limited("1"))),
        ("reset_before_write", before(Fault::Wire(reset))),
        ("reset_after_write", after(Fault::Wire(reset))),
        ("cut_body", after(Fault::Wire(WireFault::Cut { after: 10 }))),
        ("slow_body", after(Fault::Wire(slow))),
        ("wrong_content_type", after(html)),
        ("empty_body", after(Fault::EmptyBody)),
        ("malformed_json", after(Fault::MalformedJson)),
        ("delay_2_s", after(Fault::delay(delay))),
    ]
}

//! `mock-server matrix` and `mock-server mutants`: run a command against variants of the mock.

use std::time::Duration;

use clap::Args;
use mock_server::{Dialect, Fault, FaultRule, Mutant, WireFault};

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

/// Runs the command under each dialect, and returns the exit code.
pub(crate) async fn matrix(options: MatrixOptions) -> Result<i32, Failure> {
    let base = options.trials.dialect()?;
    let dialects = base.variations();
    let dialects =
        dialects.map(|(setting, name, dialect)| (setting, name, trials::worlds(&dialect)));
    let faults = standard_faults().map(|(name, fault)| {
        let mut worlds = trials::worlds(&base);
        let added = worlds.add_faults(vec![fault]);
        added.expect("the standard faults are valid");
        (FAULT, name, worlds)
    });
    let all: Vec<_> = dialects.chain(faults).collect();
    let mut settings: Vec<_> = all.iter().map(|(setting, ..)| *setting).collect();
    settings.dedup();
    let skips_faults = options.only.is_empty() && !options.faults;
    let skip = skips_faults.then(|| FAULT.to_owned());
    let is_selected = selection(settings, &options.only, skip.as_slice())?;
    let is_default = base == Dialect::default();
    let name = if is_default { "default" } else { "given" };
    let mut cases = vec![Case::new(name, None, trials::worlds(&base))];
    for (setting, name, worlds) in all.into_iter().filter(|(setting, ..)| is_selected(setting)) {
        cases.push(Case::new(format!("{setting} = {name}"), None, worlds));
    }
    trials::run(cases, options.trials).await
}

/// The name of the standard faults in `--only`.
const FAULT: &str = "fault";

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

/// Run a command against mocks that each break one sentence of the specification
///
/// The first run is against the unchanged mock and has to pass. A mutant is caught if the command
/// fails or exceeds the time limit, and missed if it passes. The command gets the same environment as
/// with `run`. The exit code is 0 if all mutants were caught, 1 if not, and 125 to 127 if the mock or
/// the command could not run.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mock-server mutants --jobs 4 -- pytest -q\n  mock-server mutants --only me_without_email --show-output -- pytest\n  mock-server mutants --skip no_signature,webhook_never_off -- npm test"
)]
pub(crate) struct MutantsOptions {
    /// Test only this mutant; repeatable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Do not test this mutant; repeatable
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    skip: Vec<String>,
    #[command(flatten)]
    trials: TrialOptions,
}

/// Runs the command against each mutant, and returns the exit code.
pub(crate) async fn mutants(options: MutantsOptions) -> Result<i32, Failure> {
    let MutantsOptions { only, skip, trials } = options;
    let is_selected = selection(Mutant::all().map(Mutant::name).collect(), &only, &skip)?;
    let mutants = Mutant::all().filter(|mutant| is_selected(mutant.name()));
    let mutants: Vec<_> = mutants.collect();
    if mutants.is_empty() {
        return Err(Failure::NoMutant);
    }
    let dialect = trials.dialect()?;
    let mut cases = vec![Case::new(
        "unmutated baseline",
        None,
        trials::worlds(&dialect),
    )];
    for mutant in mutants {
        let mut worlds = trials::worlds(&dialect);
        worlds.set_mutant(mutant);
        cases.push(Case::new(mutant.name(), Some(mutant.sentence()), worlds));
    }
    trials::run(cases, trials).await
}

/// Returns a function that selects names: those in `only`, or all if it is empty, without those in `skip`. Fails
/// for a name that is not one of the expected ones.
fn selection<'a>(
    expected: Vec<&'static str>,
    only: &'a [String],
    skip: &'a [String],
) -> Result<impl Fn(&str) -> bool + 'a, Failure> {
    let mut names = only.iter().chain(skip);
    if let Some(name) = names.find(|name| !expected.contains(&name.as_str())) {
        let name = name.clone();
        return Err(Failure::Name { name, expected });
    }
    let contains = |names: &[String], name: &str| names.iter().any(|one| one == name);
    Ok(move |name: &str| (only.is_empty() || contains(only, name)) && !contains(skip, name))
}

//! `mock-server mutants`: runs a command against services that break the specification.

use clap::Args;
use mock_server::Mutant;

use crate::failure::Failure;
use crate::trials::{self, Case, TrialOptions};

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

/// Runs the command and returns the exit code.
pub(crate) async fn run(options: MutantsOptions) -> Result<i32, Failure> {
    let MutantsOptions { only, skip, trials } = options;
    let (mutants, dialect) = (select(&only, &skip)?, trials.dialect()?);
    let baseline = Case::new("unmutated baseline", None, trials::worlds(&dialect));
    let mutants = mutants.into_iter().map(|mutant| {
        let mut worlds = trials::worlds(&dialect);
        worlds.set_mutant(mutant);
        Case::new(mutant.name(), Some(mutant.sentence()), worlds)
    });
    let cases = [baseline].into_iter().chain(mutants).collect();
    trials::run(cases, trials).await
}

/// Returns the selected mutants.
fn select(only: &[String], skip: &[String]) -> Result<Vec<Mutant>, Failure> {
    let is_unknown = |name: &&String| Mutant::all().all(|mutant| mutant.name() != name.as_str());
    if let Some(name) = only.iter().chain(skip).find(is_unknown) {
        let expected = Mutant::all().map(Mutant::name).collect();
        let name = name.clone();
        return Err(Failure::Name { name, expected });
    }
    let contains = |names: &[String], mutant: &Mutant| names.iter().any(|one| one == mutant.name());
    let selected =
        |mutant: &Mutant| (only.is_empty() || contains(only, mutant)) && !contains(skip, mutant);
    let selected: Vec<_> = Mutant::all().filter(selected).collect();
    match selected.is_empty() {
        true => Err(Failure::NoMutant),
        false => Ok(selected),
    }
}

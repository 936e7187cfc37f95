//! Carries out a plan.

use profile_sdk::Profile;

use super::ProfileFile;
use super::plan::{Plan, Step};
use crate::outcome::failure::{Failure, FailureKind};

/// Maximum number of times that a step is repeated after its response was lost.
const MAX_REPETITIONS: usize = 3;

/// The service of a profile.
pub(crate) trait Service {
    fn read(&mut self) -> Result<Profile, Failure>;

    fn send(&mut self, step: &Step) -> Result<(), Unsuccessful>;
}

/// A step without a success response.
#[derive(Debug)]
pub(crate) struct Unsuccessful {
    pub(crate) failure: Box<Failure>,
    /// `true` if the step may have been applied, or its link no longer exists.
    pub(crate) is_unclear: bool,
}

impl From<Failure> for Unsuccessful {
    /// Creates the error of a step that was not sent, or interrupted by the user.
    fn from(failure: Failure) -> Self {
        Self {
            failure: Box::new(failure),
            is_unclear: false,
        }
    }
}

/// A file with the settings of a run.
pub(crate) struct Job<'a> {
    pub(crate) file: &'a ProfileFile,
    /// The base URL of the service.
    pub(crate) service: &'a str,
    /// `true` to delete links that are not in the file.
    pub(crate) prune: bool,
}

impl Job<'_> {
    /// Returns the steps that make this profile equal to the file.
    pub(crate) fn plan(&self, profile: &Profile) -> Result<Plan, Failure> {
        Plan::new(self.file, profile, self.service, self.prune)
    }

    /// Carries out the steps, and passes each to `done`.
    ///
    /// Reads the profile first, and again after a response was lost, before anything is repeated.
    /// Stops if the profile then requires other steps than the given ones.
    pub(crate) fn carry_out(
        &self,
        steps: &[Step],
        service: &mut impl Service,
        mut done: impl FnMut(&Step),
    ) -> Result<(), Failure> {
        let mut open = self.plan_again(steps, service)?;
        let mut repetitions = 0;
        while let Some(step) = open.first() {
            match service.send(step) {
                Ok(()) => {
                    done(&open.remove(0));
                    repetitions = 0;
                }
                Err(Unsuccessful {
                    is_unclear: true, ..
                }) if repetitions < MAX_REPETITIONS => {
                    repetitions += 1;
                    let left = self.plan_again(&open, service)?;
                    for step in open.iter().filter(|step| !left.contains(step)) {
                        done(step);
                    }
                    open = left;
                }
                Err(unsuccessful) => return Err(*unsuccessful.failure),
            }
        }
        Ok(())
    }

    /// Reads the profile and plans again. Fails if a step is not one of the given steps.
    fn plan_again(&self, steps: &[Step], service: &mut impl Service) -> Result<Vec<Step>, Failure> {
        let plan = self.plan(&service.read()?)?;
        if !plan.is_part_of(steps) {
            let message = "the profile has changed meanwhile, so the plan is out of date";
            return Err(Failure::new(FailureKind::Conflict, message));
        }
        Ok(plan.steps)
    }
}

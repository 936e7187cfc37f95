//! Plans of the blocking client; feature `blocking`.

use super::apply::ApplyResult;
use super::{DesiredProfile, Plan, PlanOptions};
use crate::blocking::Client;

impl Client {
    /// Makes the profile as desired, as [`Client::sync`](crate::Client::sync) does, and waits for the
    /// result.
    ///
    /// # Errors
    ///
    /// See [`Client::sync`](crate::Client::sync).
    ///
    /// # Panics
    ///
    /// Panics in an async runtime.
    pub fn sync(&self, desired: &DesiredProfile, options: PlanOptions) -> ApplyResult {
        self.wait(self.as_async().sync(desired, options))
    }

    /// Carries out a plan, as [`Client::apply`](crate::Client::apply) does, and waits for its
    /// result.
    ///
    /// # Errors
    ///
    /// See [`Client::apply`](crate::Client::apply).
    ///
    /// # Panics
    ///
    /// Panics in an async runtime.
    pub fn apply(&self, plan: &Plan) -> ApplyResult {
        self.wait(self.as_async().apply(plan))
    }
}

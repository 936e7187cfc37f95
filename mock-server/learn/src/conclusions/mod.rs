//! The conclusions from the observations: the settings, contradictions, and differences from the mock.

mod comparison;
mod deliveries;
mod learner;
mod observed;
mod questions;
mod reference;
mod rejections;
mod statements;
mod views;

use super::finding::Row;
use super::observations::Observations;

/// Draws the conclusions.
///
/// # Errors
///
/// Returns an error if there is no response to the first request.
pub(super) fn conclude(observations: &Observations) -> Result<Vec<Row>, String> {
    let conclusions = learner::conclude(observations)?;
    let differences = comparison::differences(observations, &conclusions);
    let contradictions = statements::contradictions(observations, &conclusions.baseline);
    let rows = conclusions.rows.into_iter();
    Ok(rows.chain(contradictions).chain(differences).collect())
}

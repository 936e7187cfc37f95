//! Sends a sequence of deliveries and reports the outcomes.

use reqwest::Url;
use serde_json::json;

use super::delivery::Delivery;
use super::sender::{Outcome, Sender, redacted};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, cell};
use crate::session::Session;
use crate::terminal::progress::Progress;

/// Sends the deliveries in order and prints each outcome. Fails unless all status codes are 2xx.
pub(super) fn send_all<'d>(
    deliveries: impl ExactSizeIterator<Item = (&'d str, &'d Delivery)>,
    url: &Url,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let sender = Sender::new(url, session)?;
    let output = session.output;
    let mut progress = Progress::begin("sending", deliveries.len(), output.is_quiet());
    let mut outcomes = Vec::new();
    for (name, delivery) in deliveries {
        tracing::info!("POST {} bytes to {}", delivery.body.len(), redacted(url));
        let outcome = session.block_on(sender.post(delivery))?;
        let printed = progress.above(|| output.stream(&report(name, delivery, &outcome)))?;
        if printed.is_break() {
            return Ok(());
        }
        outcomes.push(outcome);
        progress.advance();
    }
    drop(progress);
    match failure(&outcomes, url) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

fn report(name: &str, delivery: &Delivery, outcome: &Outcome) -> Report {
    let milliseconds = outcome.duration.as_millis() as u64;
    let kind = delivery.kind();
    let (status, error) = match &outcome.response {
        Ok(status) => (Some(*status), None),
        Err(reason) => (None, Some(reason.as_str())),
    };
    let mut json = json!({
        "event": kind,
        "status": status,
        "error": error,
        "milliseconds": milliseconds,
        "bytes": delivery.body.len(),
    });
    if !name.is_empty() {
        json["file"] = json!(name);
    }
    let status = status.map(|status| status.to_string());
    let fields = |duration: String| {
        let fields = [
            ("event", kind.clone()),
            ("status", cell(status.as_ref())),
            ("milliseconds", duration),
            ("file", name.to_owned()),
            ("error", cell(error.as_ref())),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        View::Fields(fields.into())
    };
    let people = fields(format!("{milliseconds} ms"));
    Report::new(json, View::split(people, fields(milliseconds.to_string())))
}

/// Returns the failure that summarizes the failed deliveries, if any.
fn failure(outcomes: &[Outcome], url: &Url) -> Option<Failure> {
    let total = outcomes.len();
    let without_response = outcomes.iter().filter(|outcome| outcome.response.is_err());
    let without_response = without_response.count();
    let accepted = outcomes.iter().filter(|outcome| outcome.is_success());
    let rejected = total - without_response - accepted.count();
    if without_response + rejected == 0 {
        return None;
    }
    if without_response == total {
        let reason = outcomes
            .iter()
            .find_map(|outcome| outcome.response.as_ref().err());
        let reason = reason.map(String::as_str).unwrap_or_default();
        let message = match total {
            1 => format!("the delivery failed: {reason}"),
            _ => format!("all {total} deliveries failed: {reason}"),
        };
        let hint = format!("check that a receiver listens at {}", redacted(url));
        return Some(Failure::new(FailureKind::NoResponse, message).hint(hint));
    }
    let statuses = outcomes
        .iter()
        .filter_map(|outcome| outcome.response.as_ref().ok());
    let status = statuses
        .copied()
        .find(|status| !(200..300).contains(status));
    let message = match (total, status) {
        (1, Some(status)) => format!("the receiver returned status {status}, expected 2xx"),
        _ => format!(
            "{} of {total} deliveries failed: {rejected} with a status other than 2xx, \
             {without_response} without a response",
            without_response + rejected
        ),
    };
    Some(Failure {
        status,
        ..Failure::new(FailureKind::Other, message)
    })
}

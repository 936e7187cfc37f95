//! Prints deliveries.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use reqwest::Url;

use super::event::{Event, Verification};
use super::handler::{Counts, MAX_FAILURES};
use crate::commands::webhook::delivery::{Attempt, redacted};
use crate::outcome::failure::Failure;
use crate::output::Output;

/// A printer of messages that counts the deliveries.
pub(super) struct Reporter<'o> {
    output: &'o Output,
    prints_payloads: bool,
    counts: Arc<Counts>,
}

impl<'o> Reporter<'o> {
    pub(super) fn new(output: &'o Output, prints_payloads: bool, counts: Arc<Counts>) -> Self {
        Self {
            output,
            prints_payloads,
            counts,
        }
    }

    /// Prints the address once deliveries are accepted, and the receiver to which they are forwarded.
    pub(super) fn begin(&self, address: SocketAddr, forward_to: Option<&Url>) {
        self.output
            .status(&format!("listening on http://{address}"));
        if let Some(url) = forward_to {
            self.output
                .note(&format!("forwarding to {}", redacted(url)));
        }
        if !address.ip().is_loopback() {
            let warning = "other machines can reach this address; bodies are printed only if the \
                 signature is valid";
            self.output.warn(warning);
        }
    }

    /// Reports the outcome of forwarding a delivery.
    pub(super) fn report_forwarded(&self, kind: &str, attempt: &Attempt) {
        let text = attempt.as_text();
        match attempt.is_success() {
            true => tracing::info!("forwarded {kind}: {text}"),
            false => self
                .output
                .warn(&format!("forwarding {kind} failed: {text}")),
        }
    }

    /// Prints a delivery. Returns `Break` if stdout is closed.
    pub(super) fn report_event(&self, event: &Event) -> Result<ControlFlow<()>, Failure> {
        if event.not_printed > 0 {
            let not_printed = event.not_printed;
            self.output.note(&format!(
                "{not_printed} rejected deliveries were not printed"
            ));
        }
        if self.output.stream(&event.report())?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if let Verification::Verified { kind_mismatch } = &event.verification {
            if self.prints_payloads && self.output.stream_payload(&event.body)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if let Some(warning) = kind_mismatch {
                self.output.warn(warning);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Warns of consecutive failures.
    pub(super) fn warn_of_failures(&self, count: u64) {
        let consequence = match count {
            MAX_FAILURES => "if the service sent them, it has turned the webhook off".to_owned(),
            _ => format!("after {MAX_FAILURES}, the service turns the webhook off"),
        };
        let suspicion = match self.counts.verified.load(Ordering::Relaxed) {
            0 => "; none has succeeded so far, so check the secret",
            _ => "",
        };
        self.output.warn(&format!(
            "{count} consecutive deliveries have failed; {consequence}{suspicion}"
        ));
    }

    /// Reports a delivery that was dropped from the queue.
    pub(super) fn report_not_forwarded(&self, kind: &str) {
        self.output.warn(&format!(
            "{kind} is not forwarded: too many deliveries wait for the receiver"
        ));
    }

    /// Reports that the command ends once all deliveries are answered and forwarded.
    pub(super) fn wait(&self, forward_to: Option<&Url>) {
        let what = match forward_to {
            Some(url) => format!("waiting for {}", redacted(url)),
            None => "waiting for deliveries in progress".to_owned(),
        };
        self.output
            .note(&format!("{what}; press Ctrl-C to exit at once"));
    }

    /// Prints the totals.
    pub(super) fn end(&self) {
        let counts = [
            &self.counts.verified,
            &self.counts.rejected,
            &self.counts.dropped,
        ];
        let [verified, rejected, dropped] = counts.map(|count| count.load(Ordering::Relaxed));
        if dropped > 0 {
            self.output.warn(&format!(
                "{dropped} deliveries were not printed: stdout was blocked"
            ));
        }
        if !self.output.is_quiet() {
            self.output
                .status(&format!("ended: {verified} verified, {rejected} rejected"));
        }
    }
}

//! Prints deliveries.

use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::event::Event;
use super::handler::{Counts, MAX_FAILURES, Message};
use crate::outcome::Result;
use crate::output::Output;
use crate::terminal::SafeUrl;

/// A printer of messages.
pub(super) struct Reporter<'o> {
    pub(super) output: &'o Output,
    pub(super) address: SocketAddr,
    pub(super) forward_to: Option<&'o SafeUrl>,
    pub(super) prints_payloads: bool,
    pub(super) counts: Arc<Counts>,
}

impl Reporter<'_> {
    /// Prints a message. Returns `Break` if stdout is closed.
    pub(super) fn report(&self, message: Message) -> Result<ControlFlow<()>> {
        let output = self.output;
        match message {
            Message::Ready => self.begin(),
            Message::Waiting(count) => {
                let what = match self.forward_to {
                    Some(url) => format!("waiting for {url}"),
                    None => "waiting for deliveries in progress".to_owned(),
                };
                let left = (count > 0).then(|| format!("; not yet forwarded: {count}"));
                let left = left.unwrap_or_default();
                output.note(&format!("{what}; press Ctrl-C to exit at once{left}"));
            }
            Message::Delivered(event) => return self.report_event(&event),
            Message::Failing(count) => self.warn_of_failures(count),
            Message::Forwarded { kind, attempt } => {
                let text = attempt.as_text();
                match attempt.is_success() {
                    true => tracing::info!("forwarded {kind}: {text}"),
                    false => output.warn(&format!("forwarding {kind} failed: {text}")),
                }
            }
            Message::NotForwarded(kind) => output.warn(&format!(
                "{kind} is not forwarded: too many deliveries wait for the receiver"
            )),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints the address, and the receiver to which deliveries are forwarded.
    fn begin(&self) {
        let output = self.output;
        output.status(&format!("listening on http://{}", self.address));
        if let Some(url) = self.forward_to {
            output.note(&format!("forwarding to {url}"));
        }
        if !self.address.ip().is_loopback() {
            output.warn(
                "other machines can reach this address; bodies are printed only if the signature is valid",
            );
        }
    }

    fn report_event(&self, event: &Event) -> Result<ControlFlow<()>> {
        let (output, not_printed) = (self.output, event.not_printed);
        if not_printed > 0 {
            output.note(&format!(
                "{not_printed} rejected deliveries were not printed"
            ));
        }
        let mut printed = output.stream(&event.report(self.prints_payloads))?;
        if printed.is_continue() && self.prints_payloads && event.verification.is_ok() {
            printed = output.stream_payload(&event.body)?;
        }
        if let (true, Ok(Some(warning))) = (printed.is_continue(), &event.verification) {
            output.warn(warning);
        }
        Ok(printed)
    }

    fn warn_of_failures(&self, count: u64) {
        let consequence = match count {
            MAX_FAILURES => "if the service sent them, it has turned the webhook off".to_owned(),
            _ => format!("after {MAX_FAILURES}, the service turns the webhook off"),
        };
        let count_of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        let suspicion = match (count_of(&counts.verified), count_of(&counts.unauthorized)) {
            (0, 1..) => "; none has succeeded so far, so check the secret",
            _ => "",
        };
        self.output.warn(&format!(
            "{count} consecutive deliveries have failed; {consequence}{suspicion}"
        ));
    }

    /// Prints the totals.
    pub(super) fn end(&self) {
        let Self { output, counts, .. } = self;
        let counts = [&counts.verified, &counts.rejected, &counts.dropped];
        let [verified, rejected, dropped] = counts.map(|count| count.load(Ordering::Relaxed));
        if dropped > 0 {
            output.warn(&format!(
                "{dropped} deliveries were not printed: stdout was blocked"
            ));
        }
        if !output.quiet {
            output.status(&format!("ended: {verified} verified, {rejected} rejected"));
        }
    }
}

//! Prints deliveries, on a thread of its own, since stdout may be blocked.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::sync::mpsc::Receiver;

use super::event::Event;
use super::handler::{Counts, Message, Queued};
use crate::outcome::Result;
use crate::output::Output;

/// The minimum time between lines about lost deliveries.
const LOSS_INTERVAL: Duration = Duration::from_secs(1);

/// A printer of messages.
pub(super) struct Reporter<'o> {
    pub(super) output: &'o Output,
    pub(super) prints_payloads: bool,
    pub(super) counts: Arc<Counts>,
}

impl Reporter<'_> {
    /// Prints the messages of a queue. Notifies `stop` if stdout is closed or cannot be written.
    pub(super) fn print(
        &self,
        mut messages: Receiver<Queued<Message>>,
        stop: &Notify,
    ) -> Result<()> {
        let mut result = Ok(());
        let (mut warned_at, mut warned_of) = (Instant::now(), 0);
        while let Some((message, _permit)) = messages.blocking_recv() {
            let printed = match message {
                Message::Delivered(event) => self.print_event(&event),
                Message::Warning(warning) => {
                    self.output.warn(&warning);
                    continue;
                }
            };
            if !matches!(printed, Ok(ControlFlow::Continue(()))) {
                stop.notify_one();
            }
            result = result.and(printed.map(drop));
            let lost = self.counts.lost.load(Ordering::Relaxed);
            if lost > warned_of && warned_at.elapsed() >= LOSS_INTERVAL {
                self.output.warn(&loss(lost));
                (warned_at, warned_of) = (Instant::now(), lost);
            }
        }
        result
    }

    fn print_event(&self, event: &Event) -> Result<ControlFlow<()>> {
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

    /// Prints what the command waits for when it ends.
    pub(super) fn wait(&self) {
        let what = match self.counts.waiting.load(Ordering::Relaxed) {
            0 => "stdout and deliveries in progress".to_owned(),
            count => format!("{count} deliveries to be forwarded"),
        };
        let note = format!("waiting for {what}; press Ctrl-C to exit at once");
        self.output.note(&note);
    }

    /// Prints the totals.
    pub(super) fn end(&self) {
        let Self { output, counts, .. } = self;
        let counts = [&counts.verified, &counts.rejected, &counts.lost];
        let [verified, rejected, lost] = counts.map(|count| count.load(Ordering::Relaxed));
        if lost > 0 {
            output.warn(&loss(lost));
        }
        if !output.quiet {
            output.status(&format!("ended: {verified} verified, {rejected} rejected"));
        }
    }
}

fn loss(count: u64) -> String {
    format!(
        "{count} deliveries were not printed or not forwarded: stdout or the receiver is too slow"
    )
}

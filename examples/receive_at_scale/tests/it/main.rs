//! Against a real broker.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod answers;
mod crashes;

use std::io::{self, Write};

use receive_at_scale::TrialBroker;

/// A broker, or word that there is none on this machine.
async fn start_broker() -> Option<TrialBroker> {
    let broker = TrialBroker::start().await.unwrap();
    if broker.is_none() {
        // Not with `eprintln!`, whose text is shown for tests that fail and for no other.
        let told = "skipped: there is no nats-server here; install it, or name it in NATS_SERVER\n";
        io::stderr().write_all(told.as_bytes()).unwrap();
    }
    broker
}

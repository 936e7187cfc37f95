//! Against a real broker.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod answers;
mod crashes;

use receive_at_scale::TrialBroker;

/// A broker, or word that there is none on this machine.
async fn start_broker() -> Option<TrialBroker> {
    let broker = TrialBroker::start().await.unwrap();
    if broker.is_none() {
        eprintln!("skipped: there is no nats-server here; install it, or name it in NATS_SERVER");
    }
    broker
}

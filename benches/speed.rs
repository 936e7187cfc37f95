//! Instructions per call and per client, and calls per second, compared with the same written by
//! hand.
//!
//! `cargo bench -p benches --bench speed` prints the table. It needs Valgrind: the program runs
//! itself under `valgrind --tool=callgrind` with two numbers of calls, and divides the difference
//! by the additional calls. The service runs in another process, which is not counted.

#![allow(clippy::print_stdout, reason = "this program prints a table")]

mod calls;
mod canned_service;
mod hand_written;

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use crate::calls::{Called, Caller};

const IN_FLIGHT: usize = 64;
const CALLS_IN_A_ROUND: usize = IN_FLIGHT * 20;
const ROUNDS: usize = 20;
const PAIRS_OF_CLIENTS: usize = 10;

fn main() {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve"] => serve(),
        ["throughput"] => print_throughput(&Service::start()),
        ["call", caller, called, times, in_flight, base_url] => {
            let number = |word: &str| word.parse().expect("a number");
            call(caller, called, number(times), number(in_flight), base_url);
        }
        _ => print_table(),
    }
}

fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    println!("http://{}", listener.local_addr().expect("an address"));
    canned_service::serve(&listener);
}

/// Creates a client and makes this number of calls in this number of tasks, or creates this number of clients for further
/// accounts. For `client` and 0, does nothing.
fn call(caller: &str, called: &str, times: usize, in_flight: usize, base_url: &str) {
    if (called, times) == ("client", 0) {
        return;
    }
    let caller = match caller {
        "sdk" => Caller::sdk(base_url),
        _ => Caller::hand(base_url),
    };
    let called = match called {
        "client" => return,
        "account" => {
            return (0..times).for_each(|_| drop(black_box(caller.another_account())));
        }
        "me" => Called::Me,
        _ => Called::Statistics,
    };
    runtime().block_on(call_in_tasks(&caller, called, times, in_flight));
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

fn print_table() {
    let service = Service::start();
    println!("| measure | hand-written | profile-sdk | ratio |");
    println!("|---|---|---|---|");
    for (name, called, few, many, in_flight) in [
        ("`GET /me`, 20 links", "me", 100, 300, 1),
        ("`GET /me`, 64 in flight", "me", 640, 1920, IN_FLIGHT),
        ("statistics, 365 days", "statistics", 20, 60, 1),
        (
            "statistics, 64 in flight",
            "statistics",
            128,
            384,
            IN_FLIGHT,
        ),
        ("client", "client", 0, 1, 1),
        ("further account", "account", 10, 110, 1),
    ] {
        let count = |caller| {
            let more = service.instructions(caller, called, many, in_flight);
            let less = service.instructions(caller, called, few, in_flight);
            (more - less) as f64 / (many - few) as f64
        };
        print_row(
            &format!("instructions per {name}"),
            count("hand"),
            count("sdk"),
        );
    }
    print_throughput(&service);
}

fn print_throughput(service: &Service) {
    for (name, called) in [
        ("`GET /me`", Called::Me),
        ("statistics", Called::Statistics),
    ] {
        let rounds = service.rounds(called);
        let calls = CALLS_IN_A_ROUND as f64;
        let hand = calls / median(rounds.iter().map(|round| round.hand.elapsed));
        let ratio = median(
            rounds
                .iter()
                .map(|round| round.hand.elapsed / round.sdk.elapsed),
        );
        print_row(
            &format!("{name} per second, 64 in flight"),
            hand,
            hand * ratio,
        );
        let hand = median(rounds.iter().map(|round| round.hand.cpu)) / calls;
        let ratio = median(rounds.iter().map(|round| round.sdk.cpu / round.hand.cpu));
        let name = format!("CPU nanoseconds per {name}, 64 in flight");
        print_row(&name, hand, hand * ratio);
    }
}

fn print_row(name: &str, hand: f64, sdk: f64) {
    println!("| {name} | {hand:.0} | {sdk:.0} | {:.3} |", sdk / hand);
}

/// The canned service in a separate process, which ends with this one.
struct Service {
    child: Child,
    base_url: String,
}

impl Service {
    fn start() -> Self {
        let mut child = Command::new(this_program())
            .arg("serve")
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let output = child.stdout.take().expect("stdout is piped");
        let mut base_url = String::new();
        let read = BufReader::new(output).read_line(&mut base_url);
        read.expect("the service prints its URL");
        let base_url = base_url.trim_end().to_owned();
        Self { child, base_url }
    }

    /// Returns the number of instructions that this program executes for this number of calls.
    fn instructions(&self, caller: &str, called: &str, times: usize, in_flight: usize) -> u64 {
        let [times, in_flight] = [times, in_flight].map(|number| number.to_string());
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(this_program())
            .args(["call", caller, called, &times, &in_flight, &self.base_url])
            .output()
            .expect("valgrind is installed");
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{report}");
        report
            .lines()
            .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
            .expect("callgrind prints the number of instructions")
    }

    /// Measures many short rounds, alternating between the two clients, so that other load on the
    /// machine affects both equally. Replaces the clients now and then, because memory layout
    /// affects speed.
    fn rounds(&self, called: Called) -> Vec<Round> {
        let runtime = runtime();
        let mut rounds = Vec::new();
        for _ in 0..PAIRS_OF_CLIENTS {
            let hand = Caller::hand(&self.base_url);
            let sdk = Caller::sdk(&self.base_url);
            let time = |caller| runtime.block_on(time_round(caller, called));
            // Connect first.
            time(&hand);
            time(&sdk);
            rounds.extend((0..ROUNDS).map(|round| {
                let before = (round % 2 == 0).then(|| time(&hand));
                let sdk = time(&sdk);
                let hand = before.unwrap_or_else(|| time(&hand));
                Round { hand, sdk }
            }));
        }
        rounds
    }
}

/// The times of one round for both clients.
struct Round {
    hand: Time,
    sdk: Time,
}

struct Time {
    /// Wall-clock time in seconds.
    elapsed: f64,
    /// CPU time of the client in nanoseconds.
    cpu: f64,
}

impl Drop for Service {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn this_program() -> PathBuf {
    env::current_exe().expect("the path of this program")
}

async fn time_round(caller: &Caller, called: Called) -> Time {
    let (start, cpu) = (Instant::now(), cpu_nanoseconds());
    call_in_tasks(caller, called, CALLS_IN_A_ROUND, IN_FLIGHT).await;
    Time {
        elapsed: start.elapsed().as_secs_f64(),
        cpu: cpu_nanoseconds() - cpu,
    }
}

/// Makes this number of calls, at most `in_flight` at once.
async fn call_in_tasks(caller: &Caller, called: Called, times: usize, in_flight: usize) {
    let tasks: Vec<_> = (0..in_flight)
        .map(|_| {
            let caller = caller.clone();
            tokio::spawn(async move {
                for _ in 0..times / in_flight {
                    caller.call(called).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("every call succeeds");
    }
}

/// Returns the CPU time of this thread, which runs the whole client.
fn cpu_nanoseconds() -> f64 {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux with procfs");
    let cpu = schedstat
        .split(' ')
        .next()
        .and_then(|time| time.parse().ok());
    cpu.expect("a number")
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

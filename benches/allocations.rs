//! Allocations per call, compared with the same call written by hand.
//!
//! `cargo bench -p benches --bench allocations` prints the table. Counts the allocations of one
//! thread, which runs the client and its connection; the service runs on other threads.

#![allow(clippy::print_stdout, reason = "this program prints a table")]

mod calls;
mod canned_service;
mod hand_written;

use std::net::TcpListener;
use std::thread;

use allocation_counter::AllocationInfo;
use tokio::runtime::{Builder, Runtime};

use crate::calls::{Called, Caller};

const CALLS: u64 = 200;

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || canned_service::serve(&listener));
    let base_url = format!("http://{address}");
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");

    println!("| per call | hand-written | profile-sdk |");
    println!("|---|---|---|");
    for (name, called) in [
        ("`GET /me`, 20 links", Called::Me),
        ("statistics, 365 days", Called::Statistics),
    ] {
        let hand = count(&runtime, &Caller::hand(&base_url), called);
        let sdk = count(&runtime, &Caller::sdk(&base_url), called);
        println!(
            "| allocations, {name} | {} | {} |",
            hand.count_total / CALLS,
            sdk.count_total / CALLS
        );
        println!(
            "| bytes allocated, {name} | {} | {} |",
            hand.bytes_total / CALLS,
            sdk.bytes_total / CALLS
        );
    }
    let [hand, sdk] = [Caller::hand(&base_url), Caller::sdk(&base_url)].map(|caller| {
        let keep = || std::mem::forget(caller.another_account());
        allocation_counter::measure(keep).bytes_current
    });
    println!("| bytes kept per further account | {hand} | {sdk} |");
}

fn count(runtime: &Runtime, caller: &Caller, called: Called) -> AllocationInfo {
    let call = |times| {
        runtime.block_on(async {
            for _ in 0..times {
                caller.call(called).await;
            }
        });
    };
    // Connect first.
    call(10);
    allocation_counter::measure(|| call(CALLS))
}

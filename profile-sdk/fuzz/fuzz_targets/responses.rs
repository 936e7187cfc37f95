//! Checks that no response body causes a panic, and that decoded values can be serialized and
//! decoded again.
//!
//! Run with a nightly compiler, from the root: `scripts/fuzz 60 responses`

#![no_main]

#[path = "../../tests/it/calls.rs"]
mod calls;
#[path = "../../tests/it/canned_client.rs"]
mod canned_client;

use canned_client::CannedClient;
use libfuzzer_sys::fuzz_target;

thread_local! {
    static CLIENT: CannedClient = CannedClient::new();
}

fuzz_target!(|body: &[u8]| CLIENT.with(|client| client.check_every_call(body)));

//! Checks that no response body causes a panic, and that decoded values can be serialized and
//! decoded again.
//!
//! Run with a nightly compiler, from the root: `scripts/fuzz 60 responses`

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| profile_sdk::decode_as_every_type(body));

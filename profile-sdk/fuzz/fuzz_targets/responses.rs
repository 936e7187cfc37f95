//! No answer makes any call panic, and what was read can be written and reads again.
//!
//! From the root, with a nightly compiler: `scripts/fuzz 60 responses`

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| profile_sdk::decode_as_every_type(body));

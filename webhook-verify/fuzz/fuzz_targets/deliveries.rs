//! Nothing panics, and nothing but the true digest is accepted.
//!
//! From the root, with a nightly compiler:
//! `cd webhook-verify && cargo +nightly fuzz run deliveries -- -runs=1000000`

#![no_main]

use libfuzzer_sys::fuzz_target;
use webhook_verify::{DigestEncoding, Headers, Secret, Verifier, explain, sign_as};

// The first byte chooses; a zero byte divides signature, event and body.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut parts = rest.splitn(3, |&byte| byte == 0);
    let [given, event, body] = [(); 3].map(|()| parts.next().unwrap_or_default());

    let encoding = match choice & 1 {
        0 => DigestEncoding::Hex,
        _ => DigestEncoding::Base64,
    };
    let secret = Secret::new("the secret of the fuzzer").expect("it is well formed");
    let truth = sign_as(encoding, &secret, body);
    // Half of the inputs are the true signature with a few bytes changed.
    let signature = match choice & 2 {
        0 => given.to_vec(),
        _ => changed(truth.as_bytes(), given),
    };
    let is_true = match encoding {
        DigestEncoding::Hex => {
            signature.starts_with(b"sha256=") && signature.eq_ignore_ascii_case(truth.as_bytes())
        }
        _ => signature == truth.as_bytes(),
    };

    let verifier = Verifier::new(secret).encoding(encoding);
    let headers = Headers::from_values([&signature[..]], [event]);
    let verified = verifier.verify(headers, body);
    assert_eq!(verified.is_ok(), is_true);
    if let Ok(verified) = verified {
        let _ = verified.event_kind();
        let _ = verified.confirm_kind_in("type");
    }
    assert_eq!(
        in_chunks(&verifier, headers, body, usize::from(choice >> 2) + 1),
        is_true
    );
    let explanation = explain(headers, body, [event]);
    let _ = format!("{explanation} {explanation:?}");
});

/// Each pair of bytes in `changes` is a position and what is added to the byte there.
fn changed(signature: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut changed = signature.to_vec();
    for change in changes.chunks_exact(2) {
        let position = usize::from(change[0]) % changed.len();
        changed[position] = changed[position].wrapping_add(change[1]);
    }
    changed
}

fn in_chunks(verifier: &Verifier, headers: Headers<'_>, body: &[u8], length: usize) -> bool {
    let Ok(mut streaming) = verifier.start(headers, Some(body.len() as u64)) else {
        return false;
    };
    body.chunks(length)
        .for_each(|chunk| streaming.update(chunk).expect("it is short"));
    streaming.finish().is_ok()
}

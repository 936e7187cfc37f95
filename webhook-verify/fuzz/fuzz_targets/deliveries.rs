//! Verification does not panic, and accepts only the correct digest.
//!
//! From the root, with a nightly compiler:
//! `cd webhook-verify && cargo +nightly fuzz run deliveries -- -runs=1000000`

#![no_main]

use libfuzzer_sys::fuzz_target;
use webhook_verify::{
    DigestEncoding, EVENT_HEADER, Headers, SIGNATURE_HEADER, Secret, Verifier, explain, sign_as,
};

// The first byte selects options; zero bytes separate signature, event and body.
fuzz_target!(|input: &[u8]| {
    let Some((&options, rest)) = input.split_first() else {
        return;
    };
    let mut parts = rest.splitn(3, |&byte| byte == 0);
    let [given, event, body] = [(); 3].map(|()| parts.next().unwrap_or_default());

    let encoding = match options & 1 {
        0 => DigestEncoding::Hex,
        _ => DigestEncoding::Base64,
    };
    let secret = Secret::new("the secret of the fuzzer").expect("the secret is valid");
    let correct = sign_as(encoding, &secret, body);
    // Half of the inputs are the correct signature with a few bytes changed.
    let signature = match options & 2 {
        0 => given.to_vec(),
        _ => changed(correct.as_bytes(), given),
    };
    let is_correct = match encoding {
        DigestEncoding::Hex => {
            signature.starts_with(b"sha256=") && signature.eq_ignore_ascii_case(correct.as_bytes())
        }
        _ => signature == correct.as_bytes(),
    };

    let verifier = Verifier::new(secret).encoding(encoding);
    let headers = Headers::new([(SIGNATURE_HEADER, &signature[..]), (EVENT_HEADER, event)]);
    let verified = verifier.verify(headers, body);
    assert_eq!(verified.is_ok(), is_correct);
    if let Ok(verified) = verified {
        let _ = verified.event_kind();
        let _ = verified.confirm_kind_in("type");
    }
    assert_eq!(
        in_chunks(&verifier, headers, body, usize::from(options >> 2) + 1),
        is_correct
    );
    let explanation = explain(encoding, headers, body, [event]);
    let _ = format!("{explanation} {explanation:?}");
});

/// Changes bytes of the signature: each pair in `changes` is a position and a number to add.
fn changed(signature: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut changed = signature.to_vec();
    for change in changes.chunks_exact(2) {
        let position = usize::from(change[0]) % changed.len();
        changed[position] = changed[position].wrapping_add(change[1]);
    }
    changed
}

fn in_chunks(verifier: &Verifier, headers: Headers<'_>, body: &[u8], length: usize) -> bool {
    let Ok(mut stream) = verifier.start(headers, Some(body.len() as u64)) else {
        return false;
    };
    body.chunks(length)
        .for_each(|chunk| stream.update(chunk).expect("the body is below the limit"));
    stream.finish().is_ok()
}

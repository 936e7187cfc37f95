//! Signs a delivery, as the service does, and verifies it and a forged one.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::error::Error;

use webhook_verify::{EVENT_HEADER, Headers, SIGNATURE_HEADER, Secret, Verifier, sign};

fn main() -> Result<(), Box<dyn Error>> {
    let secret = Secret::new("the secret that you and the service share")?;
    let body = r#"{"type":"follow.created","data":{"by":"grace"}}"#;
    let signature = sign(&secret, body);
    let verifier = Verifier::new(secret);

    let headers = Headers::new([
        (SIGNATURE_HEADER, signature.as_str()),
        (EVENT_HEADER, "follow.created"),
    ]);
    let verified = verifier.verify(headers, body)?;
    println!("genuine: {:?}", verified.event_kind());

    match verifier.verify(headers, body.replace("grace", "mallory")) {
        Ok(_) => return Err("a forged body was accepted".into()),
        Err(error) => println!("rejected: {error}"),
    }
    Ok(())
}

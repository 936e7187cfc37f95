//! `profile webhook verify` and `profile webhook sign`.

use std::path::Path;

use expect_test::expect;

use super::{BODY, SIGNATURE, file, home, webhook};
use crate::program::Run;

#[track_caller]
fn sign(home: &Path, body: &str, further: &[&str]) -> String {
    let sign = [&["sign", "--body", body], further].concat();
    webhook(home, &sign).run().stdout().trim_end().to_owned()
}

#[track_caller]
fn verify(home: &Path, body: &str, signature: &str, further: &[&str]) -> Run {
    let verify = ["verify", "--body", body, "--signature", signature];
    webhook(home, &[&verify, further].concat()).run()
}

#[test]
fn verifies_a_signature() {
    let home = home();
    assert_eq!(super::sign(home.path(), BODY.as_bytes()), SIGNATURE);
    let (_, body) = file(home.path(), "body", BODY);
    let signed = webhook(home.path(), &["sign", "--body", &body, "--json"]).run();
    assert_eq!(signed.json()["signature"], SIGNATURE);

    let verify = |further: &[&str]| verify(home.path(), &body, SIGNATURE, further);
    verify(&[]).check(&expect![[r#"
        exit 0
        --- stdout
        The signature matches the body (length 13).
        --- stderr
    "#]]);
    verify(&["--json"]).check(&expect![[r#"
        exit 0
        --- stdout
        {"bytes":13,"event":null,"verified":true}
        --- stderr
    "#]]);
}

#[test]
fn accepts_base64_on_request() {
    let home = home();
    let (_, body) = file(home.path(), "body", b"\xff\x00\n");
    let base64 = ["--encoding", "base64"];
    let signature = sign(home.path(), &body, &base64);
    verify(home.path(), &body, &signature, &base64).stdout();
    let rejected = verify(home.path(), &body, &signature, &[]);
    rejected.check(&expect![[r#"
        exit 10
        --- stdout
        --- stderr
        error: not verified: X-Service-Signature contains a base64 digest, expected hex; if the service uses base64, add --encoding base64
        hint: add --explain to find the probable reason
    "#]]);
    let explain = ["--explain", "--encoding", "base64"];
    let rejected = verify(home.path(), &body, &sign(home.path(), &body, &[]), &explain);
    rejected.says("\nhint: the delivery would verify with secret 1 if the receiver accepted hex\n");
}

#[test]
fn rejects_and_explains_a_mismatch() {
    let home = home();
    let (_, body) = file(home.path(), "body", format!("{BODY}\n"));
    let verify = |further: &[&str]| verify(home.path(), &body, SIGNATURE, further);
    verify(&[]).check(&expect![[r#"
        exit 10
        --- stdout
        --- stderr
        error: not verified: X-Service-Signature does not match the body (length 14) and the secret
        hint: check the secret, and that the body is unchanged; add --explain to find the probable reason
    "#]]);
    verify(&["--explain"]).check(&expect![[r#"
        exit 10
        --- stdout
        --- stderr
        error: not verified: X-Service-Signature does not match the body (length 14) and the secret
        hint: the delivery would verify with secret 1 if the body did not end with a newline
    "#]]);
    let json = verify(&["--json"]);
    assert_eq!(json.error()["code"], "mismatch");
    assert_eq!(json.error()["exit_code"], 10);
}

#[test]
fn rejects_a_malformed_signature() {
    let home = home();
    let (_, body) = file(home.path(), "body", BODY);
    let upper = SIGNATURE.replace("sha256", "SHA256");
    let spaced = format!(" {SIGNATURE}");
    for signature in ["", "-", "sha256=00", "sha1=00", &upper, &spaced] {
        let rejected = verify(home.path(), &body, signature, &[]);
        assert_eq!(rejected.code(), 10, "{rejected}");
        let hint = "hint: add --explain to find the probable reason\n";
        assert!(rejected.stderr().ends_with(hint), "{rejected}");
    }
}

#[test]
fn an_explanation_never_repeats_the_message() {
    let home = home();
    let (_, body) = file(home.path(), "body", BODY);
    let explain = |signature: &str| verify(home.path(), &body, signature, &["--explain"]);
    let without_prefix = explain(&SIGNATURE.replace("sha256=", ""));
    without_prefix.says("\nhint: the delivery would verify ");
    assert!(!explain("sha256=00").stderr().contains("hint: "));
}

#[test]
fn compares_the_kind_with_the_body() {
    let home = home();
    let (_, body) = file(home.path(), "body", r#"{"type":"post.liked"}"#);
    let signature = sign(home.path(), &body, &[]);
    let verify = |kind| verify(home.path(), &body, &signature, &["--event", kind]);
    assert_eq!(verify("post.liked").stderr(), "");
    verify("follow.created").check(&expect![[r#"
        exit 0
        --- stdout
        The signature matches the body (length 21).
        --- stderr
        warning: X-Service-Event, which is not signed, is follow.created, but the signed body has the type post.liked
    "#]]);
    for odd in [
        r"post\ud83d",
        r"post.liked\ud83d",
        "post\u{fffd}",
        "two words",
        "",
    ] {
        let (_, body) = file(home.path(), "odd", format!(r#"{{"type":"{odd}"}}"#));
        let signature = sign(home.path(), &body, &[]);
        let run = self::verify(home.path(), &body, &signature, &["--event", "post.liked"]);
        let warning = "is post.liked, but the signed body has a type that is not an event kind\n";
        assert!(run.stderr().ends_with(warning), "{odd}: {run}");
    }
    verify("two words").check(&expect![[r#"
        exit 0
        --- stdout
        The signature matches the body (length 21).
        --- stderr
        warning: the event kind has byte 0x20 at position 3 (counted from 0); expected visible ASCII characters, as in post.liked
    "#]]);
}

#[test]
fn a_usage_error_is_not_a_mismatch() {
    let home = home();
    for body in ["none", ""] {
        let rejected = verify(home.path(), body, SIGNATURE, &[]);
        assert_eq!(rejected.code(), 2, "{rejected}");
    }
    let without = webhook(home.path(), &["verify", "--body", "-"]).run();
    assert_eq!(without.code(), 2, "{without}");
}

//! Sources of the webhook secret, which never appears in any output.

use std::path::Path;

use expect_test::expect;

use super::listener::Listener;
use super::{BODY, SECRET, SIGNATURE, file, home};
use crate::program::{Program, Run};

#[track_caller]
fn sign(home: &Path, environment: &[(&str, &str)]) -> Run {
    let program = Program::new(home, &["webhook", "sign", "--body", "-"]);
    program.stdin(BODY).envs(environment).run()
}

/// Signs with the secret in a file of these bytes.
#[track_caller]
fn sign_with_file(home: &Path, bytes: impl AsRef<[u8]>) -> Run {
    let (_, name) = file(home, "secret", bytes);
    sign(home, &[("PROFILE_WEBHOOK_SECRET_FILE", &name)])
}

#[test]
fn removes_one_line_break_at_the_end_of_the_file() {
    let home = home();
    for end in ["", "\n", "\r\n"] {
        let run = sign_with_file(home.path(), format!("{SECRET}{end}"));
        let expected = format!("exit 0\n--- stdout\n{SIGNATURE}\n--- stderr\n");
        assert_eq!(run.to_string(), expected);
    }
    let run = sign_with_file(home.path(), format!("{SECRET}\n\n"));
    assert_eq!(run.code(), 2, "{run}");
    let marked = format!("\u{feff}{SECRET}");
    let run = sign(home.path(), &[("PROFILE_WEBHOOK_SECRET", &marked)]);
    assert_eq!(run.stdout(), format!("{SIGNATURE}\n"));
    run.says("note: PROFILE_WEBHOOK_SECRET starts with a byte order mark, which is not used\n");
}

#[cfg(unix)]
#[test]
fn warns_of_a_file_that_others_can_read() {
    let home = home();
    let (_, name) = file(home.path(), "secret", SECRET);
    crate::config_owner::set_mode(&name, 0o644);
    let run = sign(home.path(), &[("PROFILE_WEBHOOK_SECRET_FILE", &name)]);
    assert_eq!(run.stdout(), format!("{SIGNATURE}\n"));
    let quoted = crate::program::quoted(&name);
    let expected =
        format!("warning: others can access {name}; restrict it with `chmod 600 {quoted}`\n");
    assert_eq!(run.stderr(), expected);
}

#[test]
fn rejects_a_missing_or_weak_secret() {
    let home = home();
    let variable = "PROFILE_WEBHOOK_SECRET";
    let rejected = [&[][..], &[(variable, "")], &[(variable, " s3cret")]]
        .map(|environment| sign(home.path(), environment).usage_error());
    expect![[r#"
        error: no webhook secret is set
        hint: set PROFILE_WEBHOOK_SECRET, or PROFILE_WEBHOOK_SECRET_FILE to a file that contains it
        error: no webhook secret is set
        hint: set PROFILE_WEBHOOK_SECRET, or PROFILE_WEBHOOK_SECRET_FILE to a file that contains it
        error: the webhook secret in PROFILE_WEBHOOK_SECRET starts or ends with whitespace
        hint: copy it exactly as the service shows it
    "#]]
    .assert_eq(&rejected.concat());
    for (contents, reason) in [
        ("", "PROFILE_WEBHOOK_SECRET_FILE is empty\n"),
        ("\n", "PROFILE_WEBHOOK_SECRET_FILE is empty\n"),
        ("\0", "consists of NUL bytes"),
        (" \t", "consists of whitespace"),
    ] {
        sign_with_file(home.path(), contents).fails(2, reason);
    }
}

#[test]
fn never_prints_the_secret() {
    const CANARY: &str = "canary-5d02c8";
    let home = home();
    let listener = Listener::start_with_secret(home.path(), "other", &["-vv", "--json"]);
    let (_, body) = file(home.path(), "body", CANARY.replace('c', "C"));
    let to = &*listener.url;
    let [send_to, send_nowhere] =
        [to, "http://127.0.0.1:1"].map(|to| ["send", "post.liked", "--to", to, "--data", &body]);
    let verify = ["verify", "--body", &body, "--signature"];
    let commands: [&[&str]; 6] = [
        &["sign", "--body", &body],
        &[&verify[..], &[SIGNATURE, "--explain"]].concat(),
        &[&verify[..], &[CANARY]].concat(),
        &send_to,
        &send_nowhere,
        &["probe", to, "--yes"],
    ];
    for command in commands {
        for end in ["", " ", "é"] {
            let secret = format!("{CANARY}{end}");
            let arguments = [&["webhook"], command, &["-vv"]].concat();
            let program = Program::new(home.path(), &arguments);
            let run = program.env("PROFILE_WEBHOOK_SECRET", secret).run();
            assert!(!run.to_string().contains(CANARY), "{run}");
        }
    }
    let run = listener.stop();
    assert!(!run.to_string().contains(CANARY), "{run}");
}

/// `send` takes the body as a text or with @, the others its path.
#[test]
fn a_body_that_is_given_as_in_another_command_has_a_hint() {
    let home = home();
    let path = home.path().join("body.json");
    std::fs::write(&path, "{}").unwrap();
    let with_at = format!("@{}", path.display());
    let check = |arguments: &[&str], hint: &str| {
        super::webhook(home.path(), arguments).run().fails(2, hint);
    };
    let body = ["--body", &with_at];
    let omit = format!("hint: omit the @: {}", path.display());
    check(&[&["sign"][..], &body].concat(), &omit);
    let verify = ["verify", "--signature", "sha256=00"];
    check(&[&verify[..], &body].concat(), &omit);
}

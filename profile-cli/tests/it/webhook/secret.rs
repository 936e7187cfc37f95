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

#[test]
fn removes_one_line_break_at_the_end_of_the_file() {
    let home = home();
    for end in ["", "\n", "\r\n"] {
        let (path, _) = file(home.path(), "secret", format!("{SECRET}{end}"));
        let run = sign(
            home.path(),
            &[("PROFILE_WEBHOOK_SECRET_FILE", path.to_str().unwrap())],
        );
        assert_eq!(
            run.to_string(),
            format!("exit 0\n--- stdout\n{SIGNATURE}\n--- stderr\n")
        );
    }
    let (path, _) = file(home.path(), "secret", format!("{SECRET}\n\n"));
    let run = sign(
        home.path(),
        &[("PROFILE_WEBHOOK_SECRET_FILE", path.to_str().unwrap())],
    );
    assert_eq!(run.code(), 2, "{run}");
}

#[test]
fn removes_a_byte_order_mark_and_rejects_utf_16() {
    let home = home();
    let of_file = |bytes: Vec<u8>| {
        let (path, _) = file(home.path(), "secret", bytes);
        let name = path.to_str().unwrap().to_owned();
        sign(home.path(), &[("PROFILE_WEBHOOK_SECRET_FILE", &name)])
    };
    let marked = format!("\u{feff}{SECRET}");
    for (source, run) in [
        (
            "PROFILE_WEBHOOK_SECRET_FILE",
            of_file(format!("{marked}\r\n").into_bytes()),
        ),
        (
            "PROFILE_WEBHOOK_SECRET",
            sign(home.path(), &[("PROFILE_WEBHOOK_SECRET", &marked)]),
        ),
    ] {
        let note = format!("note: {source} starts with a byte order mark, which is not used\n");
        assert_eq!(
            run.to_string(),
            format!("exit 0\n--- stdout\n{SIGNATURE}\n--- stderr\n{note}")
        );
    }
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let run = of_file(marked.encode_utf16().flat_map(to_bytes).collect());
        let expected = "error: the webhook secret in PROFILE_WEBHOOK_SECRET_FILE is UTF-16; expected UTF-8\n\
                        hint: save the file as UTF-8\n";
        assert_eq!(run.usage_error(), expected);
    }
}

#[cfg(unix)]
#[test]
fn warns_of_a_file_that_others_can_read() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let home = home();
    let (path, _) = file(home.path(), "secret", SECRET);
    set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let name = path.to_str().unwrap();
    let run = sign(home.path(), &[("PROFILE_WEBHOOK_SECRET_FILE", name)]);
    assert_eq!(run.stdout(), format!("{SIGNATURE}\n"));
    assert_eq!(
        run.stderr(),
        format!(
            "warning: others can access {name}; restrict it with `chmod 600 {}`\n",
            crate::program::quoted(name)
        )
    );
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
        let (path, _) = file(home.path(), "secret", contents);
        let run = sign(
            home.path(),
            &[("PROFILE_WEBHOOK_SECRET_FILE", path.to_str().unwrap())],
        );
        run.fails(2, reason);
    }
}

#[test]
fn never_prints_the_secret() {
    const CANARY: &str = "canary-5d02c8";
    let home = home();
    let listener = Listener::start_with_secret(home.path(), "other", &["-vv", "--json"]);
    let (_, body) = file(home.path(), "body", CANARY.replace('c', "C"));
    let to = listener.url();
    let commands: [&[&str]; 6] = [
        &["sign", "--body", &body],
        &[
            "verify",
            "--body",
            &body,
            "--signature",
            SIGNATURE,
            "--explain",
        ],
        &["verify", "--body", &body, "--signature", CANARY],
        &["send", "post.liked", "--to", to, "--data", &body],
        &[
            "send",
            "post.liked",
            "--to",
            "http://127.0.0.1:1",
            "--data",
            &body,
        ],
        &["probe", to, "--yes"],
    ];
    for command in commands {
        for secret in [
            CANARY.to_owned(),
            format!("{CANARY} "),
            format!("{CANARY}é"),
        ] {
            let arguments = [&["webhook"], command, &["-vv"]].concat();
            let program = Program::new(home.path(), &arguments);
            let run = program.env("PROFILE_WEBHOOK_SECRET", secret).run();
            assert!(!run.to_string().contains(CANARY), "{run}");
        }
    }
    let run = listener.stop();
    assert!(!run.to_string().contains(CANARY), "{run}");
}

/// One command takes the body as a text or with @, the others its path.
#[test]
fn a_body_that_is_given_as_in_another_command_has_a_hint() {
    let home = home();
    let path = home.path().join("body.json");
    std::fs::write(&path, "{}").unwrap();
    let with_at = format!("@{}", path.display());
    let check = |arguments: &[&str], hint: &str| {
        let run = Program::new(home.path(), arguments).env("PROFILE_WEBHOOK_SECRET", "whsec");
        let run = run.run();
        run.fails(2, hint);
    };
    let send = [
        "webhook",
        "send",
        "post.liked",
        "--to",
        "http://127.0.0.1:1",
    ];
    let body = ["--body", &with_at];
    check(&[&send[..], &body].concat(), "'--data'");
    let omit = format!("hint: omit the @: {}", path.display());
    check(&[&["webhook", "sign"][..], &body].concat(), &omit);
    let signature = ["--signature", "sha256=00"];
    let verify = [&["webhook", "verify"], &signature[..]].concat();
    check(&[&verify[..], &body].concat(), &omit);
    check(&[&verify[..], &["--data", &with_at]].concat(), "'--body'");
}

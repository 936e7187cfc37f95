//! `profile auth login` on a terminal: the key is not echoed, and the echo is always restored.

use crate::program::Fixture;
use crate::pseudo_terminal::{END, Terminal};

#[tokio::test(flavor = "multi_thread")]
async fn does_not_echo_the_key() {
    let fixture = Fixture::new().await;
    let mut terminal = Terminal::start(fixture.without_settings(&["auth", "login"]));
    terminal.sees("profiles.example: ");
    terminal.types("\n");
    terminal.sees(" the base URL is empty; expected one such as https://profiles.example\r\n");
    terminal.types(&format!("{}\n", fixture.service.uri()));
    terminal.sees("(not shown): ");
    terminal.types_unseen(&format!("{}\n", fixture.service.key()));
    let shown = terminal.ends_with(0);
    assert!(shown.contains(fixture.service.uri()), "{shown}");
    assert!(!shown.contains(fixture.service.key()), "{shown}");
    let stored = fixture.home.path().join(".config/profile/keys/demo");
    assert!(stored.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistyped_key_is_asked_again() {
    let fixture = Fixture::new().await;
    let mut terminal = Terminal::start(fixture.without_settings(&["auth", "login"]));
    terminal.sees("profiles.example: ");
    terminal.types(&format!("{}\n", fixture.service.uri()));
    let mut times = 1..;
    for (typed, message) in [
        (
            "wrong",
            "the service rejected the API key (401: unknown API key)",
        ),
        ("two words", "API key has whitespace"),
        ("", "API key is empty"),
    ] {
        terminal.sees_times("(not shown): ", times.next().unwrap());
        terminal.types_unseen(&format!("{typed}\n"));
        terminal.sees(message);
    }
    terminal.sees_times("(not shown): ", times.next().unwrap());
    terminal.types_unseen(&format!("{}\n", fixture.service.key()));
    terminal.ends_with(0);

    // The URL of the selected account is the default.
    let mut terminal =
        Terminal::start(fixture.without_settings(&["auth", "login", "--account", "other"]));
    terminal.sees(&format!("Base URL [{}]: ", fixture.service.uri()));
    terminal.types("\n");
    terminal.sees("(not shown): ");
    terminal.types_unseen(&format!("{}\n", fixture.service.key()));
    assert_eq!(terminal.ends().0, Some(0));

    let mut terminal = Terminal::start(fixture.without_settings(&["auth", "switch"]));
    terminal.sees("Account (demo, other): ");
    terminal.types("nobody\n");
    terminal.sees("unknown account \"nobody\"");
    terminal.types("demo\n");
    terminal.sees("Switched to account demo.");
    assert_eq!(terminal.ends().0, Some(0));
}

/// The echo is off before the question is shown, so that a paste or a script cannot be too fast.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_typed_at_once_is_not_shown() {
    let fixture = Fixture::new().await;
    let login = ["auth", "login", "--base-url", fixture.service.uri()];
    let mut terminal = Terminal::start(fixture.without_settings(&login));
    for times in 1..=8 {
        terminal.sees_times("(not shown): ", times);
        terminal.types_unseen(&format!("wrong-{times}\n"));
    }
    terminal.sees_times("(not shown): ", 9);
    terminal.types_unseen(&format!("{}\n", fixture.service.key()));
    let shown = terminal.ends_with(0);
    assert!(!shown.contains(fixture.service.key()), "{shown}");
    assert!(!shown.contains("wrong-"), "{shown}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn restores_the_echo_after_ctrl_c() {
    let fixture = Fixture::new().await;
    let login = ["auth", "login", "--base-url", fixture.service.uri()];
    let mut terminal = Terminal::start(fixture.without_settings(&login));
    terminal.sees("(not shown): ");
    terminal.types_unseen("half a key\u{3}");
    let shown = terminal.ends_with(-2);
    assert!(shown.contains("interrupted; nothing was stored"), "{shown}");
    assert!(!shown.contains("half"), "{shown}");
    assert!(!fixture.home.path().join(".config").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn end_of_input_aborts_the_login() {
    let fixture = Fixture::new().await;
    let with_url = ["--base-url", fixture.service.uri()];
    for (flags, question) in [
        (&[][..], "profiles.example: "),
        (&with_url, "(not shown): "),
    ] {
        let arguments = [&["auth", "login"], flags].concat();
        let mut terminal = Terminal::start(fixture.without_settings(&arguments));
        terminal.sees(question);
        match flags {
            [] => terminal.types(END),
            _ => terminal.types_unseen("\u{4}"),
        }
        terminal.ends_with(130);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_token_rejects_a_terminal() {
    let fixture = Fixture::new().await;
    let login = ["login", "--with-token", "--base-url", fixture.service.uri()];
    let shown = Terminal::start(fixture.without_settings(&login)).ends_with(2);
    let reason = "--with-token cannot read the key from a terminal";
    assert!(shown.contains(reason), "{shown}");
}

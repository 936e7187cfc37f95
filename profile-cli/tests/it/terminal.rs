//! Behavior on a terminal: prompts, colors, widths and Ctrl-C.
#![cfg_attr(windows, allow(unused_imports, reason = "some tests are for Unix"))]

use std::time::Duration;

use expect_test::expect;
use mock_server::dialect::ResourceFields;
use mock_server::journal::RequestPattern;
use mock_server::{Dialect, Fault, FaultRule, MockServer, WireFault};

use crate::edit::changes;
use crate::program::{Fixture, Program, configure};
use crate::pseudo_terminal::{END, Terminal};

/// Returns the number of links of the owner.
#[track_caller]
fn count_links(fixture: &Fixture) -> usize {
    let world = fixture.service.world().unwrap();
    world.account("demo").unwrap().links.len()
}

/// Returns the program of a shell, with the owner's key.
#[cfg(unix)]
pub(crate) fn shell(fixture: &Fixture, shell: &str, commands: &str) -> Program {
    let program = Program::shell(shell, fixture.home.path(), &["-c", commands]);
    let program = program.env("PROFILE_BASE_URL", fixture.service.uri());
    program.env("PROFILE_API_KEY", fixture.service.key())
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_before_deleting() {
    for (answer, code, left) in [
        ("y\n", 0, 1),
        ("yes\n", 0, 1),
        ("n\n", 1, 2),
        ("\n", 1, 2),
        (END, 130, 2),
        // Ctrl-C.
        #[cfg(unix)]
        ("\u{3}", -2, 2),
    ] {
        let fixture = Fixture::new().await;
        let delete = fixture.program(&["link", "delete", "link_1"]);
        let seen = Terminal::answered(delete, "[y/N]", answer).ends_with(code);
        assert_eq!(seen.contains("error:"), code == 130, "{seen}");
        assert_eq!(count_links(&fixture), left, "{seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_changes_during_the_prompt_is_not_deleted() {
    for ids in [&["link_1"][..], &["link_2", "Homepage"]] {
        let fixture = Fixture::new().await;
        let command = [&["link", "delete"], ids].concat();
        let mut terminal = Terminal::start(fixture.program(&command));
        terminal.sees("[y/N]");
        let edit = ["link", "edit", "link_1", "--url", "https://new.example"];
        fixture.run(&edit).stdout();
        terminal.types("y\n");
        let seen = terminal.ends_with(1);
        let changed = "link \"link_1\" has changed meanwhile";
        assert!(seen.contains(changed), "{seen}");
        assert!(seen.contains("https://new.example"), "{seen}");
        assert_eq!(count_links(&fixture), 2, "{seen}");
    }
    // Without an answer from the service, it is unknown whether the link has changed.
    let fixture = Fixture::new().await;
    let mut terminal = Terminal::start(fixture.program(&["link", "delete", "link_1"]));
    terminal.sees("[y/N]");
    let broken = FaultRule::new(Fault::status(400)).times(1);
    fixture.service.add_fault(broken).unwrap();
    terminal.types("y\n");
    let (ended, seen) = terminal.ends();
    assert_ne!(ended, Some(0), "{seen}");
    assert_eq!(count_links(&fixture), 2, "{seen}");
    let mut terminal = Terminal::start(fixture.program(&["link", "delete", "link_1"]));
    terminal.sees("[y/N]");
    let without_links = Fault::status(200).with_body(r#"{"data":{"links":null}}"#);
    let without_links = FaultRule::new(without_links).times(1);
    fixture.service.add_fault(without_links).unwrap();
    terminal.types("y\n");
    let seen = terminal.ends_with(1);
    assert!(seen.contains("does not list your links any more"), "{seen}");
}

/// Screen readers read a line again if it is written again.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_line_of_a_wait_is_written_only_when_it_changes() {
    let fixture = Fixture::new().await;
    let slow = Fault::delay(Duration::from_millis(1500));
    fixture.service.add_fault(FaultRule::new(slow)).unwrap();
    let (_, seen) = Terminal::start(fixture.program(&["site"])).ends();
    assert_eq!(seen.matches("waiting for ").count(), 1, "{seen:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_on_a_dumb_terminal_or_without_color_prints_no_escape_sequences() {
    let fixture = Fixture::new().await;
    let slow = Fault::delay(Duration::from_millis(900));
    fixture.service.add_fault(FaultRule::new(slow)).unwrap();
    for (term, color) in [("dumb", "auto"), ("xterm-256color", "never")] {
        let stats = ["stats", "grace", "--color", color];
        let stats = fixture.program(&stats).env("TERM", term);
        let seen = Terminal::start(stats).ends_with(0);
        assert!(!seen.contains('\u{1b}'), "{seen:?}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_during_a_request_ends_the_program() {
    let hint = "hint:\u{1b}[0m check with `profile post list`";
    let error = "{\"error\":{\"code\":\"interrupted\"";
    for (command, method, path, message) in [
        (&["post", "create", "p"][..], "POST", "/me/posts", hint),
        (&["show", "--json"], "GET", "/me", error),
        // The second request is not sent.
        (&["stats"], "GET", "/me", ""),
    ] {
        let fixture = Fixture::new().await;
        let hangs = FaultRule::new(Fault::Wire(WireFault::Stall { after: 0 }));
        fixture.service.add_fault(hangs.times(1)).unwrap();
        let mut terminal = Terminal::start(fixture.program(command));
        let request = fixture.service.expect(method, path);
        request.arrives(1, Duration::from_secs(10)).await;
        terminal.types("\u{3}");
        let seen = terminal.ends_with(-2);
        assert!(seen.contains(message), "{seen}");
        assert_eq!(fixture.service.journal().requests().len(), 1, "{seen}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_shell_loop() {
    const LOOP: &str = "for id in link_1 link_2; do profile link delete $id $yes; done; echo after";
    const LOGINS: &str = "for id in 1 2; do profile auth login --account $id; done; echo after";
    for shell in ["bash", "sh"] {
        let fixture = Fixture::new().await;
        let program = Program::shell(shell, fixture.home.path(), &["-c", LOGINS]);
        let mut terminal = Terminal::start(program.env("PROFILE_BASE_URL", fixture.service.uri()));
        terminal.sees("(not shown): ");
        terminal.types_unseen("\u{3}");
        let seen = terminal.ends_with(-2);
        let reports = seen.matches("nothing was stored").count();
        assert_eq!(reports, 1, "{shell}: {seen}");
    }
    for (shell, yes, shown) in [
        ("bash", "--yes", "interrupted while a change was being sent"),
        ("sh", "--yes", "interrupted while a change was being sent"),
        ("bash", "", "[y/N]"),
        ("sh", "", "[y/N]"),
    ] {
        let fixture = Fixture::new().await;
        let hangs = FaultRule::new(Fault::Wire(WireFault::Stall { after: 0 }));
        let deletions = RequestPattern::any().method("DELETE");
        let hangs = hangs.matching(deletions);
        fixture.service.add_fault(hangs).unwrap();
        let program = self::shell(&fixture, shell, LOOP).env("yes", yes);
        let mut terminal = Terminal::start(program);
        match yes {
            "" => terminal.sees("[y/N]"),
            _ => {
                let request = fixture.service.expect("DELETE", "/me/links/link_1");
                request.arrives(1, Duration::from_secs(10)).await;
            }
        }
        terminal.types("\u{3}");
        let seen = terminal.ends_with(-2);
        assert_eq!(seen.matches(shown).count(), 1, "{shell}: {seen}");
        assert!(!seen.contains("after\r\n"), "{shell}: {seen}");
        let requests = fixture.service.journal().requests();
        let deletions = requests.iter().filter(|request| request.method == "DELETE");
        assert_eq!(deletions.count(), usize::from(!yes.is_empty()), "{seen}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn uses_color_on_terminals_that_support_it() {
    let fixture = Fixture::new().await;
    for (environment, flags, colors) in [
        (&[][..], &[][..], true),
        (&[("NO_COLOR", "1")], &[], false),
        (&[("NO_COLOR", "")], &[], true),
        (&[("TERM", "dumb")], &[], false),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], &[], true),
        (&[], &["--color", "never"], false),
        (&[("NO_COLOR", "1")], &["--color", "always"], true),
    ] {
        let arguments = [&["show"], flags].concat();
        let show = fixture.program(&arguments).envs(environment);
        let seen = Terminal::start(show).ends_with(0);
        let context = format!("{environment:?} {flags:?}: {seen:?}");
        assert_eq!(seen.contains('\u{1b}'), colors, "{context}");
    }
}

#[tokio::test]
async fn uses_color_in_pipes_if_requested() {
    let fixture = Fixture::new().await;
    for (forced, color, colors) in [
        ("", "auto", false),
        ("", "always", true),
        ("1", "auto", true),
        ("0", "auto", false),
        ("1", "never", false),
    ] {
        let show = fixture.program(&["show", "--output", "table", "--color", color]);
        let run = show.env("CLICOLOR_FORCE", forced).run();
        let context = format!("{forced} {color}: {run}");
        assert_eq!(run.stdout().contains('\u{1b}'), colors, "{context}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_fit_the_terminal() {
    let fixture = Fixture::new().await;
    let title = "a title of many words that does not fit on a line ".repeat(3);
    let add = ["link", "add", &title, "x:y"];
    fixture.run(&add).stdout();
    for (environment, columns, width) in [(&[][..], 60, 60), (&[("COLUMNS", "70")], 80, 70)] {
        let list = fixture.program(&["link", "list"]).envs(environment);
        let seen = Terminal::of_size(24, columns, list).ends_with(0);
        let widest = seen.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{seen}");
        assert!(widest > Some(width - 10), "{seen}");
    }
    let of_unknown_rows = Terminal::of_size(0, 60, fixture.program(&["link", "list"]));
    let (_, seen) = of_unknown_rows.ends();
    let mut lines = seen.lines();
    assert!(lines.all(|line| line.chars().count() <= 60), "{seen}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn usage_errors_are_colored() {
    let fixture = Fixture::new().await;
    let red = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m";
    for (arguments, is_colored) in [
        (&["stats", "--days", "-3"][..], true),
        (&["stats", "--dayz"], true),
        (&["stats", "--dayz", "--color", "never"], false),
        (&["--color=never", "stats", "--dayz"], false),
        (&["show", "--sandbox", "--base-url", "x"], true),
        (
            &["show", "--sandbox", "--base-url=x", "--color=never"],
            false,
        ),
    ] {
        let seen = Terminal::start(fixture.program(arguments)).ends_with(2);
        assert_eq!(seen.contains(red), is_colored, "{arguments:?}: {seen:?}");
    }
}

/// Runs the program on a terminal with this number of columns, and returns its lines.
#[track_caller]
fn lines(fixture: &Fixture, columns: u16, arguments: &[&str]) -> String {
    let program = fixture.program(arguments).env("NO_COLOR", "1");
    let seen = Terminal::of_size(24, columns, program).ends_with(0);
    seen.replace("\r\n", "\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_longest_column_is_cut_and_posts_are_wrapped() {
    let fixture = Fixture::new().await;
    expect![[r#"
        id      title     url
        link_1  Homepage  https://example.c…
        link_2  Code      https://example.c…
    "#]]
    .assert_eq(&lines(&fixture, 36, &["link", "list"]));
    expect![[r#"
        id      body                  created_at
        post_3  Hello from the mock   2025-01-15T09:00:00Z
                server!
    "#]]
    .assert_eq(&lines(&fixture, 50, &["post", "list"]));
    for columns in [80, 200] {
        let whole = "\npost_3  Hello from the mock server!  2025-01-15T09:00:00Z\n";
        assert!(lines(&fixture, columns, &["post", "list"]).ends_with(whole));
    }
    // A line break in a title does not break the line.
    let url = format!("https://example.com/{}", "path/".repeat(20));
    let add = ["link", "add", "Two\nlines", &url];
    fixture.run(&add).stdout();
    let listed = lines(&fixture, 80, &["link", "list"]);
    assert_eq!(listed.lines().count(), 4, "{listed}");
    let line = "Two lines  https://example.com/path/";
    assert!(listed.contains(line), "{listed}");
    assert!(listed.contains("…\n"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_shown_with_the_old_values() {
    let broken =
        r#"{"match": {"method": "GET"}, "fault": {"status": {"status": 503, "body": ""}}}"#;
    let location = "location\n  - 127.0.0.1\n  + Oslo\nThe service accepted the change.\n";
    let title = "title\n  - Homepage\n  + Home\nThe service accepted the change.\n";
    let unread =
        "note: the old values could not be read: the service failed (503)\nlocation  Oslo\n";
    for (command, faults, expected) in [
        ("edit", "[]", location),
        ("set --location Oslo", "[]", location),
        ("set --location Oslo", broken, unread),
        ("link edit link_1 --title Home", "[]", title),
    ] {
        let fixture = Fixture::new().await;
        let editor = changes(0, |text| text.replace("127.0.0.1", "Oslo"));
        configure(fixture.home.path(), &format!("editor = {editor:?}"));
        fixture.add_faults(faults);
        let command: Vec<_> = command.split(' ').collect();
        assert_eq!(lines(&fixture, 80, &command), expected, "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_editor_is_not_started_if_stdin_is_no_terminal() {
    let fixture = Fixture::new().await;
    let mut edit = fixture.program(&["edit"]);
    edit.null_stream = Some(0);
    let seen = Terminal::start(edit).ends_with(2);
    let message = "the default editor needs a terminal";
    assert!(seen.contains(message), "{seen}");
}

/// Another process may hold the lock for long.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_for_a_lock_is_reported_and_interrupted() {
    let fixture = Fixture::new().await;
    let (uri, key) = (fixture.service.uri(), fixture.service.key());
    fixture.log_in_to(uri, key, &[]).stdout();
    fixture
        .without_settings(&["--sandbox", "show"])
        .run()
        .stdout();
    for (lock, command) in [
        (".config/profile/config.lock", "config set retries 1"),
        (".config/profile/config.lock", "auth logout -y"),
        (".local/state/profile/sandbox.json.lock", "--sandbox show"),
        (".local/state/profile/sandbox.json.lock", "sandbox reset -y"),
    ] {
        let lock = std::fs::File::open(fixture.home.path().join(lock)).unwrap();
        lock.lock().unwrap();
        let command: Vec<_> = command.split(' ').collect();
        let program = fixture.without_settings(&command);
        let wait = "lock, which another process has locked";
        let seen = Terminal::answered(program, wait, "\u{3}").ends_with(-2);
        assert!(!seen.contains("error:"), "{seen}");
    }
    let config = fixture.home.path().join(".config/profile/config.toml");
    let config = std::fs::read_to_string(config).unwrap();
    assert!(config.contains("[accounts.demo]"), "{config}");
    assert!(!config.contains("retries"), "{config}");
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_columns_and_fields_are_omitted() {
    let mut dialect = Dialect::default();
    dialect.resource_fields = ResourceFields::Bare;
    let builder = MockServer::builder().dialect(dialect);
    let fixture = Fixture::of(builder.start().await.unwrap());
    let created = lines(&fixture, 80, &["post", "create", "Hello"]);
    assert_eq!(created, "id    post_6\nbody  Hello\n");
    let listed = lines(&fixture, 80, &["post", "list"]);
    assert!(!listed.contains("created_at"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bars_do_not_grow_beyond_100_columns() {
    let fixture = Fixture::new().await;
    let widest = |columns, arguments: &[&str]| {
        let drawn = lines(&fixture, columns, &[&["stats"], arguments].concat());
        drawn.lines().map(|line| line.chars().count()).max()
    };
    for (columns, expected) in [(40, 40), (80, 80), (100, 100), (200, 100)] {
        assert_eq!(widest(columns, &[]), Some(expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_indented_on_a_terminal_only() {
    let fixture = Fixture::new().await;
    let shown = Terminal::start(fixture.program(&["site", "--json"])).ends_with(0);
    let plain = shown.replace("\r\n", "\n");
    let bold = if cfg!(windows) { "" } else { "\u{1b}[1m" };
    assert!(
        plain.starts_with(&format!("{{\n  {bold}\"users\"")),
        "{shown:?}"
    );
    assert_eq!(plain.lines().count(), 5, "{shown:?}");
    let piped = fixture.run(&["site", "--json"]);
    assert_eq!(piped.stdout().lines().count(), 1);
    for (arguments, depth) in [(&["api", "stats"][..], 2), (&["site", "--jq", "."], 1)] {
        let (_, shown) = Terminal::start(fixture.program(arguments)).ends();
        let name = format!("\r\n{}{bold}\"users\"", "  ".repeat(depth));
        assert!(shown.contains(&name), "{shown:?}");
        assert!(!fixture.run(arguments).stdout().trim_end().contains('\n'));
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_is_shown_and_cleared() {
    let fixture = Fixture::new().await;
    let limited = FaultRule::new(Fault::rate_limited("2")).times(1);
    fixture.service.add_fault(limited).unwrap();
    let mut terminal = Terminal::start(fixture.program(&["site", "-o", "tsv"]));
    terminal.sees("rate limited, retrying in ");
    let shown = terminal.ends_with(0);
    assert!(shown.contains("\r\u{1b}[Kusers\t"), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_link_is_an_error_before_the_question() {
    let fixture = Fixture::new().await;
    let seen = Terminal::start(fixture.program(&["link", "rm", "nosuch"])).ends_with(3);
    let message = "the profile has no link \"nosuch\"";
    assert!(seen.contains(message), "{seen}");
    assert!(!seen.contains("[y/N]"), "{seen}");
    assert_eq!(fixture.service.journal().requests().len(), 1);
}

/// The limit is used up, and nothing is sent before it ends.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_for_the_own_rate_limit_is_not_a_change_that_was_sent() {
    let links = "[[links]]\ntitle = \"a\"\nurl = \"x:a\"\n";
    for (command, progress) in [
        ("link delete link_1 --yes", "rate limited"),
        ("apply profile.toml --yes", "applying: 0 of 1, rate limited"),
        ("post create p", "rate limited"),
    ] {
        let fixture = Fixture::new().await;
        fixture.file("profile.toml", links);
        let limit = r#"{"fault": {"rate_limited": {"retry_after": "30"}}}"#;
        let exhausted = r#"{"match": {"method": "GET"}, "phase": "after", "fault": {"status": {"status": 200,
            "body": "{\"data\": {\"links\": []}}",
            "headers": {"ratelimit-limit": "2", "ratelimit-remaining": "0", "ratelimit-reset": "30"}}}}"#;
        fixture.add_faults(match command {
            "post create p" => limit,
            _ => exhausted,
        });
        let mut program = fixture.program(&command.split(' ').collect::<Vec<_>>());
        program.command.current_dir(fixture.home.path());
        let seen = Terminal::answered(program, progress, "\u{3}").ends_with(-2);
        assert!(!seen.contains("may have been applied"), "{seen}");
        assert!(!seen.contains("being sent"), "{seen}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn apply_shows_its_progress_and_what_it_waits_for() {
    let fixture = Fixture::new().await;
    let limited = FaultRule::new(Fault::rate_limited("2")).skip(1).times(1);
    let limited = limited.matching(RequestPattern::any().method("POST"));
    fixture.service.add_fault(limited).unwrap();
    let links =
        ["a", "b"].map(|title| format!("[[links]]\ntitle = \"{title}\"\nurl = \"x:{title}\"\n"));
    let path = fixture.file("profile.toml", links.concat());
    let apply = fixture.program(&["apply", &path, "--yes"]);
    let mut terminal = Terminal::of_size(24, 80, apply);
    terminal.sees("applying: 1 of 2, rate limited, retrying in ");
    terminal.ends_with(0);
}

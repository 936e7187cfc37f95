//! Argument parsing and help.

use crate::program::{Fixture, Program, home, run};

#[test]
fn only_close_names_are_suggested() {
    let home = home();
    let tip = |typed: &str| {
        let words: Vec<_> = typed.split(' ').collect();
        let printed = run(home.path(), &[], &words).usage_error();
        assert!(!printed.contains("\n\n\n"), "{printed}");
        let tip = printed.lines().find(|line| line.contains("tip:"))?;
        Some(tip.split('\'').nth(1).unwrap().to_owned())
    };
    for (typed, suggested) in [
        ("lgin", Some("login")),
        ("lnk", Some("link")),
        ("analytic", Some("analytics")),
        ("lists", None),
        ("help exitcodes", Some("exit-codes")),
        ("set --name x", Some("--display-name")),
    ] {
        assert_eq!(tip(typed).as_deref(), suggested, "{typed}");
    }
}

#[tokio::test]
async fn aliases_run_the_same_command() {
    let fixture = Fixture::new().await;
    for (alias, command) in [
        (&["link", "ls"][..], &["link", "list"][..]),
        (&["whoami"], &["auth", "status"]),
        (
            &["post", "rm", "post_3", "--dry-run"],
            &["post", "delete", "post_3", "--dry-run"],
        ),
    ] {
        assert_eq!(fixture.run(alias).stdout(), fixture.run(command).stdout());
    }
    fixture.log_in(fixture.service.key(), &[]).stdout();
    fixture
        .without_settings(&["logout", "--yes"])
        .run()
        .stdout();
}

#[test]
fn help_names_the_topics_and_prints_them() {
    let home = home();
    let help = run(home.path(), &[], &["--help"]);
    let widest = help.stdout().lines().map(|line| line.chars().count()).max();
    let size = (help.stdout().lines().count(), widest.unwrap());
    assert!(size.0 <= 45 && size.1 <= 80, "{size:?}: {help}");
    for (topic, content) in [
        ("options", "--retries <N>"),
        ("environment", "PROFILE_API_KEY "),
        ("exit-codes", "  130  interrupted with Ctrl-C"),
        (
            "formatting",
            "  csv    comma-separated values with a header, unchanged",
        ),
    ] {
        let name = format!(" {topic}");
        assert!(help.stdout().contains(&name), "{help}");
        let text = run(home.path(), &[], &["help", topic]);
        assert!(text.stdout().contains(content), "{text}");
        assert!(!help.stdout().contains(content), "{help}");
        assert_eq!(run(home.path(), &[], &[topic]).code(), 2);
    }
}

#[cfg(unix)]
#[test]
fn the_help_does_not_depend_on_the_name_of_the_file() {
    let home = home();
    let help = run(home.path(), &[], &["--help"]);
    let renamed = Program::new(home.path(), &["--help"]).name("p").run();
    assert_eq!(renamed.stdout(), help.stdout());
}

/// Aliases contain options, which an option after them overrides. A second account or service is a mistake.
#[test]
fn the_last_of_repeated_options_wins() {
    let home = home();
    let topic = run(home.path(), &[], &["help", "options"]);
    let (_, globals) = topic.stdout().split_once("\nGlobal options:\n").unwrap();
    let names = globals.lines().filter_map(|line| line.split_once("--"));
    let names = names.map(|(_, rest)| rest.split([' ', '.']).next().unwrap());
    let names: Vec<_> = names
        .filter(|name| globals.contains(&format!(" --{name} ")))
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    let display = [
        ("stats", "days"),
        ("stats", "plot"),
        ("stats", "totals"),
        ("api me", "include"),
    ];
    let globals = names.iter().map(|name| ("config path", *name));
    for (command, name) in globals.chain(display) {
        let option = format!("--{name}");
        let value = match name {
            "output" => "json",
            "jq" => ".",
            "account" => "a",
            "base-url" => "http://127.0.0.1:1",
            "timeout" | "retries" | "days" => "2",
            "color" => "never",
            "plot" => "none",
            _ => "",
        };
        let given = [&*option, value]
            .into_iter()
            .filter(|word| !word.is_empty());
        let words = command.split(' ').chain(given.clone()).chain(given);
        let repeated = run(home.path(), &[], &words.collect::<Vec<_>>());
        let is_error = repeated.stderr().contains("cannot be used multiple times");
        assert_eq!(
            is_error,
            ["account", "base-url"].contains(&name),
            "{repeated}"
        );
    }
    for (first, last) in [("csv", "json"), ("json", "csv")] {
        let words = ["config", "get", "output", "-o", first, "-o", last];
        let printed = run(home.path(), &[], &words);
        assert_eq!(
            printed.stdout().starts_with('{'),
            last == "json",
            "{printed}"
        );
    }
}

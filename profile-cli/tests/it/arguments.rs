//! Argument parsing and help.

use crate::program::{Fixture, configure, home, run};

#[tokio::test]
async fn aliases_run_the_same_command() {
    let fixture = Fixture::new().await;
    let deletes = ["post", "delete", "post_3", "--dry-run"];
    let file = &*fixture.file("profile.toml", "profile.bio = \"b\"\n");
    for (alias, command) in [
        (&["link", "ls"][..], &["link", "list"][..]),
        (&["whoami"], &["auth", "status"]),
        (&["post", "rm", "post_3", "--dry-run"], &deletes),
        (
            &["import", file, "--dry-run"],
            &["apply", file, "--dry-run"],
        ),
    ] {
        assert_eq!(fixture.run(alias).stdout(), fixture.run(command).stdout());
    }
    fixture.log_in(fixture.service.key(), &[]).stdout();
    fixture.run_stored(&["logout", "--yes"]).stdout();
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
        ("files", "`cargo uninstall"),
        ("formatting", "  csv    comma-separated values with a"),
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
    let renamed = crate::program::Program::new(home.path(), &["--help"]).name("p");
    assert_eq!(renamed.run().stdout(), help.stdout());
}

/// Options, the environment and config.toml select it, in this order.
#[test]
fn errors_in_arguments_have_the_selected_format() {
    let file = "output = \"json\"";
    for (variable, file, arguments, is_json) in [
        ("json", "", "shwo", true),
        ("json", "", "stats --days 0 -o table", false),
        ("json", "", "show --timeout 0", true),
        ("json", "", "show --sandbox --account a", true),
        ("", file, "show --nope", true),
        ("", file, "auth login key_0123456789", true),
        ("csv", file, "show --nope", false),
        ("", "", "show --nope", false),
    ] {
        let home = home();
        configure(home.path(), file);
        let arguments: Vec<_> = arguments.split(' ').collect();
        let printed = run(home.path(), &[("PROFILE_OUTPUT", variable)], &arguments).usage_error();
        assert_eq!(printed.starts_with("{\"error\":{"), is_json, "{printed}");
    }
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
    let display = [("stats", "days"), ("stats", "by")];
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
            "by" => "week",
            _ => "",
        };
        let given = [&*option, value]
            .into_iter()
            .filter(|word| !word.is_empty());
        let words = command.split(' ').chain(given.clone()).chain(given);
        let repeated = run(home.path(), &[], &words.collect::<Vec<_>>());
        let is_error = repeated.stderr().contains("cannot be used multiple times");
        let is_single = ["account", "base-url"].contains(&name);
        assert_eq!(is_error, is_single, "{repeated}");
    }
    for (first, last) in [("csv", "json"), ("json", "csv")] {
        let words = ["config", "get", "output", "-o", first, "-o", last];
        let printed = run(home.path(), &[], &words);
        let is_json = printed.stdout().starts_with('{');
        assert_eq!(is_json, last == "json", "{printed}");
    }
}

/// Invisible characters in arguments, paths and values are escaped.
#[test]
fn hidden_characters_are_escaped() {
    use crate::program::Program;

    let home = home();
    let before =
        "|show|link|diff|-o|config get|config set output|show --account|show --timeout|completion";
    let before: Vec<Vec<_>> = before
        .split('|')
        .map(|words| words.split_whitespace().collect())
        .collect();
    let variables = "PROFILE_OUTPUT PROFILE_LOG PROFILE_ACCOUNT PROFILE_API_KEY_FILE";
    for (hidden, escaped) in [
        (&b"\r"[..], r"\r"),
        (b"\x1b", r"\u{1b}"),
        ("\u{a0}".as_bytes(), r"\u{a0}"),
        ("\u{85}".as_bytes(), r"\u{85}"),
        ("\u{200b}".as_bytes(), r"\u{200b}"),
        ("\u{202e}".as_bytes(), r"\u{202e}"),
        ("\u{3164}".as_bytes(), r"\u{3164}"),
        #[cfg(unix)]
        (b"\xff", r"\xff"),
    ] {
        let word = [b"a", hidden, b"b"].concat();
        #[cfg(unix)]
        let word: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(word);
        #[cfg(windows)]
        let word = String::from_utf8(word).unwrap();
        let arguments = before.iter();
        let arguments = arguments.map(|before| Program::new(home.path(), before).argument(&word));
        let variables = variables.split(' ').map(|name| {
            let program = Program::new(home.path(), &["show"]).env(name, &word);
            program.env("PROFILE_BASE_URL", "http://127.0.0.1:1")
        });
        for program in arguments.chain(variables) {
            let run = program.run();
            let is_refused = hidden == b"\xff" && run.stderr().contains("UTF-8");
            let is_shown = run.stderr().contains(&format!("a{escaped}b"));
            assert!(is_shown || is_refused, "{word:?}: {run}");
            assert!([1, 2].contains(&run.code()), "{run}");
        }
    }
}

//! `profile config`: the stored settings.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::program::{Program, Run, configure, home, named, run};

#[track_caller]
fn config(home: &Path, arguments: &[&str]) -> Run {
    run(home, &[], &[&["config"], arguments].concat())
}

fn file(home: &Path) -> PathBuf {
    home.join(".config/profile/config.toml")
}

#[track_caller]
fn output(home: &Path, run: &Run) -> String {
    named(&run.to_string(), home, "HOME")
}

#[test]
fn finds_the_file_in_the_configured_directory() {
    let home = home();
    let path = |environment: &[(&str, &str)]| {
        let printed = run(home.path(), environment, &["config", "path"]);
        PathBuf::from(printed.stdout().trim_end())
    };
    assert_eq!(path(&[]), file(home.path()));
    let system = match cfg!(windows) {
        true => ("APPDATA", "C:/somewhere"),
        false => ("XDG_CONFIG_HOME", "/somewhere"),
    };
    let expected = Path::new(system.1).join("profile").join("config.toml");
    assert_eq!(path(&[system]), expected);
    let own = ("PROFILE_CONFIG_DIR", "/elsewhere");
    assert_eq!(path(&[system, own]), Path::new("/elsewhere/config.toml"));
}

#[test]
fn lists_settings_with_their_sources() {
    let home = home();
    configure(home.path(), "retries = 7\neditor = \"ed\"\n");
    let environment = [("PROFILE_NO_INPUT", "1"), ("PROFILE_EDITOR", "vi")];
    let arguments = ["config", "list", "--timeout", "0.5"];
    let list = run(home.path(), &environment, &arguments);
    expect![[r#"
        exit 0
        --- stdout
        account		
        base_url		
        color	auto	default
        editor	vi	PROFILE_EDITOR
        no_input	1	PROFILE_NO_INPUT
        output	tsv	default
        proxy		
        retries	7	HOME/.config/profile/config.toml
        timeout	0.5	--timeout
        --- stderr
    "#]]
    .assert_eq(&output(home.path(), &list));
    let list = config(home.path(), &["list", "--json"]).json();
    assert_eq!(list[0]["name"], "account");
}

#[test]
fn gets_a_value_from_any_source() {
    let home = home();
    for (arguments, expected) in [
        (&["get", "output"][..], "tsv\n"),
        (&["get", "retries"], "3\n"),
        (&["get", "retries", "--retries", "1"], "1\n"),
        (&["get", "retries", "--json"], "{\"retries\":\"3\"}\n"),
    ] {
        assert_eq!(config(home.path(), arguments).stdout(), expected);
    }
    config(home.path(), &["get", "base_url"]).check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        error: base_url is not set and has no default
        hint: set it with `profile config set base_url VALUE`
    "#]]);
}

#[test]
fn set_keeps_comments_and_order() {
    let home = home();
    configure(
        home.path(),
        "# Mine.\noutput = \"csv\" # for now\n\n# How often.\nretries = 2\n\n[accounts.a] # first\n",
    );
    for (name, value) in [
        ("output", "json"),
        ("retries", "5"),
        ("timeout", "2.5"),
        ("no-input", "1"),
        ("account", "a"),
        ("editor", "code --wait"),
    ] {
        let run = config(home.path(), &["set", name, value]);
        assert!(run.to_string().starts_with("exit 0"), "{run}");
    }
    let after_set = fs::read_to_string(file(home.path())).unwrap();
    expect![[r##"
        # Mine.
        output = "json" # for now

        # How often.
        retries = 5
        timeout = 2.5
        no_input = true
        account = "a"
        editor = "code --wait"

        [accounts.a] # first
    "##]]
    .assert_eq(&after_set);
    config(home.path(), &["unset", "retries", "-o", "tsv"]).stdout();
    let again = config(home.path(), &["unset", "retries", "-o", "tsv"]);
    expect![[r#"
        exit 0
        --- stdout
        name	retries
        path	HOME/.config/profile/config.toml
        result	unchanged
        --- stderr
    "#]]
    .assert_eq(&output(home.path(), &again));
    let without = after_set.replace("retries = 5\n", "");
    assert_eq!(fs::read_to_string(file(home.path())).unwrap(), without);
}

#[test]
fn validates_settings_before_storing() {
    let home = home();
    let rejected = [
        "set output xml",
        "set retries many",
        "set retries -1",
        "set retries 99999999999",
        "set timeout 0",
        "set base_url nowhere",
        "set account gone",
        "set editor vi'",
        "get colour",
        "set zzz 1",
        "set api_key canary",
    ]
    .map(|words| config(home.path(), &words.split(' ').collect::<Vec<_>>()).usage_error());
    expect![[r#"
        error: output is "xml"; expected one of table, json, csv, tsv
        error: retries is "many"; expected a whole number such as 3
        error: retries is "-1"; expected a whole number such as 3
        error: retries is 99999999999; the maximum is 4294967295
        error: timeout is "0"; expected a number of seconds greater than 0, such as 10 or 0.5
        error: base_url does not contain ://; expected a URL such as https://host
        error: unknown account "gone"
        hint: add one with `profile auth login`
        error: editor is "vi'", which is not a command; close all quotes
        error: unknown setting "colour"; expected one of account, base_url, color, editor, no_input, output, proxy, retries, timeout
        error: unknown setting "zzz"; expected one of account, base_url, color, editor, no_input, output, proxy, retries, timeout
        error: api_key is not a setting: config.toml does not hold API keys; store one with `profile auth login`, or set PROFILE_API_KEY
    "#]].assert_eq(&rejected.concat());
    assert!(!file(home.path()).exists());
}

#[test]
fn warns_once_of_unknown_settings() {
    let home = home();
    configure(home.path(), "colour = \"never\"\napi_key = \"canary\"\n");
    let run = config(home.path(), &["get", "retries"]);
    expect![[r#"
        exit 0
        --- stdout
        3
        --- stderr
        warning: HOME/.config/profile/config.toml: unknown setting "colour"; expected one of account, base_url, color, editor, no_input, output, proxy, retries, timeout
        warning: HOME/.config/profile/config.toml: api_key is not a setting: config.toml does not hold API keys; store one with `profile auth login`, or set PROFILE_API_KEY
    "#]].assert_eq(&output(home.path(), &run));
    let quiet = config(home.path(), &["get", "retries", "-q"]);
    assert!(quiet.to_string().ends_with("--- stderr\n"), "{quiet}");
}

#[test]
fn reports_invalid_toml_without_quoting_it() {
    let home = home();
    configure(home.path(), "retries = 2\n\napi_key = canary\n");
    let list = config(home.path(), &["list"]);
    expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: HOME/.config/profile/config.toml:3: invalid TOML: string values must be quoted, expected literal string
        hint: fix the line, or remove the file
    "#]].assert_eq(&output(home.path(), &list));
    let set = config(home.path(), &["set", "retries", "3", "--json"]);
    assert_eq!(set.error()["exit_code"], 2);
    for works in ["config path", "-V", "completion bash", "man", ""] {
        let works: Vec<_> = works.split_whitespace().collect();
        let run = run(home.path(), &[("PROFILE_OUTPUT", "nonsense")], &works);
        assert!(!run.stdout().is_empty());
    }
}

#[test]
fn reports_the_line_of_a_wrong_type_also_in_unused_settings() {
    let home = home();
    let url = ["--base-url", "http://127.0.0.1:1"];
    for row in [
        "# Mine.\n\nbase_url = 3 # here\n => 3: base_url is 3; expected a string in quotes",
        "account = true => 1: account is true; expected a string in quotes",
        "editor = 5 => 1: editor is 5; expected a string in quotes",
        "output = ['json'] => 1: output is an array; expected a string in quotes",
        "no_input = 'yes' => 1: no_input is \"yes\"; expected true or false",
        "retries = 1.5 => 1: retries is 1.5; expected a whole number such as 3",
        "retries = -1 => 1: retries is \"-1\"; expected a whole number such as 3",
        "\n[timeout]\nseconds = 3 => 2: timeout is a table; expected a number of seconds greater than 0, \
         such as 10 or 0.5",
        "accounts = 'x' => 1: accounts is \"x\"; expected a table",
        "\naccounts = [1] => 2: accounts is an array; expected a table",
        "\n[[accounts]] => 2: accounts is an array; expected a table",
        "accounts = {a = 5} => 1: accounts.a is 5; expected a table",
        "account = 'a'\n[accounts]\na = 3 => 3: accounts.a is 3; expected a table",
        "account = 'a'\n[accounts.a]\nbase_url = 3 => 3: accounts.a.base_url is 3; expected a string in quotes",
    ] {
        let (text, expected) = row.split_once(" => ").unwrap();
        configure(home.path(), text);
        let site = run(home.path(), &[("PROFILE_API_KEY", "k")], &["site"]).usage_error();
        let (_, message) = site.split_once("config.toml:").unwrap();
        assert_eq!(message.lines().next(), Some(expected), "{site}");
        for command in [&["site"][..], &["auth", "list"], &["auth", "switch", "a"]] {
            let run = run(home.path(), &[], &[command, &url].concat());
            assert!(run.stderr().contains(expected), "{text}: {run}");
            assert_eq!(run.code(), 2, "{text}: {run}");
        }
        let list = config(home.path(), &["list"]);
        assert!(list.stderr().contains(expected), "{text}: {list}");
        config(home.path(), &["set", "color", "never"]).stdout();
    }
}

#[test]
fn line_breaks_and_a_byte_order_mark_stay() {
    let text = "# one\n# two\r\neditor = \"\"\"\r\ned\"\"\"\r\n";
    for (before, after) in [
        (
            "\u{feff}# Mine.\r\n\r\noutput = \"csv\" # for now\r\n[accounts.a]\r\n",
            "\u{feff}# Mine.\r\n\r\noutput = \"csv\" # for now\r\nretries = 5\r\n[accounts.a]\r\n",
        ),
        // The last line has no line break.
        (
            "retries = 4\r\ntimeout = 2",
            "retries = 5\r\ntimeout = 2\r\n",
        ),
        // Mixed, with a text of several lines.
        (
            &format!("{text}retries = 4\n"),
            &format!("{text}retries = 5\n"),
        ),
        ("\u{feff}", "\u{feff}retries = 5\n"),
    ] {
        let home = home();
        configure(home.path(), before);
        config(home.path(), &["set", "retries", "5"]).stdout();
        assert_eq!(fs::read_to_string(file(home.path())).unwrap(), after);
        config(home.path(), &["unset", "retries"]).stdout();
        let without = fs::read_to_string(file(home.path())).unwrap();
        let line = ["retries = 5\r\n", "retries = 5\n"];
        let line = line.iter().find(|line| after.contains(**line)).unwrap();
        assert_eq!(without, after.replace(line, ""));
    }
}

#[test]
fn concurrent_changes_are_kept() {
    let home = home();
    let settings = [
        ("base_url", "http://127.0.0.1:1"),
        ("color", "never"),
        ("editor", "ed"),
        ("no_input", "true"),
        ("output", "csv"),
        ("retries", "4"),
        ("timeout", "9"),
    ];
    std::thread::scope(|scope| {
        for (name, value) in settings {
            let home = home.path();
            scope.spawn(move || config(home, &["set", name, value]).stdout().len());
        }
    });
    let text = fs::read_to_string(file(home.path())).unwrap();
    for (name, _) in settings {
        assert!(text.contains(&format!("{name} = ")), "{text}");
    }
}

#[test]
fn a_tilde_that_no_shell_replaced() {
    let home = home();
    for arguments in ["config set retries 5", "config list", "show", "auth status"] {
        let arguments: Vec<_> = arguments.split(' ').collect();
        let program = Program::new(home.path(), &arguments);
        let run = program.env("PROFILE_CONFIG_DIR", "~/x").run();
        run.fails(
            2,
            "PROFILE_CONFIG_DIR is ~/x; expected a path without ~, which only a shell replaces",
        );
    }
}

#[cfg(unix)]
#[test]
fn follows_dangling_symbolic_links() {
    let home = home();
    let elsewhere = home.path().join("elsewhere.toml");
    fs::create_dir_all(file(home.path()).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, file(home.path())).unwrap();
    config(home.path(), &["set", "retries", "2"]).stdout();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "retries = 2\n");
    assert!(file(home.path()).is_symlink());
}

//! Problems that daily users met, each of which crosses several commands.

use std::fs;

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule, MockServer};

use crate::program::{Fixture, run};

#[test]
fn text_for_other_programs_ignores_the_configured_format() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("config");
    let environment = [("PROFILE_CONFIG_DIR", directory.to_str().unwrap())];
    run(
        home.path(),
        &environment,
        &["config", "set", "output", "json"],
    )
    .stdout();
    let stdout = |arguments: &[&str]| {
        let run = run(home.path(), &environment, arguments);
        run.stdout().to_owned()
    };
    assert!(stdout(&["completion", "bash"]).starts_with("_clap_complete_profile()"));
    assert!(stdout(&["man"]).starts_with(".ie"));
    assert_eq!(stdout(&["config", "get", "output"]), "json\n");
    let path = directory.join("config.toml");
    assert_eq!(stdout(&["config", "path"]), format!("{}\n", path.display()));
    assert_eq!(
        stdout(&["config", "get", "output", "--json"]),
        "{\"output\":\"json\"}\n"
    );
    assert!(stdout(&["config", "list"]).starts_with("[{"));
    let curl = ["show", "--curl", "--base-url", "http://127.0.0.1:1"];
    assert!(stdout(&curl).starts_with("printf "));
}

#[tokio::test]
async fn a_second_login_does_not_replace_the_first_key() {
    let fixture = Fixture::new().await;
    let (home, service) = (fixture.home.path(), &fixture.service);
    let keys = service.keys();
    fixture.log_in(service.key(), &[]).stdout();
    let again = fixture.log_in(&keys.links, &["--json"]).error();
    assert_eq!(again["exit_code"], 2);
    assert_eq!(
        again["hint"],
        "add --yes to replace the key, or --account NAME to add an account"
    );
    let stored = |name: &str| {
        let path = home.join(".config/profile/keys").join(name);
        fs::read_to_string(path).unwrap().trim_end().to_owned()
    };
    assert_eq!(stored("demo"), service.key());
    fixture.log_in(&keys.links, &["--account", "few"]).stdout();
    assert_eq!(
        (&*stored("demo"), stored("few")),
        (service.key(), keys.links.clone())
    );
    fixture.log_in(&keys.social, &["--yes"]).stdout();
    assert_eq!(stored("demo"), keys.social);
    // The same handle on another service is another account.
    let other = MockServer::start().await;
    let login = fixture
        .log_in_to(other.uri(), other.key(), &["--json"])
        .json();
    assert_eq!(login["account"], "demo@127.0.0.1");
    assert_eq!(stored("demo"), keys.social);
    let third = MockServer::start().await;
    let login = fixture
        .log_in_to(third.uri(), third.key(), &["--json"])
        .error();
    let message = login["message"].as_str().unwrap();
    assert!(
        message.starts_with("account demo@127.0.0.1 already exists"),
        "{message}"
    );
}

#[tokio::test]
async fn status_names_what_was_tried() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let uri = fixture.service.uri();
    fixture
        .log_in(fixture.service.key(), &["--account", "main"])
        .stdout();
    let status = fixture.run(&["auth", "status", "--json"]).json();
    assert_eq!(status["account"], serde_json::Value::Null);
    let key = home.join(".config/profile/keys/main");
    fs::write(key, "wrong").unwrap();
    let stored = fixture.without_settings(&["auth", "status"]).run();
    let of_environment = fixture.run_with_key("wrong", &["auth", "status"]);
    for (run, source) in [
        (stored, "account main"),
        (of_environment, "PROFILE_API_KEY"),
    ] {
        assert_eq!(run.code(), 4, "{run}");
        let tried = format!("base_url\t{uri}\nkey.masked\t********\nkey.source\t{source}\n");
        assert!(run.to_string().contains(&tried), "{run}");
    }
}

#[tokio::test]
async fn a_stored_key_stays_with_its_service() {
    let fixture = Fixture::new().await;
    let other = MockServer::start().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    for (command, is_keyless) in [
        ("badge list", true),
        ("site", true),
        ("show", false),
        ("api me", false),
    ] {
        let words: Vec<_> = command.split(' ').collect();
        let typed = [&words[..], &["--base-url", other.uri(), "--json"]].concat();
        let with_variable = [&words[..], &["--json"]].concat();
        let runs = [
            fixture.without_settings(&typed).run(),
            fixture
                .without_settings(&with_variable)
                .env("PROFILE_BASE_URL", other.uri())
                .run(),
        ];
        for run in runs {
            if is_keyless {
                run.json();
                continue;
            }
            assert_eq!(run.error()["code"], "usage", "{run}");
            let hint = format!(
                "log in there with `profile auth login --base-url {}`",
                other.uri()
            );
            assert!(
                run.error()["hint"].as_str().unwrap().starts_with(&hint),
                "{run}"
            );
        }
    }
    for request in other.journal().requests() {
        assert_eq!(request.key, None, "{request:?}");
    }
    // The same URL, written in another way.
    let same = format!("{}/", fixture.service.uri().replace("http:", "HTTP:"));
    fixture
        .without_settings(&["show", "--base-url", &same])
        .run()
        .stdout();
}

#[tokio::test]
async fn hints_can_be_followed() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let plain = run(
        home,
        &[("PROFILE_BASE_URL", "http://profiles.example")],
        &["site"],
    );
    assert!(!plain.to_string().contains("allow"), "{plain}");
    assert!(plain.to_string().contains("use https"), "{plain}");
    fixture
        .log_in(fixture.service.key(), &["--account", "main"])
        .stdout();
    let logout = fixture
        .without_settings(&["auth", "logout", "--account", "main", "--yes"])
        .run();
    assert!(!logout.to_string().contains("switch"), "{logout}");
}

#[tokio::test]
async fn only_a_path_after_an_at_sign_is_a_file() {
    let fixture = Fixture::new().await;
    let text = fixture.home.path().join("text.txt");
    fs::write(&text, "from a file\n").unwrap();
    fs::write(fixture.home.path().join("secret"), "secret").unwrap();
    let post = |arguments: &[&str]| {
        let arguments = [&["post", "create", "--json"], arguments].concat();
        let mut program = fixture.program(&arguments);
        program.command.current_dir(fixture.home.path());
        program.run().json()["body"].as_str().unwrap().to_owned()
    };
    assert_eq!(post(&["@grace thanks!"]), "@grace thanks!");
    assert_eq!(post(&["@secret"]), "@secret");
    assert_eq!(post(&["@./text.txt"]), "from a file");
    assert_eq!(post(&[&format!("@{}", text.display())]), "from a file");
    assert_eq!(post(&["--file", "text.txt"]), "from a file");
    let set = fixture
        .run(&["set", "--bio", "@grace's friend", "--json"])
        .json();
    assert_eq!(set["bio"], "@grace's friend");
    assert!(
        fixture
            .run(&["stats", "@grace", "--totals"])
            .stdout()
            .starts_with("handle\tgrace\n")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_editor_does_not_open_without_the_scope() {
    let fixture = Fixture::new().await;
    let links = &fixture.service.keys().links;
    let opened = fixture.home.path().join("opened");
    let editor = format!("touch {}", opened.display());
    for (command, scope) in [
        (&["edit"][..], "profile:write"),
        (&["post", "create", "--editor"], "social:write"),
    ] {
        let program = fixture.program(&[command, &["--json"]].concat());
        let run = program
            .env("PROFILE_EDITOR", &editor)
            .env("PROFILE_API_KEY", links)
            .run();
        assert_eq!(
            run.error()["message"],
            format!("the key lacks the scope {scope}")
        );
        assert_eq!(run.code(), 5);
        assert!(!opened.exists());
    }
}

#[tokio::test]
async fn login_completes_and_checks_the_base_url() {
    let fixture = Fixture::new().await;
    let login = |base_url: &str, further: &[&str]| {
        let arguments = ["auth", "login", "--json", "--base-url", base_url];
        let program = fixture.without_settings(&[&arguments, further].concat());
        program.stdin(fixture.service.key()).run()
    };
    let host = fixture.service.uri().strip_prefix("http://").unwrap();
    let json = login(host, &["--with-token"]).json();
    assert_eq!(json["base_url"], fixture.service.uri());
    let curl = login("profiles.example", &["--curl"]).json();
    assert!(
        curl["curl"]
            .as_str()
            .unwrap()
            .contains("'https://profiles.example/api"),
        "{curl}"
    );
    let wrong = login("ftp://x", &["--with-token"]);
    assert_eq!(wrong.code(), 2);
    assert!(wrong.to_string().contains("scheme ftp"), "{wrong}");
}

#[test]
fn a_key_as_an_argument_is_not_echoed() {
    let home = tempfile::tempdir().unwrap();
    for arguments in [
        &["--with-token", "sk_live_secret"][..],
        &["--with-token=sk_live_secret"],
    ] {
        let run = run(home.path(), &[], &[&["auth", "login"], arguments].concat());
        assert_eq!(run.code(), 2);
        assert!(!run.to_string().contains("sk_live"), "{run}");
        assert!(run.to_string().contains("--with-token < FILE"), "{run}");
    }
}

#[tokio::test]
async fn a_created_link_has_the_columns_of_the_list_in_csv() {
    let fixture = Fixture::new().await;
    let columns = |arguments: &[&str]| {
        let run = fixture.run(&[arguments, &["-o", "csv"]].concat());
        run.stdout().lines().next().unwrap().to_owned()
    };
    let add = ["link", "add", "--title", "t", "--url", "https://t.example"];
    let list = columns(&["link", "list"]);
    assert_eq!(columns(&add), list);
    assert_eq!(columns(&["link", "edit", "link_1", "--title", "t"]), list);
    assert_eq!(
        columns(&["post", "create", "p"]),
        columns(&["post", "list"])
    );
}

#[cfg(feature = "jq")]
#[tokio::test]
async fn jq_needs_json() {
    let fixture = Fixture::new().await;
    let run = fixture.run(&["site", "-o", "csv", "--jq", ".users"]);
    assert_eq!(run.code(), 2, "{run}");
    fixture
        .run(&["site", "-o", "json", "--jq", ".users"])
        .stdout();
}

#[test]
fn switches_accept_yes_and_no() {
    let home = tempfile::tempdir().unwrap();
    for (value, expected) in [("yes", 0), ("no", 0), ("on", 0), ("off", 0), ("maybe", 2)] {
        let run = run(
            home.path(),
            &[("PROFILE_NO_INPUT", value)],
            &["auth", "list"],
        );
        assert_eq!(run.code(), expected, "{value}: {run}");
    }
}

#[tokio::test]
async fn warns_about_urls_that_browsers_run() {
    let fixture = Fixture::new().await;
    for url in [
        "javascript:alert(1)",
        "JavaScript:x",
        "data:text/html,x",
        "vbscript:x",
    ] {
        let add = ["link", "add", "--title", "t", "--url", url];
        let run = fixture.run(&add);
        assert!(run.stdout().contains(url), "{run}");
        assert!(run.stderr().contains("warning: "), "{run}");
        let edit = fixture.run(&["link", "edit", "link_1", "--url", url]);
        assert!(edit.stderr().contains("warning: "), "{edit}");
    }
    let run = fixture.run(&["link", "add", "--title", "t", "--url", "https://a.example"]);
    assert_eq!(run.stderr(), "");
}

#[tokio::test]
async fn colors_fit_the_terminal() {
    let fixture = Fixture::new().await;
    let shown = |environment: &[(&str, &str)]| {
        let program = fixture.program(&["show", "-o", "table", "--color", "always"]);
        program.envs(environment).run().stdout().to_owned()
    };
    let (full, indexed) = ("[38;2;", "[38;5;");
    let text = shown(&[("COLORTERM", "truecolor"), ("TERM", "xterm")]);
    assert!(text.contains(full) && !text.contains(indexed), "{text}");
    let text = shown(&[("TERM", "xterm-256color")]);
    assert!(!text.contains(full) && text.contains(indexed), "{text}");
    let text = shown(&[("TERM", "xterm")]);
    assert!(
        !text.contains(full) && !text.contains(indexed) && text.contains("\u{1b}["),
        "{text}"
    );
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
fn only_close_names_are_suggested() {
    let home = tempfile::tempdir().unwrap();
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
async fn auth_token_prints_the_key() {
    let fixture = Fixture::new().await;
    let key = fixture.service.key();
    fixture.log_in(key, &[]).stdout();
    let token = fixture
        .without_settings(&["auth", "token"])
        .env("PROFILE_OUTPUT", "json")
        .run();
    assert_eq!(token.stdout(), format!("{key}\n"));
    let other = fixture
        .without_settings(&["auth", "token", "--base-url", "http://127.0.0.1:1"])
        .run();
    assert_eq!(other.code(), 2, "{other}");
    let curl = fixture.without_settings(&["show", "--curl"]).run();
    assert!(
        curl.stderr()
            .contains("$(profile auth token --account demo)"),
        "{curl}"
    );
    let foreign = ["show", "--curl", "--base-url", "http://127.0.0.1:1"];
    let foreign = fixture.without_settings(&foreign).run();
    assert_eq!(foreign.code(), 2, "{foreign}");
    assert!(!foreign.to_string().contains("curl "), "{foreign}");
    let none = tempfile::tempdir().unwrap();
    assert_eq!(run(none.path(), &[], &["auth", "token"]).code(), 4);
}

#[tokio::test]
async fn verbosity_adds_headers_and_bodies() {
    let fixture = Fixture::new().await;
    let log = |flag: &str| {
        fixture
            .run(&["link", "add", "--title", "t", "--url", "x:y", flag])
            .stderr()
    };
    let (one, two, three) = (log("-v"), log("-vv"), log("-vvv"));
    let (header, sent) = (
        "< content-type: application/json",
        "> {\"title\":\"t\",\"url\":\"x:y\"}",
    );
    assert!(!one.contains(header) && !one.contains(sent), "{one}");
    assert!(two.contains(header) && !two.contains(sent), "{two}");
    assert!(three.contains(header) && three.contains(sent), "{three}");
    assert!(three.contains("< {\"data\":{"), "{three}");
}

#[tokio::test]
async fn a_typed_base_url_is_matched_to_its_account() {
    let fixture = Fixture::new().await;
    let work = MockServer::start().await;
    fixture
        .log_in_to(work.uri(), work.key(), &["--account", "work"])
        .stdout();
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let show = fixture
        .without_settings(&["show", "--base-url", work.uri()])
        .run();
    assert_eq!(show.code(), 2, "{show}");
    let hint = "hint: add --account work, whose key is for this URL\n";
    assert!(show.stderr().ends_with(hint), "{show}");
}

#[test]
fn an_invalid_timeout_is_repeated_once() {
    let home = tempfile::tempdir().unwrap();
    let site = run(home.path(), &[], &["site", "--timeout", "soon"]);
    let message = "error: invalid value 'soon' for '--timeout <SECONDS>': \
                   expected a number of seconds greater than 0, such as 10 or 0.5\n";
    assert!(site.stderr().starts_with(message), "{site}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_apply_counts_the_changes_that_were_made() {
    use crate::pseudo_terminal::Terminal;

    let fixture = Fixture::new().await;
    let failure = FaultRule::new(Fault::status(500)).matching(RequestPattern::any().method("POST"));
    fixture.service.add_fault(failure).unwrap();
    let path = fixture.home.path().join("profile.toml");
    let file = "[profile]\nlocation = \"here\"\n\
                [[links]]\ntitle = \"One\"\nurl = \"https://one.example\"\n";
    fs::write(&path, file).unwrap();
    let apply = ["apply", path.to_str().unwrap()];
    let (_, seen) = Terminal::start(fixture.program(&apply)).ends();
    let hint = "wait and look with `profile show` before you run the command again\r\n";
    assert!(seen.contains("Applied 1 of 2 changes.\r\n"), "{seen}");
    assert!(seen.ends_with(hint), "{seen}");
    // The plan is printed once.
    assert_eq!(seen.matches("  + here").count(), 1, "{seen}");
}

#[test]
fn the_readme_has_all_exit_codes() {
    let home = tempfile::tempdir().unwrap();
    let readme = include_str!("../../README.md");
    let help = run(home.path(), &[], &["help", "exit-codes"]);
    let lines = help.stdout().lines();
    let rows = lines.filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    for (code, _) in rows.filter(|(code, _)| !code.is_empty()) {
        assert!(readme.contains(&format!("| {code} |")), "{code}");
    }
}

//! Precedence of settings: options, environment, config.toml, defaults. A key is for one service.

use std::fs;

use mock_server::MockServer;

use crate::program::{Fixture, Program, configure, home, run};

/// A setting, its default, and its values in config.toml, the environment and the options: each overrides the ones
/// before it.
#[test]
fn settings_follow_the_documented_precedence() {
    for row in [
        "account | is not set | \"filed\" | varied | --account flagged",
        "base_url | is not set | \"http://file\" | http://variable | --base-url http://flag",
        "color | auto | \"never\" | | --color always",
        "editor | vi | \"ed\" | nano |",
        "no_input | false | true | false |",
        "output | tsv | \"csv\" | tsv | --output table",
        "retries | 3 | 5 | | --retries 7",
        "timeout | 30 | 5 | | --timeout 7",
    ] {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [name, default, file, variable, flag] = cells.try_into().unwrap();
        let home = home();
        let check = |variable: Option<&str>, flag: &str, expected: &str| {
            let words = ["config", "get", name].into_iter();
            let words: Vec<_> = words.chain(flag.split_whitespace()).collect();
            let program = Program::new(home.path(), &words);
            let program = match variable {
                Some(value) => program.env(&format!("PROFILE_{}", name.to_uppercase()), value),
                None => program,
            };
            // The default editors.
            let printed = program.run().to_string().replace("notepad", "vi");
            assert!(printed.contains(expected), "{row}: {printed}");
        };
        check(None, "", default);
        let accounts = "[accounts.filed]\n[accounts.varied]\n[accounts.flagged]\n";
        configure(home.path(), &format!("{name} = {file}\n\n{accounts}"));
        let file = file.trim_matches('"');
        check(None, "", file);
        if !variable.is_empty() {
            check(Some(variable), "", variable);
            // Empty variables count as unset.
            check(Some(""), "", file);
        }
        if let Some((_, value)) = flag.split_once(' ') {
            let variable = Some(variable).filter(|value| !value.is_empty());
            check(variable, flag, value);
        }
    }
}

#[test]
fn config_toml_takes_precedence_over_editor_variables() {
    let home = home();
    let common = [("EDITOR", "ed"), ("VISUAL", "code --wait")];
    let editor = |environment: &[(&str, &str)]| {
        let listed = run(home.path(), environment, &["config", "list"]);
        let line = listed
            .stdout()
            .lines()
            .find(|line| line.starts_with("editor"));
        line.unwrap().to_owned()
    };
    assert_eq!(editor(&common[..1]), "editor\ted\tEDITOR");
    assert_eq!(editor(&common), "editor\tcode --wait\tVISUAL");
    run(home.path(), &[], &["config", "set", "editor", "nano"]).stdout();
    let filed = crate::program::named(&editor(&common), home.path(), "HOME");
    assert_eq!(filed, "editor\tnano\tHOME/.config/profile/config.toml");
}

#[tokio::test]
async fn settings_take_effect() {
    let fixture = Fixture::new().await;
    let file = "output = \"json\"\nbase_url = \"http://127.0.0.1:1\"\nretries = 0\n";
    configure(fixture.home.path(), file);
    assert!(fixture.run(&["site"]).stdout().starts_with('{'));
    let site = fixture.program(&["site"]).without("PROFILE_BASE_URL").run();
    assert_eq!(site.error()["exit_code"], 8);
}

#[test]
fn text_for_other_programs_ignores_the_configured_format() {
    let home = home();
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
}

#[test]
fn switches_accept_yes_and_no() {
    let home = home();
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
async fn a_base_url_may_omit_its_scheme() {
    let fixture = Fixture::new().await;
    let host = fixture.service.uri().trim_start_matches("http://");
    fixture.run(&["site", "--base-url", host]).stdout();
    let program = |arguments: &[&str]| fixture.program(arguments).without("PROFILE_BASE_URL");
    let site = program(&["site"]).env("PROFILE_BASE_URL", host);
    site.run().stdout();
    program(&["config", "set", "base_url", host]).run().stdout();
    program(&["site"]).run().stdout();
    let account = format!("account = \"a\"\n[accounts.a]\nbase_url = \"{host}\"\n");
    let directory = configure(fixture.home.path(), &account);
    fs::create_dir_all(directory.join("keys")).unwrap();
    fs::write(directory.join("keys/a"), fixture.service.key()).unwrap();
    let show = program(&["show"]).without("PROFILE_API_KEY").run();
    show.stdout();
    let plain = fixture.run(&["site", "--base-url", "http://profiles.example"]);
    let stderr = plain.stderr();
    assert!(
        stderr.contains("use https") && !stderr.contains("allow"),
        "{plain}"
    );
}

#[tokio::test]
async fn keys_follow_the_documented_precedence() {
    let fixture = Fixture::new().await;
    let keys = fixture.service.keys();
    fixture
        .log_in(&keys.analytics, &["--account", "mine"])
        .stdout();
    let key_file = fixture.file("key", format!(" {}\r\n\n", keys.links));
    let status = |arguments: &[&str]| {
        let arguments = [&["auth", "status", "--json"], arguments].concat();
        Program::new(fixture.home.path(), &arguments)
    };
    let source = |program: Program| {
        let status = program.run().json();
        (status["key"]["source"].clone(), status["scopes"][0].clone())
    };
    let stored = ("account mine".into(), "analytics:read".into());
    assert_eq!(source(status(&[])), stored);
    let with_file = || status(&[]).env("PROFILE_API_KEY_FILE", &key_file);
    assert_eq!(
        source(with_file()),
        ("PROFILE_API_KEY_FILE".into(), "links:write".into())
    );
    let with_both = with_file().env("PROFILE_API_KEY", &keys.analytics);
    assert_eq!(
        source(with_both),
        ("PROFILE_API_KEY".into(), "analytics:read".into())
    );
    let with_flag = status(&["--account", "mine"]).env("PROFILE_API_KEY", &keys.analytics);
    assert_eq!(source(with_flag), stored);
    let other = status(&[])
        .env("PROFILE_BASE_URL", "http://127.0.0.1:1")
        .run();
    let withheld = &other.error()["failures"][0];
    assert_eq!(withheld["exit_code"], 2, "the key stays with its service");
}

#[tokio::test]
async fn a_stored_key_stays_with_its_service() {
    let fixture = Fixture::new().await;
    let other = MockServer::start().await;
    fixture.log_in(fixture.service.key(), &[]).stdout();
    for (command, is_keyless) in [
        ("badges", true),
        ("site", true),
        ("show", false),
        ("api me", false),
    ] {
        let words: Vec<_> = command.split(' ').collect();
        let typed = [&words[..], &["--base-url", other.uri(), "--json"]].concat();
        let with_variable = [&words[..], &["--json"]].concat();
        let runs = [
            fixture.run_stored(&typed),
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
    fixture.run_stored(&["show", "--base-url", &same]).stdout();
}

#[tokio::test]
async fn a_typed_base_url_is_matched_to_its_account() {
    let fixture = Fixture::new().await;
    let work = MockServer::start().await;
    fixture
        .log_in_to(work.uri(), work.key(), &["--account", "work"])
        .stdout();
    fixture.log_in(fixture.service.key(), &[]).stdout();
    let show = fixture.run_stored(&["show", "--base-url", work.uri()]);
    assert_eq!(show.code(), 2, "{show}");
    let hint = "hint: add --account work, whose key is for this URL\n";
    assert!(show.stderr().ends_with(hint), "{show}");
}

/// Parsers of URLs replace or remove these characters, each in its own way.
#[tokio::test]
async fn ambiguous_base_urls_are_rejected() {
    let fixture = Fixture::new().await;
    for base_url in [
        "http://127.0.0.1\\@127.0.0.2:19720",
        "http:\\evil.example",
        "http:\\\\127.0.0.1",
        "http://127.0.0.1:1/ x",
        "http://127.0.0\t.1:1",
        "https://profiles.example\n",
    ] {
        for command in [&["show"][..], &["auth", "login", "--with-token"]] {
            let program = fixture.program(command).env("PROFILE_BASE_URL", base_url);
            let run = program.stdin(fixture.service.key()).run();
            assert_eq!(run.code(), 2, "{base_url:?}: {run}");
            run.says(" contains '");
            assert_eq!(run.stdout_bytes(), b"", "{run}");
        }
        let set = fixture.run(&["config", "set", "base_url", base_url]);
        assert_eq!(set.code(), 2, "{set}");
    }
}

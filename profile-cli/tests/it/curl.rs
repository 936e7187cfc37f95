//! `--curl`: the command sends the key to the same host as the program, and shows it to nobody.

use std::fs;
use std::process::Command;

use crate::program::{Fixture, Program, home, run};

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
        for command in [
            &["show", "--curl"][..],
            &["show"],
            &["auth", "login", "--with-token"],
            &["auth", "login", "--curl"],
        ] {
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

#[test]
fn prints_the_url_as_it_was_parsed() {
    let home = home();
    let key = [("PROFILE_API_KEY", "k")];
    let base_url = ["--base-url", "HTTPS://Profiles.EXAMPLE:443/a/../b"];
    let show = [&["show", "--curl"], &base_url[..]].concat();
    let printed = run(home.path(), &key, &show);
    let url = "'https://profiles.example/b/api/v1/me'";
    assert!(printed.stdout().contains(url), "{printed}");
}

/// curl honors the proxy variables and NO_PROXY in other cases than the program.
#[tokio::test]
async fn names_the_proxy_of_the_program() {
    let fixture = Fixture::new().await;
    let printed = |base_url: &str, environment: &[(&str, &str)]| {
        let program = Program::new(fixture.home.path(), &["show", "--curl"]);
        let program = program.env("PROFILE_API_KEY", "canary").envs(environment);
        let run = program.env("PROFILE_BASE_URL", base_url).run();
        run.stdout();
        assert!(!run.to_string().contains("hush"), "{run}");
        run
    };
    let proxies = [
        ("http_proxy", "http://127.0.0.1:9"),
        ("HTTPS_PROXY", "http://ada:hush@127.0.0.1:9"),
    ];
    let run = printed(fixture.service.uri(), &proxies);
    assert!(run.stdout().contains(" --noproxy '*' "), "{run}");
    let run = printed("https://profiles.example", &[]);
    assert!(run.stdout().contains(" --noproxy '*' "), "{run}");
    for base_url in ["https://profiles.example", "HTTPS://profiles.example"] {
        let run = printed(base_url, &proxies);
        let option = " --proxy 'http://127.0.0.1:9' --noproxy '' ";
        assert!(run.stdout().contains(option), "{run}");
        run.says("--proxy-user");
    }
    let base_url = format!("--base-url={}", fixture.service.uri());
    let login = ["auth", "login", "--curl", &base_url];
    let login = fixture.without_settings(&login).envs(&proxies).run();
    assert!(login.stdout().contains(" --noproxy '*' "), "{login}");
}

/// Runs the printed command with a `curl` that records its arguments and its input.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_key_is_not_an_argument() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let script = "#!/bin/sh\ntr '\\0' ' ' </proc/$$/cmdline >arguments\ncat >input\n";
    crate::config_owner::set_mode(fixture.file("curl", script), 0o755);
    let commands = fixture.run(&["set", "--bio", "Hi", "--curl"]);
    let path = format!("{}:{}", home.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", commands.stdout()]).current_dir(home);
    let shell = shell.env("PATH", path).env("PROFILE_API_KEY", "canary");
    assert!(shell.status().unwrap().success(), "{commands}");
    let read = |name| fs::read_to_string(home.join(name)).unwrap();
    assert_eq!(read("input"), "Authorization: Bearer canary\n");
    let arguments = read("arguments");
    assert!(arguments.contains("/api/v1/me/profile"), "{arguments}");
    assert!(!arguments.contains("canary"), "{arguments}");
}

#[tokio::test]
async fn a_body_that_is_too_long_for_an_argument_is_an_error() {
    let fixture = Fixture::new().await;
    for (length, code) in [(100 * 1024 - 20, 0), (100 * 1024, 2)] {
        let program = fixture.program(&["post", "create", "-", "--curl"]);
        let run = program.stdin("x".repeat(length)).run();
        assert_eq!(run.code(), code, "{length}");
        let is_named = run.stderr().contains("the body is longer than 100 KiB");
        assert_eq!(is_named, code == 2, "{}", run.stderr());
    }
}

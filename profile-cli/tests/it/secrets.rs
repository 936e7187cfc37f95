//! The program never prints the key, except for `auth token`.

use std::thread;

use mock_server::wiremock::{Request, ResponseTemplate};
use serde_json::json;

use crate::program::{Fixture, IDLE_EDITOR, Program, Run, configure, home, run};
use crate::walk::{Setting, rows};

const CANARY: &str = "canary-93d1b7";

/// Secrets of the user, which the service repeats in everything that it sends.
const SECRETS: [&str; 2] = ["canary-93d1b7/4e+0e8c~5a17", "5d02c8-webhook'&<canary>.7"];

/// Returns texts with the secrets: after what is left of an escape sequence, split by invisible characters, encoded,
/// and at each place where messages are cut.
fn texts() -> Vec<String> {
    let texts = SECRETS.iter().flat_map(|secret| {
        let split = secret.chars().flat_map(|c| [c, '\u{200b}']).collect();
        let percent = secret.bytes().map(|byte| format!("%{byte:02x}"));
        let cuts = [40, 50, 60, 100, 200];
        let cuts = cuts.map(|cut| "x".repeat(cut + 2 - secret.len()) + secret);
        let escaped = format!("\u{1b}[{secret}\u{1b}]0;{secret}");
        cuts.into_iter().chain([escaped, split, percent.collect()])
    });
    texts.collect()
}

/// Returns a profile and errors with the secrets in all places.
fn responses() -> Vec<(u16, String)> {
    let [key, secret] = SECRETS;
    let (texts, all) = (texts(), texts().join(" "));
    let link = |text: &String| json!({"id": text, "title": text, "url": format!("x:{text}")});
    let post = |text: &String| json!({"id": text, "body": text});
    let known = ["link_1", "post_3"].map(str::to_owned);
    let profile = json!({"data": {
        "handle": key, "display_name": all, "bio": all, "email": all, "location": all,
        "accent_color": all, "id": secret, "title": all, "url": all, "body": all,
        "links": texts.iter().chain(&known).map(link).collect::<Vec<_>>(),
        "posts": texts.iter().chain(&known).map(post).collect::<Vec<_>>(),
        "badges": [{"id": all, "name": all, "kind": all}],
        "key": {"scopes": [key, all], "rate_limit": all},
        "views": all, key: all, "daily": [{"date": all, "views": 1}],
    }});
    let fields = texts
        .iter()
        .map(|text| json!({"field": text, "message": text}));
    let fields: Vec<_> = fields.collect();
    let refusals = [
        (401, key),
        (403, secret),
        (404, key),
        (422, secret),
        (500, key),
    ];
    let refusals = refusals.map(|(status, cut)| {
        let message = "x".repeat(502 - cut.len()) + cut + &all;
        let error = json!({"code": key, "message": message, "fields": fields});
        (status, json!({"error": error, secret: all}).to_string())
    });
    // Errors show the start of a body.
    let long = key.to_owned() + &"x".repeat((64 << 10) - key.len() - 20) + secret + "x";
    let others = [
        (200, profile.to_string()),
        (200, json!({ "data": all }).to_string()),
        (200, format!("<html>{all}")),
        (200, format!("{{{all}")),
        (302, all.clone()),
        (400, long),
    ];
    others.into_iter().chain(refusals).collect()
}

#[tokio::test]
async fn no_output_contains_a_secret() {
    let [key, secret] = SECRETS;
    let mut services = Vec::new();
    for (status, body) in responses() {
        let response = ResponseTemplate::new(status)
            .insert_header("location", format!("https://evil.example/?{key}"))
            .insert_header("x-request-id", key)
            .insert_header("x-other", secret);
        services.push(Fixture::responding(response.set_body_string(body)).await);
    }
    let echo = |request: &Request| {
        ResponseTemplate::new(400).set_body_string(format!("{:?}", request.headers))
    };
    services.push(Fixture::responding(echo).await);
    services.push(Fixture::new().await);
    let uris = services.iter().map(|fixture| fixture.service.uri());
    let uris: Vec<_> = uris.chain(["http://127.0.0.1:1", "not a URL"]).collect();
    let invalid = [format!("{key} two"), format!("{key}é")];
    // At once, because the program waits before it retries.
    thread::scope(|scope| {
        for (number, base_url) in uris.iter().enumerate() {
            // The output of local commands does not depend on responses.
            let with_local = number == 0 || number >= services.len();
            scope.spawn(move || check_all(base_url, key, number == 0, with_local));
        }
        for key in &invalid {
            let base_url = services.last().unwrap().service.uri();
            scope.spawn(move || check_all(base_url, key, false, true));
        }
    });
}

#[track_caller]
fn check_all(base_url: &str, key: &str, in_all_formats: bool, with_local: bool) {
    let formats = [
        &["-o", "table", "-vvv"][..],
        &["--json"],
        &["-o", "csv"],
        &["-o", "tsv"],
        &["--jq", ".. | strings"],
    ];
    let formats = &formats[..if in_all_formats { 5 } else { 2 }];
    // `auth token` is the one command that prints the key.
    let rows = rows().filter(|row| row.command != "auth token");
    for row in rows.filter(|row| with_local || !row.is_local()) {
        // Each of its deliveries is logged as that of `webhook send`.
        let is_logged = row.command != "webhook probe" || in_all_formats;
        for further in formats {
            let without_log = further.split(|option| *option == "-vvv").next().unwrap();
            let further = if is_logged { further } else { without_log };
            let home = home();
            let setting = Setting {
                home: home.path(),
                base_url,
                key,
            };
            let program = row.program(&setting, &[further, &["--retries", "0"][..]].concat());
            let run = row.run(program.env("PROFILE_WEBHOOK_SECRET", SECRETS[1]));
            let printed = run.to_string();
            for secret in SECRETS {
                let parts = [&secret[..8], &secret[secret.len() - 8..]];
                let is_shown = parts.iter().any(|part| printed.contains(part));
                assert!(!is_shown, "{} {further:?}: {printed}", row.command);
            }
        }
    }
}

/// The service shows the key in every text, split by an invisible character in one of them.
#[tokio::test]
async fn results_contain_no_key() {
    let split = CANARY.replace('-', "-\u{200b}");
    let link = |id: &str| json!({"id": id, "title": CANARY, "url": format!("x:{CANARY}")});
    let me = json!({"data": {
        "handle": CANARY,
        "display_name": CANARY,
        "bio": format!("a {CANARY}\u{1b}[1m {split} {}", "b".repeat(35)),
        "email": CANARY,
        "location": CANARY.replace('-', "-\u{1}"),
        "links": [link("1"), link(CANARY)],
        "posts": [{"id": "1", "body": format!("{}{CANARY}", "c".repeat(40))}],
        "other": {CANARY: CANARY},
    }});
    let fixture = Fixture::responding(ResponseTemplate::new(200).set_body_json(&me)).await;
    let file = &fixture.file("file.toml", "links = []\n[profile]\nbio = \"b\"\n");
    let name = format!("{CANARY}={CANARY}");
    for command in [
        &["show"][..],
        &["show", "-vvv"],
        &["link", "list"],
        &["post", "list"],
        &["apply", file, "--prune", "--dry-run"],
        &["link", "edit", "1", "--title", "t", "--dry-run"],
        &["link", "delete", "1", "--dry-run"],
        &["api", "me/posts", "-f", &name, "--dry-run"],
        &["auth", "status"],
    ] {
        for format in [
            &["-o", "table"][..],
            &["-o", "tsv"],
            &["-o", "csv"],
            &["--json"],
        ] {
            let program = fixture.program(&[command, format].concat());
            check_redacted(&program.env("PROFILE_API_KEY", CANARY).run(), CANARY);
        }
    }
    for command in [
        &["show", "--jq", ".bio, (.bio | split(\"\") | join(\"\"))"][..],
        &["link", "list", "--jq", ".[0].title | explode | implode"],
        &["link", "delete", "1", "--yes"],
        &["diff", file, "--prune"],
        &["diff", file, "--prune", "--json"],
        &["api", &format!("me?k={CANARY}"), "-f", &name, "-vvv"],
    ] {
        check_redacted(&fixture.run_with_key(CANARY, command), CANARY);
    }
    check_redacted(&fixture.log_in(CANARY, &["--account", "work"]), CANARY);
    // The key is the handle, but does not become the name of the account.
    fixture.log_in(CANARY, &[]).stdout();
    let accounts = fixture.run_stored(&["auth", "list"]);
    assert!(!accounts.stdout().contains(CANARY), "{accounts}");
    for shell in ["bash", "zsh"] {
        let program = fixture.program(&["--", "profile", "link", "delete", ""]);
        let program = program
            .env("PROFILE_COMPLETE", shell)
            .env("_CLAP_COMPLETE_INDEX", "3");
        let printed = program.env("PROFILE_API_KEY", CANARY).run().to_string();
        assert!(!printed.contains("canary"), "{printed}");
    }
}

#[track_caller]
fn check_redacted(run: &Run, key: &str) {
    let printed = run.to_string();
    assert!(!printed.contains(key), "{printed}");
    assert!(printed.contains("[redacted]"), "{printed}");
}

#[tokio::test]
async fn the_key_is_not_written_to_a_file() {
    let link = json!({"id": "1", "title": "t", "url": format!("x:{CANARY}")});
    for (me, export, edit) in [
        (json!({"bio": CANARY}), "bio", "bio"),
        (json!({"links": [link]}), "links.1.url", ""),
        (json!({"handle": CANARY}), "handle", "handle"),
    ] {
        let body = json!({ "data": me });
        let fixture = Fixture::responding(ResponseTemplate::new(200).set_body_json(body)).await;
        let file = fixture.home.path().join("file.toml");
        for (command, field) in [
            (&["export"][..], export),
            (&["export", "--json"], export),
            (&["export", file.to_str().unwrap()], export),
            (&["edit"], edit),
        ] {
            let program = fixture.program(command).env("PROFILE_EDITOR", IDLE_EDITOR);
            let program = program.env("PATH", "/usr/bin:/bin");
            let run = program.env("PROFILE_API_KEY", CANARY).run();
            assert_eq!(run.code(), i64::from(!field.is_empty()), "{run}");
            run.says(field);
            assert!(!run.to_string().contains(CANARY), "{run}");
        }
        assert!(!file.exists());
    }
}

#[test]
fn a_key_as_an_argument_is_not_echoed() {
    let home = home();
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
async fn a_key_as_another_argument_is_not_repeated() {
    let fixture = Fixture::new().await;
    let key = fixture.service.key();
    let option = format!("--colour={key}");
    for arguments in [
        &["show", key][..],
        &[key],
        &["auth", key],
        &["auth", "switch", key],
        &["show", "--account", key],
        &["config", "get", key],
        &["config", "set", "output", key],
        &["config", "set", key, "x"],
        &["config", "set", "account", key],
        &["show", "--timeout", key],
        &["-o", key, "show"],
        &["show", &option],
        &["set", "--location", "x", key],
        &["help", &option],
        &["show", &format!("--{key}")],
        &["webhook", "probe", key],
        &["webhook", "listen", "--forward-to", key],
        &["auth", "switch", "--base-url", key],
        &["set", "--accent-color", key],
        &["stats", "--days", key],
        &["link", "edit", "1", "--url", key],
        &["link", "add", "t", key],
        &["link", "add", "t", "https://example.org", key],
        &[
            "api",
            "me",
            "-f",
            &format!("{key}=1"),
            "-f",
            &format!("{key}=2"),
        ],
    ] {
        for json in [&[][..], &["--json"]] {
            let run = fixture.without_settings(&[arguments, json].concat());
            let run = run.env("PROFILE_BASE_URL", fixture.service.uri()).run();
            assert_eq!(run.code(), 2, "{run}");
            assert!(!run.to_string().contains(key), "{run}");
        }
    }
    for arguments in [
        &["config", "list", "--account", key][..],
        &["auth", "status", "--base-url", key],
        &["show", "--jq", key],
        &["webhook", "listen", "--addr", &format!("{key}:x")],
        &["webhook", "send", key, "--to", "http://127.0.0.1:1"],
    ] {
        let variables = [("PROFILE_API_KEY", key), ("PROFILE_WEBHOOK_SECRET", key)];
        let run = fixture.without_settings(arguments).envs(&variables).run();
        assert!(!run.to_string().contains(key), "{run}");
    }
    for name in ["retries", "accounts", "accounts.a.key_store"] {
        configure(fixture.home.path(), &format!("{name} = {key:?}\n"));
        check_redacted(&fixture.run_stored(&["auth", "list"]), key);
    }
}

#[tokio::test]
async fn a_word_as_another_argument_is_repeated() {
    let fixture = Fixture::new().await;
    for (command, word) in [
        (&["show"][..], "background_color"),
        (&["show"], "--background_color"),
        (&["show"], "dispIay_name1"),
        (&["config", "get"], "default_output"),
        (&["auth", "switch"], "work_account_2"),
        (&["auth", "switch"], "ada-2026.example"),
    ] {
        let run = fixture.run(&[command, &[word]].concat());
        let is_shown = word != "ada-2026.example";
        assert_eq!(run.stderr().contains(word), is_shown, "{run}");
    }
}

/// A key that is a name in the JSON of the program or of the service, or so short that it is a placeholder.
#[tokio::test]
async fn a_key_that_is_a_name_does_not_break_the_json() {
    for key in ["message", "exit_code", "outcome", "handle", "e", "1", "id"] {
        let shown = if key.len() < 6 { key } else { "[redacted]" };
        let mut body = json!({"error": {"code": "too_long", "message": format!("no {key}")}});
        body[key] = json!("x");
        let refusal = ResponseTemplate::new(422).set_body_json(body);
        let fixture = Fixture::responding(refusal).await;
        for command in [
            &["set", "--bio", "b", "--json"][..],
            &["api", "me", "--json"],
        ] {
            let error = fixture.run_with_key(key, command).error();
            assert_eq!(error["code"], "rejected", "{error}");
            assert_eq!(error["exit_code"], 6, "{error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(&format!("422: no {shown}")), "{error}");
            assert!(
                command[0] == "api" || error["outcome"] == "not_done",
                "{error}"
            );
            assert!(
                command[0] == "set" || error["body"][shown] == "x",
                "{error}"
            );
        }
        let data = json!({"data": {"bio": "b", "extra": {key: key}}});
        let answer = ResponseTemplate::new(200).set_body_json(data);
        let fixture = Fixture::responding(answer).await;
        for (command, pointer) in [
            (&["show", "--json"][..], "/extra"),
            (&["api", "me", "--json"], "/data/extra"),
            (&["show", "--jq", "{bio, extra}"], "/extra"),
        ] {
            let run = fixture.run_with_key(key, command);
            let json: serde_json::Value = serde_json::from_slice(run.stdout_bytes()).unwrap();
            assert_eq!(json.pointer(pointer), Some(&json!({shown: shown})), "{run}");
        }
        let listed = fixture.run_with_key(key, &["auth", "status", "--json"]);
        assert!(listed.json().get("warnings").is_some(), "{listed}");
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
    for (filter, code) in [
        (".token", 0),
        (".token | error", 2),
        (".token[1:] | error", 2),
    ] {
        let run = fixture.run_stored(&["auth", "token", "--jq", filter]);
        assert_eq!(run.code(), code, "{run}");
        assert!(!run.stderr().contains(&key[1..]), "{run}");
    }
    let other = fixture.run_stored(&["auth", "token", "--base-url", "http://127.0.0.1:1"]);
    assert_eq!(other.code(), 2, "{other}");
    let none = home();
    assert_eq!(run(none.path(), &[], &["auth", "token"]).code(), 4);
}

/// URLs with the password `hush`: valid, wrong, and those that cannot be parsed.
const URLS: [&str; 15] = [
    "http://ada:hush@127.0.0.1:1",
    "https://hush@127.0.0.1:1/",
    "http://ada:x#hush@127.0.0.1:1",
    "https://ada:80/hush@127.0.0.1:1",
    "https://127.0.0.1:1/hush@x",
    "http:/ada:hush@127.0.0.1:1",
    "https:ada:hush@127.0.0.1:99999",
    "https://ada:hush@127.0.0.1:1/?x=1#y",
    "https://ada:%40hush%40x@127.0.0.1:1",
    "https://ada:hush%40127.0.0.1:1",
    "https://ada:hush@x@127.0.0.1:1",
    "https://ada:x hush\n@ho st",
    "ftp://ada:hush@127.0.0.1:1",
    "ada:hush@127.0.0.1:1",
    "//ada:hush@[",
];

/// The places of a setting with a URL.
const SETTINGS: [&str; 6] = [
    "option",
    "variable",
    "file",
    "account",
    "proxy variable",
    "proxy",
];

#[test]
fn the_password_of_a_url_is_not_printed() {
    thread::scope(|scope| {
        for url in URLS {
            scope.spawn(move || SETTINGS.iter().for_each(|place| check_setting(place, url)));
            scope.spawn(move || check_arguments(url));
        }
    });
}

#[track_caller]
fn check_setting(place: &str, url: &str) {
    let home = home();
    let option = ["--base-url", url];
    let option = if place == "option" { &option[..] } else { &[] };
    let (name, value) = match place {
        "variable" => ("PROFILE_BASE_URL", url),
        "proxy variable" => ("HTTPS_PROXY", url),
        _ => ("PROFILE_API_KEY", "key"),
    };
    let _ = match place {
        "file" => configure(home.path(), &format!("base_url = {url:?}\n")),
        "account" => {
            let account = format!("[accounts.a]\nbase_url = {url:?}\nkey_store = \"file\"\n");
            configure(home.path(), &format!("account = \"a\"\n{account}"))
        }
        "proxy" => configure(home.path(), &format!("proxy = {url:?}\n")),
        _ => home.path().to_owned(),
    };
    for arguments in [
        &["config", "list"][..],
        &["config", "get", "base_url"],
        &["config", "get", "proxy"],
        &["auth", "list", "--json"],
        &["auth", "status"],
        &["auth", "login", "--with-token"],
        &["show", "-vvv", "--retries", "0", "--json"],
    ] {
        let is_proxy = place.starts_with("proxy");
        let program = Program::new(home.path(), &[arguments, option].concat()).stdin("key");
        let program = match is_proxy {
            true => program.env("PROFILE_BASE_URL", "https://127.0.0.1:1"),
            false => program,
        };
        let run = program.env("PROFILE_API_KEY", "key").env(name, value).run();
        let printed = run.to_string();
        assert!(!printed.contains("hush"), "{place} {url}: {printed}");
    }
}

#[track_caller]
fn check_arguments(url: &str) {
    let home = home();
    let check = |arguments: &[&str], variables: &[(&str, &str)]| {
        for further in [&[][..], &["--json"]] {
            let program = Program::new(home.path(), &[arguments, further].concat());
            let printed = program.envs(variables).run().to_string();
            assert!(!printed.contains("hush"), "{arguments:?} {url}: {printed}");
        }
    };
    for arguments in [
        &[url][..],
        &["show", url],
        &["show", "--timeout", url],
        &["show", "--account", url],
        &["diff", url],
        &["webhook", "listen", "--addr", &format!("{url}:x")],
        &["auth", "login", url],
        &["config", "set", "base_url", url],
        &["config", "set", "proxy", url],
        &["config", "set", "output", url],
        &["webhook", "send", "post.liked", url, "--to", "http://x"],
    ] {
        check(arguments, &[("PROFILE_WEBHOOK_SECRET", "secret")]);
    }
    let base_url = ("PROFILE_BASE_URL", "http://127.0.0.1:1");
    if url.contains("//") {
        check(&["api", url], &[base_url]);
    }
    for name in ["PROFILE_OUTPUT", "PROFILE_LOG", "PROFILE_API_KEY_FILE"] {
        check(&["show", "--retries", "0"], &[(name, url), base_url]);
    }
    // The path of a receiver may contain an `@`.
    let with_query = format!("{url}?token=hush");
    for url in [url, &with_query]
        .into_iter()
        .filter(|url| !url.contains("/hush"))
    {
        let secret = [("PROFILE_WEBHOOK_SECRET", "secret")];
        check(&["webhook", "send", "post.liked", "--to", url], &secret);
        check(&["webhook", "replay", "file", "--to", url], &secret);
        check(&["webhook", "probe", url], &secret);
        check(&["webhook", "listen", "--forward-to", url], &[]);
    }
}

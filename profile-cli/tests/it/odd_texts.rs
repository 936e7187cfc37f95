//! Text from the service that could control a terminal or look like other text.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;
use serde_json::json;

use crate::edit::{changes, set_location};
use crate::program::{Fixture, IDLE_EDITOR};
use crate::pseudo_terminal::Terminal;

/// Starts a service that returns this response to every request.
async fn fixture(status: u16, body: serde_json::Value) -> Fixture {
    let answer = ResponseTemplate::new(status).set_body_string(body.to_string());
    Fixture::responding(answer).await
}

const ODD: &str = "a\u{9b}31mb\u{202e}c\u{2028}d\u{200b}\u{feff}\u{e0041}e\tf";

/// The characters of it that could control a terminal or reorder text.
const STEERING: [char; 3] = ['\u{9b}', '\u{202e}', '\u{2028}'];

#[tokio::test]
async fn json_escapes_control_characters() {
    let fixture = fixture(
        200,
        json!({"data": {"handle": ODD, "key": {"scopes": [ODD]}}}),
    )
    .await;
    let escaped = r#""a\u009b31mb\u202ec\u2028d"#;
    for arguments in [
        &["show", "--json"][..],
        &["auth", "status", "--json"],
        &["api", "me", "--json"],
    ] {
        let run = fixture.run(arguments);
        assert!(run.stdout().contains(escaped), "{run}");
        assert!(!run.stdout().contains(STEERING), "{run}");
    }
}

#[tokio::test]
async fn csv_and_tsv_remove_characters_only_on_a_terminal() {
    let title = format!("{ODD}\u{1b}[31m\r\n");
    let link = json!({"id": 1, "title": title, "url": "https://x"});
    let fixture = fixture(200, json!({"data": {"links": [link]}})).await;
    let fields = title.replace('\t', "\\t").replace('\r', "\\r");
    let fields = fields.replace('\n', "\\n");
    for (format, expected) in [
        ("csv", format!("id,title,url\n1,\"{title}\",https://x\n")),
        ("tsv", format!("1\t{fields}\thttps://x\n")),
    ] {
        let run = fixture.run(&["link", "list", "-o", format]);
        assert_eq!(run.stdout(), expected);
        {
            let list = fixture.program(&["link", "list", "-o", format]);
            let (_, seen) = Terminal::start(list).ends();
            assert!(
                !seen.contains(['\u{9b}', '\u{200b}', '\u{202e}', '\u{1b}']),
                "{seen:?}"
            );
        }
    }
}

#[tokio::test]
async fn failures_escape_control_characters() {
    let fixture = fixture(404, json!({"message": ODD})).await;
    let run = fixture.run(&["api", "me", "--json"]);
    assert!(!run.stderr().contains(STEERING), "{run}");
}

/// Characters and sequences that control a terminal, reorder text or are invisible.
const HOSTILE: [&str; 11] = [
    "\u{1b}]0;title\u{7}",
    "\u{1b}[2J",
    "\u{9b}2J",
    "\u{85}",
    "\r",
    "\u{8}",
    "\u{202e}",
    "\u{3164}",
    "\u{115f}",
    "\u{1160}",
    "\u{ffa0}",
];

#[tokio::test(flavor = "multi_thread")]
async fn prompts_remove_control_and_invisible_characters() {
    for text in HOSTILE.into_iter().chain(["\u{1b}]0;unterminated"]) {
        let reads = std::sync::atomic::AtomicUsize::new(0);
        // A prompt must not lose the end.
        let title = format!("a{text}end");
        let (typed, url) = (title.clone(), format!("https://a/{title}"));
        let fixture = Fixture::responding(move |_: &mock_server::wiremock::Request| {
            let reads = reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let me = json!({"data": {
                "handle": "demo",
                "location": format!("{title}{reads}"),
                "links": [{"id": "1", "title": title, "url": url}, {"id": title, "title": "t", "url": "x:y"}],
                "posts": [{"id": "1", "body": title}],
            }});
            ResponseTemplate::new(200).set_body_string(me.to_string())
        })
        .await;
        let file = &fixture.file("file.toml", "links = []");
        for (command, question) in [
            (&["link", "delete", "1"][..], "? [y/N] "),
            (&["link", "delete", "1", &typed], "? [y/N] "),
            (&["post", "delete", "1"], "? [y/N] "),
            (
                &["apply", file, "--prune"],
                "which are not in the file? [y/N] ",
            ),
            (&["edit"], "stop and keep the text (n)? [y] "),
        ] {
            let program = fixture.program(command).env("TERM", "dumb");
            let program = program.env("PROFILE_EDITOR", changes(0, set_location));
            let (_, seen) = Terminal::answered(program, question, "n\n").ends();
            let seen = seen.replace("\r\n", "\n");
            let hidden = |c: char| {
                (c.is_control() && c != '\n') || HOSTILE.iter().any(|text| *text == c.to_string())
            };
            assert!(!seen.contains(hidden), "{command:?}: {seen:?}");
            assert!(seen.contains("end"), "{command:?}: {seen:?}");
        }
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn json_and_toml_escape_invisible_characters_on_terminals() {
    let wales = "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
    let bio = &format!("a\u{ad}b\u{200b}c\u{200e}d\u{e0041}e{wales}");
    let fixture = fixture(200, json!({"data": {"handle": "demo", "bio": bio}})).await;
    let json = r"a\u00adb\u200bc\u200ed\udb40\udc41e";
    let toml = r"a\u00ADb\u200Bc\u200Ed\U000E0041e";
    for (command, escaped) in [
        (&["show", "--json"][..], json),
        (&["export", "--json"], json),
        (&["show", "--jq", "{bio: .bio}"], json),
        (&["set", "--bio", bio, "--dry-run"], json),
        (&["export"], toml),
    ] {
        let seen = Terminal::start(fixture.program(command)).ends_with(0);
        assert!(seen.contains(escaped), "{command:?}: {seen}");
        assert!(seen.contains(wales), "{command:?}: {seen}");
    }
    let piped = fixture.run(&["show", "--json"]);
    assert!(piped.stdout().contains(bio), "{piped}");
    let piped = fixture.run(&["export"]);
    assert!(piped.stdout().contains("a\u{ad}b"), "{piped}");
}

/// Half of an emoji, a number beyond a double, and deep arrays hide only themselves.
#[tokio::test]
async fn values_that_cannot_be_read_hide_only_themselves() {
    let deep = "[".repeat(130) + &"]".repeat(130);
    for odd in [r#""\ud83d""#, "1e400", &deep, "NaN", "[Infinity]"] {
        // `api` reads the bytes as they are.
        let is_json = !odd.contains(['N', 'I']);
        let link = format!(r#"{{"id":"1","title":"T \ud83d","url":"https://x","x":{odd}}}"#);
        let data = format!(
            r#"{{"id":"1","body":"Hello","bio":"b\ud83d","x":{odd},"\ud83d":{odd},"links":[{link}],
                "posts":[{{"id":"2","body":"Hello","x":{odd}}}]}}"#
        );
        let fixture = responding(format!(r#"{{"data":{data}}}"#)).await;
        for (arguments, expected) in [
            (&["link", "list"][..], "1\tT \u{fffd}\thttps://x\n"),
            (&["post", "list"], "2\tHello\n"),
            (&["post", "create", "Hello"], "id\t1\nbody\tHello\n"),
            (&["show", "--jq", ".bio"], "b\u{fffd}\n"),
            (&["link", "list", "--jq", ".[].title"], "T \u{fffd}\n"),
            (&["api", "me", "--jq", ".data.bio"], "b\u{fffd}\n"),
        ] {
            let run = fixture.run(arguments);
            match is_json || arguments[0] != "api" {
                true => assert_eq!(run.stdout(), expected, "{arguments:?} {odd}"),
                false => assert_eq!(run.code(), 1, "{arguments:?} {odd}"),
            }
        }
        let shown = fixture.run(&["show", "--json"]).json();
        assert_eq!(shown["bio"], "b\u{fffd}");
        match odd {
            "NaN" => assert_eq!(shown["x"], json!(null)),
            "[Infinity]" => assert_eq!(shown["x"], json!([null])),
            _ => assert!(!shown["x"].is_null(), "{shown}"),
        }
        let badges = format!(
            r#"[{{"id":"b","name":"B","description":"d","color":"\ud83d","kind":"auto","x":{odd}}}]"#
        );
        let fixture = responding(format!("\u{feff}{{\"data\":{badges}}}")).await;
        let listed = fixture.run(&["badges"]);
        assert!(listed.stdout().starts_with("b\tB\t"), "{listed}");
        if is_json {
            let names = fixture.run(&["api", "badges", "--jq", ".data[].name"]);
            assert_eq!(names.stdout(), "B\n");
        }
    }
}

#[tokio::test]
async fn a_file_with_half_of_an_emoji_has_a_warning_and_sends_nothing() {
    let profile = r#"{"data":{"handle":"demo","bio":"b\ud83d","location":"x",
        "links":[{"id":"1","title":"T \ud83d","url":"https://x"}]}}"#;
    let fixture = responding(profile.to_owned()).await;
    let file = fixture.home.path().join("profile.toml");
    let file = file.to_str().unwrap();
    let export = fixture.run(&["export", file]);
    expect![[r#"
        warning: bio contains U+FFFD in place of what could not be read, such as half of an emoji
        warning: links.1.title contains U+FFFD in place of what could not be read, such as half of an emoji
    "#]]
    .assert_eq(&export.stderr());
    let text = std::fs::read_to_string(file).unwrap();
    assert!(
        text.contains("bio = \"b\u{fffd}\"") && text.contains("title = \"T \u{fffd}\""),
        "{text}"
    );
    let apply = fixture.run(&["apply", file, "--json"]);
    assert_eq!(
        apply.json(),
        json!({"done": [], "not_done": [], "unknown": null})
    );
    let edit = fixture
        .program(&["edit", "--json"])
        .env("PROFILE_EDITOR", IDLE_EDITOR)
        .run();
    assert_eq!(edit.json()["result"], "unchanged");
    let warning = "warning: bio contains U+FFFD in place of what could not be read";
    assert!(edit.stderr().starts_with(warning), "{edit}");
}

/// Creates a service that responds to everything with a body.
async fn responding(body: String) -> Fixture {
    Fixture::responding(ResponseTemplate::new(200).set_body_raw(body, "application/json")).await
}

//! JSON that is valid only by halves: all calls read it in the same way, and what cannot be read hides
//! only itself.

use profile_sdk::plan::{DesiredLink, DesiredProfile, Source};
use profile_sdk::{
    ErrorKind, Link, LinkId, LinkUpdate, Method, NewLink, Profile, ProfileUpdate, SiteStats,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::canned_client::CannedClient;

/// Values that most parsers reject, with what is read.
fn odd_values() -> Vec<(String, Value)> {
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    vec![
        (r#""Ada \ud83d""#.to_owned(), json!("Ada \u{fffd}")),
        (r#""\ude00""#.to_owned(), json!("\u{fffd}")),
        ("1e999".to_owned(), json!("1e999")),
        ("-1e400".to_owned(), json!("-1e400")),
        ("NaN".to_owned(), Value::Null),
        ("[Infinity,-Infinity]".to_owned(), json!([null, null])),
        (deep, json!("deep")),
    ]
}

#[test]
fn an_odd_value_hides_only_itself() {
    let canned = CannedClient::new();
    let calls = |body: &str| {
        let typed = canned.read(canned.client.me(), body.as_bytes());
        let raw = || canned.client.raw_call(Method::Get, "/api/v1/me");
        let raw_data = canned.read(raw().read_data::<Value>(), body.as_bytes());
        let raw_body = canned.read(raw().read::<Value>(), body.as_bytes());
        let typed = typed.unwrap_or_else(|error| panic!("{error}"));
        let raw_data = raw_data.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(raw_body.unwrap()["data"], raw_data);
        (typed, raw_data)
    };
    for (odd, read) in odd_values() {
        let (typed, raw) = calls(&format!(
            r#"{{"data":{{"bio":"b","x":{odd},"links":[{{"title":"t","x":{odd}}}]}}}}"#
        ));
        assert_eq!(typed.bio.as_deref(), Some("b"));
        assert_eq!(typed.links()[0].title.as_deref(), Some("t"));
        assert_eq!(raw["bio"], "b");
        if read != "deep" {
            assert_eq!((&raw["x"], &typed.extra["x"]), (&read, &read));
            assert_eq!(typed.links()[0].extra["x"], read);
        }
    }
    // Texts, names, IDs and handles.
    let (profile, raw) = calls(
        r#"{"data":{"display_name":"Ada \ud83d","handle":"a\ud83d","\ud83d":1,
            "links":[{"id":"x\ud83d","title":"\ud83d!","url":"https://x/\ud83d"}]}}"#,
    );
    assert_eq!(profile.display_name.as_deref(), Some("Ada \u{fffd}"));
    assert_eq!(profile.handle.as_ref().unwrap().as_str(), "a\u{fffd}");
    assert_eq!(profile.extra["\u{fffd}"], 1);
    let link = &profile.links()[0];
    assert_eq!((&link.id, &link.extra["id"]), (&None, &json!("x\u{fffd}")));
    assert_eq!(link.title.as_deref(), Some("\u{fffd}!"));
    assert_eq!(link.url.as_deref(), Some("https://x/\u{fffd}"));
    assert_eq!(raw["display_name"], "Ada \u{fffd}");
}

#[test]
fn whole_numbers_are_ids() {
    let canned = CannedClient::new();
    for (json, id) in [
        ("7.0", Some("7")),
        ("7e0", Some("7")),
        ("7.5", None),
        ("-7.0", None),
    ] {
        let body = format!(r#"{{"data":{{"links":[{{"id":{json},"title":"t"}}]}}}}"#);
        let profile = canned.read(canned.client.me(), body.as_bytes()).unwrap();
        let read = profile.links()[0].id.as_ref().map(LinkId::to_string);
        assert_eq!(read.as_deref(), id, "{json}");
    }
}

#[test]
fn what_follows_the_value_is_an_error() {
    let canned = CannedClient::new();
    let site = r#"{"users":1,"views":2,"links":3}"#;
    let data = format!(r#"{{"data":{site}}}"#);
    for (body, is_valid) in [
        (data.clone(), true),
        (format!("\u{feff}{data}\r\n "), true),
        (
            data.replacen("{\"users\":1", "{\"users\":1,\"users\":1", 1),
            true,
        ),
        (format!(r#"{{"data":{{"users":0}},"data":{site}}}"#), true),
        (
            format!(r#"{{"x":{{"\ud83d":1}},"\ud83d":1,"data":{site}}}"#),
            true,
        ),
        (format!("{data}xyz"), false),
        (format!("{data}{{}}"), false),
        (format!("{data}<html>"), false),
        (format!("[{site}]"), false),
        (r#"{"data":[1,2,3]}"#.to_owned(), false),
        (site.to_owned(), false),
    ] {
        let raw = || canned.client.raw_call(Method::Get, "/api/v1/stats");
        let typed = canned.read(canned.client.site_stats(), body.as_bytes());
        let data = canned.read(raw().read_data::<SiteStats>(), body.as_bytes());
        let optional = canned.read(raw().read_data::<Option<SiteStats>>(), body.as_bytes());
        for (read, name) in [
            (typed, "typed"),
            (data, "read_data"),
            (optional.map(Option::unwrap_or_default), "an option"),
        ] {
            match read {
                Ok(stats) => assert!(is_valid && stats.users == 1, "{name} {body}"),
                Err(error) => {
                    assert!(!is_valid, "{name} {body} {error}");
                    assert_eq!(error.kind(), ErrorKind::Unreadable);
                }
            }
        }
        let response = canned.read(raw().read::<Value>(), body.as_bytes());
        let follows = !body.trim_end().ends_with(['}', ']']) || body.ends_with("{}");
        assert_eq!(response.is_err(), follows, "{body}");
    }
}

/// A count is not null, and a text of the word `NaN` stays one.
#[test]
fn what_is_not_a_number_hides_no_field_that_the_specification_defines() {
    let canned = CannedClient::new();
    for word in ["NaN", "Infinity", "-Infinity", "-NaN", "inf", "nan"] {
        let body = format!(r#"{{"data":{{"users":{word},"views":2,"links":3}}}}"#);
        let read = canned.read(canned.client.site_stats(), body.as_bytes());
        assert_eq!(read.unwrap_err().kind(), ErrorKind::Unreadable, "{word}");
        let body = format!(r#"{{"data":{{"bio":"{word}, {word}","id":"{word}"}}}}"#);
        let response = canned.send_call(canned.client.me(), body.as_bytes());
        let data = format!(r#"{{"bio":"{word}, {word}","id":"{word}"}}"#);
        assert_eq!(response.unwrap().raw_data(), Some(&*data));
    }
}

/// Returns the error for JSON that is not a `T`.
fn error_of<T: DeserializeOwned>(json: &str) -> String {
    let error = serde_json::from_str::<T>(json).err();
    let error = error.unwrap_or_else(|| panic!("{json} is accepted"));
    error.to_string()
}

#[test]
fn a_list_is_not_an_object() {
    type ErrorOf = fn(&str) -> String;
    let link = r#""title":"t","url":"x:y""#;
    let rows: [(ErrorOf, &str, &str); 6] = [
        (error_of::<NewLink>, link, r#""t","x:y""#),
        (error_of::<LinkUpdate>, r#""title":"t""#, r#""t",null"#),
        (
            error_of::<ProfileUpdate>,
            r#""bio":"b""#,
            r#"null,"b",null,null,null,null"#,
        ),
        (error_of::<Source>, r#""handle":"h""#, r#"null,"h""#),
        (error_of::<DesiredLink>, link, r#"1,"t","x:y""#),
        (error_of::<DesiredProfile>, r#""links":[]"#, "null,{},null"),
    ];
    let no_list = "invalid type: sequence, expected an object";
    for (error_of, fields, values) in rows {
        for (json, expected) in [
            (format!("[{values}]"), no_list),
            ("[]".to_owned(), no_list),
            ("null".to_owned(), "invalid type: null, expected an object"),
            (
                format!(r#"{{{fields},"x":1}}"#),
                "unknown field `x`, expected ",
            ),
            (format!("{{{fields},{fields}}}"), "duplicate field `"),
        ] {
            let error = error_of(&json);
            assert!(error.starts_with(expected), "{json}: {error}");
        }
    }
    for json in [
        r#"{"source":[null,"h"]}"#,
        r#"{"profile":[null,"b",null,null,null,null]}"#,
        r#"{"links":[["link_1","t","x:y"]]}"#,
    ] {
        let error = error_of::<DesiredProfile>(json);
        assert!(error.starts_with(no_list), "{json}: {error}");
    }
}

#[test]
fn raw_data_and_the_value_agree() {
    let canned = CannedClient::new();
    for body in [
        r#"{"data":{"bio":"a"},"data":{"bio":"b\ud83d"}}"#,
        "\u{feff}{\"\\udc00\":1,\"data\":{\"bio\":\"b\\ud83d\"}}",
    ] {
        let response = canned.send_call(canned.client.me(), body.as_bytes());
        let response = response.unwrap();
        assert_eq!(response.data().bio.as_deref(), Some("b\u{fffd}"));
        assert_eq!(response.raw_data(), Some(r#"{"bio":"b\ufffd"}"#));
        assert_eq!(response.body(), body.as_bytes());
        let read = Profile::from_json(response.raw_data().unwrap()).unwrap();
        assert_eq!(&read, response.data());
    }
}

#[test]
fn a_body_of_white_space_is_an_empty_one() {
    let canned = CannedClient::new();
    for body in ["", " ", "\r\n", "\u{feff}", "\u{feff}\n"] {
        let raw = || canned.client.raw_call(Method::Get, "/api/v1/stats");
        let read = canned.read(raw().read::<Option<u8>>(), body.as_bytes());
        assert_eq!(read.unwrap(), None, "{body:?}");
        let read = canned.read(raw().read_data::<Option<u8>>(), body.as_bytes());
        assert_eq!(read.unwrap(), None, "{body:?}");
        let read = canned.read(raw().read::<u8>(), body.as_bytes());
        let error = read.unwrap_err().to_string();
        assert!(error.contains("the response has no body"), "{error}");
    }
}

#[test]
fn errors_of_raw_calls_name_the_value_and_show_the_start_of_the_body() {
    let canned = CannedClient::new();
    let emoji = "\u{1f600}";
    let (map, text) = ("invalid type: map", "invalid type: string");
    for (body, reason) in [
        (json!({"a": 1}), format!("{map}, expected a sequence")),
        (json!([1, "x"]), format!("[1]: {text} \"x\", expected u8")),
        (
            json!([{}, emoji.repeat(200)]),
            format!("[0]: {map}, expected u8"),
        ),
    ] {
        let body = body.to_string();
        let call = canned.client.raw_call(Method::Get, "/api/v1/stats");
        let error = canned.read(call.read::<Vec<u8>>(), body.as_bytes());
        let start: String = body.chars().take(120).collect();
        let error = error.unwrap_err().to_string().replace("\\\"", "\"");
        let expected = format!("{reason}; the body starts with \"{start}\"");
        assert_eq!(error, format!("GET /api/v1/stats: {expected}"));
    }
}

#[test]
fn error_bodies_are_read_as_leniently() {
    let canned = CannedClient::new();
    for (odd, _) in odd_values() {
        for mark in ["", "\u{feff}"] {
            let body = format!(
                r#"{mark}{{"error":{{"code":"c","message":"m \ud83d","trace":{odd}}},"\ud83d":{odd}}}"#
            );
            let error = canned.error(body.as_bytes());
            assert_eq!(error.code(), Some("c"));
            assert_eq!(error.message(), Some("m \u{fffd}"));
        }
    }
}

/// Counts, because times differ: 20 times as many links with unexpected fields allocate about 20 times
/// as much.
#[test]
fn lenient_decoding_is_linear() {
    let canned = CannedClient::new();
    let count = |links: usize| {
        let links = (0..links).map(|id| json!({"id": id, "title": id, "url": "https://x"}));
        let links: Vec<_> = links.collect();
        let body = json!({"data": {"links": links}}).to_string();
        let info = allocation_counter::measure(|| {
            let profile = canned.read(canned.client.me(), body.as_bytes()).unwrap();
            let is_kept = |link: &Link| link.title.is_none() && link.extra["title"].is_u64();
            assert!(profile.links().iter().all(is_kept));
        });
        info.count_total
    };
    let (few, many) = (count(50), count(1000));
    assert!(many < 25 * few, "{few} {many}");
}

//! The journal and the report of the program.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use crate::request::SentRequest;
use crate::serving::{Serving, serve};

const NOTHING: Value = Value::Null;

#[test]
fn lists_filters_and_clears_requests() {
    let serving = serve(&[]);
    serving.request("GET /me").data(200);
    let edit = || {
        serving
            .request("PATCH /me/profile")
            .json(json!({"bio": "x"}))
    };
    edit().data(200);
    edit().key(serving.key("none")).send();
    let list = |query: &str| -> Vec<u64> {
        let listed = serving.read(&format!("/requests{query}"));
        let numbers = listed.as_array().unwrap().iter();
        numbers.map(|one| one["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(list(""), [1, 2, 3]);
    assert_eq!(list("?method=PATCH"), [2, 3]);
    assert_eq!(list("?path=/me"), [1]);
    assert_eq!(list("?method=PATCH&path=%2Fme%2Fprofile&status=200"), [2]);
    assert_eq!(list("?key=none"), [3]);
    assert_eq!(list("?path=/me/prof*&key=all"), [2]);
    for key in ["unknown", "other", "key77"] {
        assert_eq!(list(&format!("?key={key}")), [] as [u64; 0]);
    }
    assert_eq!(list("?after=1&method=PATCH"), [2, 3]);
    assert_eq!(list("?after=2&within_milliseconds=60000"), [3]);
    assert_eq!(list("?after=3"), [] as [u64; 0]);
    assert_eq!(list("?after=3&within_milliseconds=1"), [] as [u64; 0]);
    serving.order(204, "DELETE /worlds/default/requests", NOTHING);
    assert_eq!(list(""), [] as [u64; 0]);
}

/// The journal records the response that the client received.
#[test]
fn records_the_fault_and_the_response_that_was_sent() {
    let serving = serve(&[]);
    let post = json!({"body": "x"});
    let delete = |fault: Value, phase: &str| {
        let rule = json!({"times": 1, "phase": phase, "fault": fault});
        serving.order(201, "POST /worlds/default/faults", rule);
        let sent = serving.request("DELETE /me/posts/post_3").begin();
        sent.read_until_closed()
    };
    let head = |status: u16| format!("HTTP/1.1 {status}");
    assert_eq!(delete(json!({"wire": "reset"}), "before"), "");
    assert_eq!(delete(json!({"wire": "close"}), "before"), "");
    assert!(delete(json!({"wire": {"cut": {"after": 0}}}), "before").starts_with(&head(200)));
    assert!(delete(json!({"status": {"status": 503}}), "after").starts_with(&head(503)));
    serving.request("POST /me/posts").json(post).data(201);
    let requests = serving.read("/requests");
    let results = requests.as_array().unwrap().iter();
    let results: Vec<_> = results
        .map(|one| json!([one["status"], one["fault"]]))
        .collect();
    let expected = json!([
        [null, "reset"],
        [null, "close"],
        [200, "cut"],
        [503, "status"],
        [201, null]
    ]);
    assert_eq!(json!(results), expected);
    let reset = serving.read("/requests?fault=reset");
    assert_eq!(reset.as_array().unwrap().len(), 1);
    assert_eq!(reset[0]["number"], 1);
    let line = "POST /worlds/default/requests/verify";
    let expected = json!({"request": {"method": "POST", "fault": "cut"}, "times": 1});
    let verification = serving.order(200, line, expected);
    let sentence = "received POST /me/posts, but without the fault `cut`";
    assert_eq!(verification["near_misses"][0]["sentence"], sentence);
    let expected = json!({"request": {"status": 204, "fault": "reset"}, "times": 1});
    let near = &serving.order(200, line, expected)["near_misses"];
    let near = near.as_array().unwrap().iter().map(|one| &one["sentence"]);
    let sentence = json!("received DELETE /me/posts/post_3, but without the status `204`");
    assert!(near.into_iter().any(|found| *found == sentence));
}

#[test]
fn waiting_returns_the_request_or_the_reason() {
    let serving = serve(&[]);
    let line = "POST /worlds/default/requests/wait";
    let post = json!({"method": "POST", "path": "/me/posts"});
    thread::scope(|scope| {
        let waiting = scope.spawn(|| serving.order(200, line, json!({"request": post})));
        serving.post("x");
        let came = waiting.join().unwrap();
        assert_eq!(came[0]["body"], r#"{"body":"x"}"#);
    });
    let second = json!({"request": post, "times": 2, "within_milliseconds": 1});
    let response = serving.order(504, line, second);
    assert_eq!(response["error"]["code"], "timed_out");
    let message = "expected POST /me/posts at least 2 times; received once, as request 1\n\
                   no near misses; other requests: 0";
    assert_eq!(response["error"]["message"], message);
    assert_eq!(response["verification"]["found"], 1);
}

#[test]
fn listing_can_wait_for_the_next_request() {
    let serving = serve(&[]);
    serving.request("GET /me").data(200);
    let line = "GET /worlds/default/requests?after=1&within_milliseconds=60000";
    let waiting = serving.control(line).begin();
    serving.send("PATCH /me/profile", json!({"nick": "x"}));
    let listed: Value = serde_json::from_str(&waiting.finish().body).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["number"], 2);
    assert_eq!(listed[0]["violations"][0]["rule"], "unknown_field");
    #[cfg(unix)]
    {
        let waiting = serving.control(&line.replace("after=1", "after=2")).begin();
        // Connections are accepted in order, so the program has accepted the one that waits.
        serving.order(200, "GET /health", NOTHING);
        serving.stderr();
        // A request that waits is answered before the program exits.
        let answer = waiting.finish();
        assert_eq!(answer.status, 503);
        let reason = "the server is shutting down";
        assert!(answer.body.contains(reason), "{}", answer.body);
    }
}

#[test]
fn waiting_does_not_block_other_requests() {
    let serving = serve(&[]);
    let wait = json!({"request": {"method": "DELETE"}, "within_milliseconds": 60_000});
    let wait = || {
        serving
            .control("POST /worlds/default/requests/wait")
            .body(wait.to_string())
    };
    // More than the threads of the blocking thread pool.
    let waiting: Vec<_> = (0..520).map(|_| wait().begin()).collect();
    serving.order(200, "GET /health", NOTHING);
    serving.request("DELETE /me/links/link_1").send();
    for stream in waiting {
        assert_eq!(stream.finish().status, 200);
    }
}

/// Starts to wait for a request that is never sent.
fn wait_long(serving: &Serving) -> SentRequest {
    let wait = json!({"request": {"path": "/stats"}, "within_milliseconds": 60_000});
    let request = serving.control("POST /worlds/default/requests/wait");
    request.body(wait.to_string()).begin()
}

#[test]
fn clearing_the_journal_ends_waiting() {
    let serving = serve(&[]);
    for line in [
        "DELETE /worlds/default/requests",
        "POST /worlds/default/reset",
    ] {
        let waiting = wait_long(&serving);
        let answer = thread::scope(|scope| {
            let waiting = scope.spawn(|| waiting.finish());
            // The test cannot observe when the program starts to wait, so it retries.
            while !waiting.is_finished() {
                serving.order(204, line, NOTHING);
            }
            waiting.join().unwrap()
        });
        assert_eq!(answer.status, 409, "{line}");
        assert!(answer.body.contains("journal_cleared"), "{}", answer.body);
    }
}

#[test]
fn lists_and_clears_violations() {
    let serving = serve(&[]);
    let edit = json!({"nickname": "Ada", "bio": 7});
    serving.send("PATCH /me/profile", edit);
    let rules = serving.read("/violations");
    assert_eq!(rules.as_array().unwrap().len(), 2);
    assert_eq!(
        (&rules[0]["rule"], &rules[0]["count"]),
        (&json!("unknown_field"), &json!(1))
    );
    assert_eq!(rules[0]["violations"][0]["field"], "nickname");
    serving.order(204, "DELETE /worlds/default/violations", NOTHING);
    assert_eq!(serving.read("/violations"), json!([]));
    let coverage = serving.read("/coverage");
    assert_eq!(coverage["endpoints"][1]["calls"], 1);
    assert_eq!(coverage["endpoints"][1]["rejections"]["wrong_type"], 1);
}

#[test]
fn each_world_has_its_own_journal_and_report() {
    let serving = serve(&[]);
    let world = serving.order(201, "POST /worlds", json!({"dialect": "minimal"}));
    let at = |line: &str| {
        let (method, path) = line.split_once(' ').unwrap();
        format!("{method} /worlds/{}{path}", world["id"].as_str().unwrap())
    };
    let key = world["keys"]["none"].as_str().unwrap();
    let refusal = serving.request("GET /me/analytics").key(key).send();
    assert_eq!((refusal.status, refusal.body.as_str()), (403, ""));
    for list in ["/requests", "/violations"] {
        let of_world = serving.order(200, &at(&format!("GET {list}")), NOTHING);
        assert_eq!(of_world.as_array().unwrap().len(), 1, "{list}");
        assert_eq!(serving.read(list), json!([]));
    }
    let listed = serving.order(200, &at("GET /requests"), NOTHING);
    assert_eq!(listed[0]["key"], "none");
    serving.order(204, &at("POST /reset"), NOTHING);
    let violations = serving.order(200, &at("GET /violations"), NOTHING);
    assert_eq!(violations, json!([]));
    let dialect = serving.order(200, &at("GET /dialect"), NOTHING);
    assert_eq!(dialect["error_body"], "empty", "the world was made so");
}

#[test]
fn the_limits_of_a_journal_can_be_changed() {
    let serving = serve(&["--journal-body-bytes", "5", "--journal-entries", "3"]);
    let recorded = || {
        let requests = serving.read("/requests");
        let requests = requests.as_array().unwrap();
        let length = |one: &Value| one["body"].as_str().unwrap().len();
        requests.iter().map(length).collect::<Vec<_>>()
    };
    for _ in 0..4 {
        serving.post(&"x".repeat(10));
    }
    assert_eq!(recorded(), [5, 5, 5]);

    let line = "PUT /worlds/default/requests/limits";
    let limits = serving.order(200, line, json!({"body_bytes": 10_000, "entries": 2}));
    let expected = json!({"entries": 2, "bytes": 512 * 1024, "body_bytes": 10_000});
    assert_eq!(limits, expected);
    assert_eq!(serving.read("/requests/limits"), expected);
    assert_eq!(recorded(), [5, 5]);
    let long = json!({"body": "x".repeat(6_000)});
    serving.post(&"x".repeat(6_000));
    assert_eq!(recorded(), [5, long.to_string().len()]);
    let pattern = json!({"request": {"body": long}, "at_least": 1});
    let verified = serving.order(200, "POST /worlds/default/requests/verify", pattern);
    assert_eq!(verified["satisfied"], true);
    serving.order(400, line, json!({"entries": -1}));

    // New worlds have the limits of `default`.
    serving.order(201, "POST /worlds", NOTHING);
    let shown = serving.order(200, "GET /worlds/w1/requests/limits", NOTHING);
    assert_eq!(shown, expected);
}

/// Sends a read, an invalid edit, a body that is not text, and two requests that meet a fault.
fn send_for_the_archive(serving: &Serving, key: &str) {
    let line = format!("GET /users/demo/stats?days=7&a=b%20c&key={key}");
    serving.request(&line).data(200);
    let edit = json!({"nickname": "x".repeat(100)});
    serving.send("PATCH /me/profile", edit);
    let binary = serving
        .request("POST /me/posts")
        .header("Content-Type", "image/png");
    binary.body(b"\xff\x00").send();
    let wire = json!({"times": 1, "fault": {"wire": "close"}});
    serving.order(201, "POST /worlds/default/faults", wire);
    serving.request("GET /badges").begin().read_until_closed();
    let moved =
        json!({"fault": {"redirect": {"status": 307, "location": "http://other.example/"}}});
    serving.order(201, "POST /worlds/default/faults", moved);
    serving.request("HEAD /badges").send();
}

/// The first line of a request, its header, and the URL and the target in the archive.
const TARGETS: &str = "
GET /api/v1/badges HTTP/1.1 | Host: h:1 | http://h:1/api/v1/badges |
GET /worlds/w1/api/v1/me?x=%C3%A9&y HTTP/1.1 | Host: h | http://h/worlds/w1/api/v1/me?x=%C3%A9&y |
GET /api/v1/badges HTTP/1.1 | Host: | OWN/api/v1/badges |
GET /worlds/w1/api/v1/me HTTP/1.0 | X-A: b | OWN/worlds/w1/api/v1/me |
GET /api/v1/badges HTTP/1.1 | Host: a b | OWN/api/v1/badges |
GET /api/v1/badges HTTP/1.1 | Host: user:canary@h | http://h/api/v1/badges |
OPTIONS * HTTP/1.1 | Host: h | http://h/ | *
CONNECT c.example:443 HTTP/1.1 | Host: h | http://c.example:443/ | c.example:443
CONNECT user:canary@c.example:443 HTTP/1.1 | Host: h | http://c.example:443/ | c.example:443
GET http://user:canary@o:8/api/v1/me?x=1 HTTP/1.1 | Host: h | http://o:8/api/v1/me?x=1 |
GET http://o/worlds/w1/api/v1/me HTTP/1.1 | Host: h | http://o/worlds/w1/api/v1/me |
GET https://canary@o/api/v1/me HTTP/1.0 | Host: h | http://o/api/v1/me | https://o/api/v1/me
";

#[test]
fn an_archive_has_absolute_urls_and_what_was_sent() {
    let serving = serve(&[]);
    serving.order(201, "POST /worlds", NOTHING);
    let own = serving.url();
    for row in TARGETS.trim().lines() {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [line, host, url, target] = cells[..] else {
            panic!("{row}");
        };
        let mut stream = TcpStream::connect(serving.address()).unwrap();
        write!(stream, "{line}\r\n{host}\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        let world = if line.contains("/w1/") {
            "w1"
        } else {
            "default"
        };
        let list = |format| {
            let line = format!("GET /worlds/{world}/requests{format}");
            serde_json::from_str::<Value>(&serving.control(&line).send().body).unwrap()
        };
        let (archive, recorded) = (list("?format=har"), list(""));
        for all in [&archive, &recorded] {
            assert!(!all.to_string().contains("canary"), "{line}: {all:#}");
        }
        let entry = archive["log"]["entries"]
            .as_array()
            .unwrap()
            .last()
            .unwrap();
        let found = entry["_target"].as_str().unwrap_or_default();
        assert_eq!(entry["request"]["url"], url.replace("OWN", own), "{row}");
        assert_eq!(found, target, "{row}");
        let version = line.rsplit(' ').next().unwrap();
        for side in ["request", "response"] {
            assert_eq!(entry[side]["httpVersion"], version, "{line}");
        }
        let path = recorded.as_array().unwrap().last().unwrap()["path"].to_string();
        assert!(!path.contains("/w1/"), "{path}");
    }
}

#[test]
fn an_incomplete_archive_says_so() {
    let serving = serve(&["--journal-entries=2", "--journal-body-bytes=30"]);
    let archive = || {
        let line = "GET /worlds/default/requests?format=har";
        let answer = serving.control(line).send();
        serde_json::from_str::<Value>(&answer.body).unwrap()["log"].take()
    };
    serving.post("short");
    serving.post(&"long".repeat(20));
    let log = archive();
    assert_eq!(log["comment"], NOTHING);
    let cut = |what| format!("the body of the {what} was cut; raise --journal-body-bytes");
    assert_eq!(log["entries"][0]["comment"], cut("response"));
    let both = [cut("request"), cut("response")].join("\n");
    assert_eq!(log["entries"][1]["comment"], both);
    serving.post("one more");
    let comment = "incomplete: the journal dropped 1 older request; raise its limits";
    assert_eq!(archive()["comment"], comment);
}

#[test]
fn the_journal_can_be_read_as_an_http_archive() {
    let serving = serve(&["--journal-body-bytes", "40"]);
    let clock = json!({"clock": "2026-03-01T12:00:00Z"});
    serving.order(200, "PUT /worlds/default/clock", clock);
    let key = serving.key("all").to_owned();
    send_for_the_archive(&serving, &key);

    let line = "GET /worlds/default/requests?format=har";
    let archive = serving.order(200, line, NOTHING);
    assert!(!archive.to_string().contains(&key), "{archive}");
    let text = format!("{archive:#}\n").replace(serving.url(), "{url}");
    let text = text.replace(&serving.address().to_string(), "{address}");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let text = text.replace(&version, "\"version\": \"{version}\"");
    expect_test::expect_file!["archive.json"].assert_eq(&text);

    let selected = serving.order(200, &format!("{line}&path=/stats"), NOTHING);
    assert_eq!(selected["log"]["entries"], json!([]));
    let refused = serving.order(400, "GET /worlds/default/requests?format=xml", NOTHING);
    assert_eq!(refused["error"]["code"], "invalid_query");
}

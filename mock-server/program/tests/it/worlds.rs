//! Several worlds in one program.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use mock_server::World;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::request::{TestRequest, request_at, request_exactly, scopes};
use crate::serving::{Serving, serve};

fn request_with(serving: &Serving, world: &Value, line: &str) -> TestRequest {
    let key = world["keys"]["all"].as_str().unwrap();
    request_at(serving.address(), key, line)
}

#[test]
fn worlds_without_a_seed_have_different_keys() {
    let serving = serve(&[]);
    let without_seed = [(); 2].map(|()| {
        let world = serving.order(201, "POST /worlds", Value::Null);
        let url = world["url"].as_str().unwrap().to_owned();
        // A key that the path, and not its suffix, directs to a world.
        let key = world["keys"]["all"].as_str().unwrap();
        (url, key.split('.').next().unwrap().to_owned())
    });
    for (url, _) in &without_seed {
        for (other_url, key) in &without_seed {
            let path = url.replace(serving.url(), "");
            let line = format!("GET {path}/api/v1/me");
            let answer = request_exactly(serving.address(), &line).key(key).send();
            let expected = if url == other_url { 200 } else { 401 };
            assert_eq!(answer.status, expected, "{url} {other_url}");
        }
    }
}

#[test]
fn share_only_the_seed() {
    let serving = serve(&[]);
    let new = || serving.order(201, "POST /worlds", json!({"seed": 0}));
    let (one, other) = (new(), new());
    assert_ne!(one["id"], other["id"]);
    let url = format!("{}/worlds/w1", serving.url());
    assert_eq!((&one["id"], &one["url"]), (&json!("w1"), &json!(url)));
    let edit = request_with(&serving, &one, "PATCH /me/profile");
    edit.json(json!({"bio": "One"})).data(200);
    let me = request_with(&serving, &one, "GET /me").data(200);
    assert_eq!(me["bio"], "One");
    let untouched = serving.request("GET /me").data(200);
    assert_ne!(untouched["bio"], "One");
    let me = request_with(&serving, &other, "GET /me").data(200);
    assert_eq!(me, untouched);
}

#[test]
fn have_their_own_keys_state_clock_and_faults() {
    let serving = serve(&[]);
    let mut state = serde_json::to_value(World::new(7)).unwrap();
    state["accounts"]["demo"]["profile"]["bio"] = json!("Brought along");
    let both = json!({"state": state, "seed": 7});
    let error = serving.order(422, "POST /worlds", both);
    let expected = "`seed` and `state` cannot be combined; a state contains its own seed";
    assert_eq!(error["error"]["message"], expected);
    let new = json!({"state": state, "clock": "2026-03-01T12:00:00Z"});
    let world = serving.order(201, "POST /worlds", new);
    let order = |status, method, path, body| {
        let id = world["id"].as_str().unwrap();
        serving.order(status, &format!("{method} /worlds/{id}{path}"), body)
    };
    let me = request_with(&serving, &world, "GET /me").data(200);
    assert_eq!(me["bio"], "Brought along");
    assert_eq!(order(200, "GET", "/keys", Value::Null), world["keys"]);
    let clock = order(200, "GET", "/clock", Value::Null);
    assert_eq!(clock["now"], "2026-03-01T12:00:00Z");

    let new = json!({"handle": "ada", "scopes": []});
    let key = order(201, "POST", "/keys", new);
    let token = key["key"].as_str().unwrap();
    let me = |token: &str| serving.request("GET /me").key(token);
    assert_eq!(me(token).data(200)["handle"], "ada");

    let rule = json!({"match": {"key": key["name"]}, "fault": {"status": {"status": 503}}});
    order(201, "POST", "/faults", rule);
    assert_eq!(me(token).send().status, 503);
    let owner = world["keys"]["all"].as_str().unwrap();
    me(owner).data(200);
    serving.request("GET /me").data(200);

    order(204, "DELETE", "/keys", json!({"key": token}));
    order(204, "DELETE", "/faults", Value::Null);
    me(token).assert_rejected(401, "unknown_key", "unknown API key");

    order(204, "DELETE", "", Value::Null);
    order(404, "DELETE", "", Value::Null);
    me(owner).assert_rejected(401, "unknown_key", "unknown API key");
}

#[test]
fn serve_many_suites_at_once() {
    const POSTS: usize = 20;
    let serving = serve(&[]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let world = serving.order(201, "POST /worlds", Value::Null);
                for _ in 0..POSTS {
                    let post = request_with(&serving, &world, "POST /me/posts");
                    post.json(json!({"body": "x"})).data(201);
                }
                let me = request_with(&serving, &world, "GET /me").data(200);
                assert_eq!(me["posts"].as_array().unwrap().len(), 1 + POSTS);
            });
        }
    });
}

#[test]
fn do_not_wait_for_the_state_file_of_another_world() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let serving = serve(&["--state", path.to_str().unwrap()]);
    let world = serving.order(201, "POST /worlds", Value::Null);
    let lock = File::open(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| serving.request("GET /me").data(200));
        request_with(&serving, &world, "GET /me").data(200);
        serving.order(200, "GET /health", Value::Null);
        assert!(!waiting.is_finished());
        lock.unlock().unwrap();
        waiting.join().unwrap();
    });
}

#[test]
fn can_be_reached_by_url_without_a_key() {
    let serving = serve(&[]);
    let dialect = json!({"reference_data": "key_required"});
    let world = serving.order(201, "POST /worlds", json!({"dialect": dialect}));
    let below = |line: &str| request_exactly(serving.address(), line);
    let message = "no API key; send the header `Authorization: Bearer <API_KEY>`";
    let without_key = below("GET /worlds/w1/api/v1/badges");
    without_key.assert_rejected(401, "key_missing", message);
    below("GET /worlds/default/api/v1/badges").data(200);
    below("GET /api/v1/badges").data(200);

    let outer = world["keys"]["all"].as_str().unwrap();
    let inner = outer.strip_suffix(".w1").unwrap();
    for key in [outer, inner] {
        below("GET /worlds/w1/api/v1/me").key(key).data(200);
    }
    let status = |line, key| below(line).key(key).send().status;
    assert_eq!(status("GET /worlds/default/api/v1/me", outer), 401);
    let gone = below("GET /worlds/w2/api/v1/me");
    let message = "unknown world \"w2\"; it was deleted or never created";
    gone.assert_rejected(404, "unknown_world", message);
    let paths = serving.order(200, "GET /worlds/w1/requests", Value::Null);
    assert_eq!(paths[0]["path"], "/api/v1/badges");
}

#[test]
fn use_the_dialect_and_the_origins_of_the_program_by_default() {
    let serving = serve(&["--dialect", "minimal", "--cors", "*"]);
    let dialect = |body: Value| {
        let world = serving.order(201, "POST /worlds", body);
        let line = format!("GET /worlds/{}/dialect", world["id"].as_str().unwrap());
        serving.order(200, &line, Value::Null)["ids"].clone()
    };
    let integer = json!({"ids": "integer"});
    serving.order(200, "PUT /worlds/default/dialect", integer.clone());
    assert_eq!(dialect(Value::Null), "string");
    assert_eq!(dialect(json!({ "dialect": integer })), "integer");
    let world = serving.order(201, "POST /worlds", Value::Null);
    let request = || request_with(&serving, &world, "GET /me");
    assert_eq!(request().data(200)["key"]["scopes"], scopes(" "));
    let allowed = request().send();
    assert_eq!(allowed.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn deletion_ends_waiting() {
    let serving = serve(&[]);
    serving.order(201, "POST /worlds", Value::Null);
    let wait = json!({"request": {"path": "/me"}, "within_milliseconds": 60_000});
    let waiting = serving.control("POST /worlds/w1/requests/wait");
    let waiting = waiting.body(wait.to_string()).begin();
    serving.order(204, "DELETE /worlds/w1", Value::Null);
    let answer = waiting.finish();
    assert_eq!(answer.status, 404, "{}", answer.body);
    assert!(answer.body.contains("unknown world `w1`"));
}

/// The request belongs to the world that was there when it began.
#[test]
fn a_body_that_arrives_after_a_reset_does_not_change_the_new_state() {
    let serving = serve(&[]);
    let mut stream = TcpStream::connect(serving.address()).unwrap();
    let key = serving.key("all");
    let head = format!(
        "PATCH /api/v1/me/profile HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server waits for the body.
    stream.read_exact(&mut [0; 25]).unwrap();
    serving.order(204, "POST /worlds/default/reset", Value::Null);
    stream.write_all(br#"{"bio":"x"}"#).unwrap();
    let mut response = [0; 12];
    stream.read_exact(&mut response).unwrap();
    assert_eq!(&response, b"HTTP/1.1 200");
    assert_ne!(serving.request("GET /me").data(200)["bio"], "x");
}

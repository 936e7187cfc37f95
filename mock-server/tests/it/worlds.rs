//! Many worlds in one program.

use std::fs::File;
use std::thread;

use mock_server::World;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::ask::{Ask, ask_at};
use crate::serving::{Serving, serve};

fn ask_with(serving: &Serving, world: &Value, line: &str) -> Ask {
    ask_at(
        serving.address(),
        world["keys"]["all"].as_str().unwrap(),
        line,
    )
}

#[test]
fn share_a_seed_and_nothing_else() {
    let serving = serve(&[]);
    let new = || serving.order(201, "POST /worlds", json!({"seed": 0}));
    let (one, other) = (new(), new());
    assert_ne!(one["id"], other["id"]);
    assert_eq!(one["url"], serving.url());
    ask_with(&serving, &one, "PATCH /me/profile")
        .json(json!({"bio": "One"}))
        .data(200);
    let me = ask_with(&serving, &one, "GET /me").data(200);
    assert_eq!(me["bio"], "One");
    let untouched = serving.ask("GET /me").data(200);
    assert_ne!(untouched["bio"], "One");
    assert_eq!(ask_with(&serving, &other, "GET /me").data(200), untouched);
}

#[test]
fn have_keys_state_clock_and_faults_of_their_own() {
    let serving = serve(&[]);
    let mut state = serde_json::to_value(World::new(7)).unwrap();
    state["accounts"]["demo"]["profile"]["bio"] = json!("Brought along");
    let new = json!({"state": state, "clock": "2026-03-01T12:00:00Z"});
    let world = serving.order(201, "POST /worlds", new);
    let at = |path: &str| format!("/worlds/{}{path}", world["id"].as_str().unwrap());
    assert_eq!(
        ask_with(&serving, &world, "GET /me").data(200)["bio"],
        "Brought along"
    );
    assert_eq!(
        serving.order(200, &format!("GET {}", at("/keys")), Value::Null),
        world["keys"]
    );
    let clock = serving.order(200, &format!("GET {}", at("/clock")), Value::Null);
    assert_eq!(clock["now"], "2026-03-01T12:00:00Z");

    let new = json!({"handle": "ada", "scopes": []});
    let key = serving.order(201, &format!("POST {}", at("/keys")), new);
    let token = key["key"].as_str().unwrap();
    assert_eq!(serving.ask("GET /me").key(token).data(200)["handle"], "ada");

    let rule = json!({"match": {"key": token}, "fault": {"status": {"status": 503}}});
    serving.order(201, &format!("POST {}", at("/faults")), rule);
    assert_eq!(serving.ask("GET /me").key(token).send().status, 503);
    ask_with(&serving, &world, "GET /me").data(200);
    serving.ask("GET /me").data(200);

    serving.order(204, &format!("DELETE {}", at("/keys")), key.clone());
    serving.order(204, &format!("DELETE {}", at("/faults")), Value::Null);
    let refusal = "the key is not known here";
    serving
        .ask("GET /me")
        .key(token)
        .refused(401, "key_invalid", refusal);
}

#[test]
fn end_with_their_keys() {
    let serving = serve(&[]);
    let world = serving.order(201, "POST /worlds", Value::Null);
    let line = format!("DELETE /worlds/{}", world["id"].as_str().unwrap());
    serving.order(204, &line, Value::Null);
    serving.order(404, &line, Value::Null);
    ask_with(&serving, &world, "GET /me").refused(401, "key_invalid", "the key is not known here");
}

#[test]
fn are_made_from_good_input_alone() {
    let serving = serve(&[]);
    let error = serving.order(400, "POST /worlds", json!({"sed": 7}));
    assert_eq!(
        error["error"]["message"],
        "the body is not what is expected here: unknown field `sed`, expected one of `seed`, \
         `state`, `clock`, `dialect` at line 1 column 6"
    );
    serving.order(422, "POST /worlds", json!({"clock": "noon"}));
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
                    let post = ask_with(&serving, &world, "POST /me/posts");
                    post.json(json!({"body": "x"})).data(201);
                }
                let me = ask_with(&serving, &world, "GET /me").data(200);
                assert_eq!(me["posts"].as_array().unwrap().len(), 1 + POSTS);
            });
        }
    });
}

#[test]
fn do_not_wait_for_the_state_file_of_another() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let serving = serve(&["--state", path.to_str().unwrap()]);
    let world = serving.order(201, "POST /worlds", Value::Null);
    let lock = File::open(directory.path().join("state.json.lock")).unwrap();
    lock.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| serving.ask("GET /me").data(200));
        ask_with(&serving, &world, "GET /me").data(200);
        serving.order(200, "GET /health", Value::Null);
        assert!(!waiting.is_finished());
        lock.unlock().unwrap();
        waiting.join().unwrap();
    });
}

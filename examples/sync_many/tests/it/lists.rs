//! Lists and records that cannot be worked: nothing is sent.

use std::fs;

use serde_json::json;

use crate::{Scene, name};

#[track_caller]
fn told(errors: &[u8], expected: &str) {
    let errors = String::from_utf8_lossy(errors);
    assert!(errors.contains(expected), "{errors}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_is_checked_before_anything_is_sent() {
    let scene = Scene::of_accounts(2).await;
    scene.write_private(
        "copy",
        &fs::read_to_string(scene.folder.path().join(name(0))).unwrap(),
    );
    fs::write(scene.folder.path().join("open"), "a key").unwrap();
    let good = json!({"name": name(0), "key_file": name(0), "set": {"bio": "Hello"}});
    for (line, reason) in [
        (
            json!({"name": "a", "key_file": name(1), "set": {}}),
            "`set` is empty; name at least one field",
        ),
        (
            json!({"name": "a", "key_file": name(1), "set": {"nickname": "A"}}),
            "unknown field `nickname`",
        ),
        (
            json!({"name": "a", "key_file": name(1), "set": {"location": "x".repeat(41)}}),
            "41 characters",
        ),
        (
            json!({"name": "a", "set": {"bio": ""}}),
            "give `key_file` or `key_env`, and not both",
        ),
        (
            json!({"name": "a", "key_file": "none", "set": {"bio": ""}}),
            "No such file",
        ),
        (
            json!({"name": "a", "key_file": "open", "set": {"bio": ""}}),
            "run `chmod 600` on it",
        ),
        (
            json!({"name": name(0), "key_file": name(1), "set": {"bio": ""}}),
            "stands in line 1 already",
        ),
        (
            json!({"name": "a", "key_file": "copy", "set": {"bio": ""}}),
            "line 1 has the same key",
        ),
    ] {
        scene.write_list(&[good.clone(), line]);
        let output = scene.run(&[]).await;
        assert_eq!(output.status.code(), Some(1));
        told(&output.stderr, "line 2 of the list: ");
        told(&output.stderr, reason);
    }
    assert!(scene.service.journal().requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_record_is_not_guessed_at() {
    let scene = Scene::of_accounts(1).await;
    fs::write(scene.record(), "{}\n").unwrap();
    let output = scene.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    told(&output.stderr, "line 1 of the record");
    assert!(scene.service.journal().requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_do_not_share_a_record() {
    let scene = Scene::of_accounts(1).await;
    let record = sync_many::Record::open(&scene.record()).unwrap();
    let output = scene.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    told(&output.stderr, "another run uses the record");
    drop(record);
}

//! Invalid lists and records, with which nothing is sent.

use std::fs;

use serde_json::json;

use crate::{Fixture, name};

#[track_caller]
fn assert_contains(stderr: &[u8], expected: &str) {
    let stderr = String::from_utf8_lossy(stderr);
    assert!(stderr.contains(expected), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn validates_all_lines_before_sending() {
    let fixture = Fixture::with_accounts(2).await;
    fixture.write_private(
        "copy",
        &fs::read_to_string(fixture.folder.path().join(name(0))).unwrap(),
    );
    fs::write(fixture.folder.path().join("open"), "a key").unwrap();
    let good = json!({"name": name(0), "key_file": name(0), "set": {"bio": "Hello"}});
    for (line, reason) in [
        (
            json!({"name": "a", "key_file": name(1), "set": {}}),
            "`set` is empty; expected at least one field",
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
            "expected either `key_file` or `key_env`",
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
            "is already used in line 1; expected unique names",
        ),
        (
            json!({"name": "a", "key_file": "copy", "set": {"bio": ""}}),
            "the key is already used in line 1",
        ),
    ] {
        fixture.write_list(&[good.clone(), line]);
        let output = fixture.run(&[]).await;
        assert_eq!(output.status.code(), Some(1));
        assert_contains(&output.stderr, "line 2 of the list: ");
        assert_contains(&output.stderr, reason);
    }
    assert!(fixture.service.journal().requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_a_damaged_record() {
    let fixture = Fixture::with_accounts(1).await;
    fs::write(fixture.record(), "{}\n").unwrap();
    let output = fixture.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    assert_contains(&output.stderr, "line 1 of the record");
    assert!(fixture.service.journal().requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_a_record_in_use() {
    let fixture = Fixture::with_accounts(1).await;
    let record = sync_many::Record::open(&fixture.record()).unwrap();
    let output = fixture.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    assert_contains(&output.stderr, "another run is using the record");
    drop(record);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_an_invalid_base_url_once() {
    let fixture = Fixture::with_accounts(2).await;
    let mut command = fixture.program();
    command.env("PROFILE_BASE_URL", "profiles.example");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "base URL does not contain ://; expected a URL such as https://host\n"
    );
}

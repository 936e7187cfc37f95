//! Worlds in state files.

use std::fs;
use std::path::{Path, PathBuf};

use mock_server::{MockServer, StateFile, World};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::request::{request, write};

fn state_in(directory: &TempDir) -> PathBuf {
    directory.path().join("profile").join("state.json")
}

async fn start_on(path: &Path) -> MockServer {
    let builder = MockServer::builder().state_file(path);
    builder.start().await.unwrap()
}

/// Starts a server with a new state file.
async fn start() -> (TempDir, PathBuf, MockServer) {
    let directory = TempDir::new().unwrap();
    let path = state_in(&directory);
    let server = start_on(&path).await;
    (directory, path, server)
}

#[tokio::test]
async fn is_created_at_the_start_and_survives_the_server() {
    let (_directory, path, server) = start().await;
    assert!(path.exists());
    write(&server, "PATCH /me/profile", json!({"bio": "Kept"}), 200);
    let (world, keys) = (server.world().unwrap(), server.keys().clone());
    drop(server);

    let again = start_on(&path).await;
    assert_eq!(again.world().unwrap(), world);
    assert_eq!(again.keys(), &keys);
    assert_eq!(request(&again, "GET /me").data(200)["bio"], "Kept");
}

/// `state_version_1.json` is the default world as version 0.1.0 wrote it. Do not update it: what a later
/// version adds to a state needs a default.
#[tokio::test]
async fn a_file_of_an_older_version_is_read() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let written = include_str!("state_version_1.json");
    fs::write(&path, written).unwrap();
    let world = start_on(&path).await.world().unwrap();
    assert_eq!(world.account("demo").unwrap().posts.len(), 1);

    let mut written: Value = serde_json::from_str(written).unwrap();
    let profile = &mut written["world"]["accounts"]["demo"]["profile"];
    for field in ["accent_color", "bio"] {
        profile.as_object_mut().unwrap().remove(field).unwrap();
    }
    // The built-in receiver was called a sink.
    let receiver = json!({"sink": {"script": "500", "received": 1}});
    let destination = json!({"secret": "whsec_test", "receiver": receiver});
    written["world"]["webhook"] = json!({"destination": destination, "active": true,
        "consecutive_failures": 1, "deliveries": []});
    fs::write(&path, written.to_string()).unwrap();
    let server = start_on(&path).await;
    let built_in = server.webhook().status().unwrap().built_in.unwrap();
    assert_eq!(built_in.script.to_string(), "500");
    assert_eq!(built_in.received, 1);
    let world = server.world().unwrap();
    let profile = &world.account("demo").unwrap().profile;
    assert_eq!((&*profile.bio, &*profile.accent_color), ("", "#000000"));
}

#[tokio::test]
async fn an_empty_file_is_a_new_state() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    fs::write(&path, "").unwrap();
    let server = start_on(&path).await;
    assert_eq!(server.world().unwrap(), World::default());
    assert_ne!(fs::read(&path).unwrap(), b"");
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_private_and_an_old_one_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, path, server) = start().await;
    let lock = path.with_file_name("state.json.lock");
    for mode in [0o600, 0o664] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        write(&server, "POST /me/posts", json!({"body": "x"}), 201);
        for (path, mode) in [
            (path.parent().unwrap(), 0o700),
            (&path, mode),
            (&lock, mode),
        ] {
            let found = fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{}", path.display());
        }
    }
}

#[tokio::test]
async fn reads_and_rejections_do_not_write() {
    let (_directory, path, server) = start().await;
    // A server writes its file in several lines, so a single line shows that it did not write.
    let state: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::write(&path, state.to_string()).unwrap();
    request(&server, "GET /me").data(200);
    assert_eq!(request(&server, "DELETE /me/links/none").send().status, 404);
    assert_eq!(fs::read_to_string(&path).unwrap(), state.to_string());
}

#[tokio::test]
async fn does_not_reuse_ids_from_the_state() {
    let (_directory, _, server) = start().await;
    let given = "link_40".to_owned();
    let rename = |world: &mut World| world.account_mut("demo").unwrap().links[0].id = given;
    server.update(rename).unwrap();
    let post = write(&server, "POST /me/posts", json!({"body": "x"}), 201);
    assert_eq!(post["id"], "post_41");
}

#[tokio::test]
async fn reports_an_invalid_file_and_keeps_it() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    let mut world = serde_json::to_value(World::new(0)).unwrap();
    world["last_id"] = json!(u64::MAX);
    let exhausted = json!({"version": 1, "world": world}).to_string();
    let incomplete = "{\n \"version\": 1,\n \"wor";
    let error = serde_json::from_str::<Value>(incomplete).unwrap_err();
    let end = "; fix it, or delete it to start over";
    for (content, reason) in [
        (incomplete, format!("is damaged: not valid JSON: {error}{end}")),
        (
            r#"{"version": 1, "world": {"seed": -1}}"#,
            format!("is damaged: world.seed: invalid value: integer `-1`, expected a whole number from 0 to {}{end}", u64::MAX),
        ),
        ("[]", format!("is damaged: expected a JSON object{end}")),
        (
            &exhausted,
            format!("is damaged: last_id is {}; expected at most 9007199254740991{end}", u64::MAX),
        ),
        (
            r#"{"version": 2, "worlds": []}"#,
            "has version 2, but this mock server reads version 1; use the mock server that wrote it, or \
             delete it to start over"
                .to_owned(),
        ),
    ] {
        fs::write(&path, content).unwrap();
        let started = MockServer::builder().state_file(&path).start().await;
        let expected = format!("the state file {} {reason}", path.display());
        assert_eq!(started.unwrap_err().to_string(), expected);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn reports_a_path_that_is_not_a_file() {
    let directory = TempDir::new().unwrap();
    let path = state_in(&directory);
    fs::create_dir_all(&path).unwrap();
    let started = MockServer::builder().state_file(&path).start().await;
    let expected = format!(
        "cannot write the state file {}: not a regular file; check the permissions of the file \
         and its directory, mount the directory instead of the file alone, or use another file",
        path.display()
    );
    assert_eq!(started.unwrap_err().to_string(), expected);
    let inside_a_file = directory.path().join("file").join("x");
    fs::write(directory.path().join("file"), "").unwrap();
    let builder = MockServer::builder().state_file(&inside_a_file);
    let error = builder.start().await.unwrap_err();
    let source = std::error::Error::source(&error);
    assert!(source.is_none(), "the message contains the cause");
    let message = error.to_string();
    let expected = format!("cannot write the state file {}: ", inside_a_file.display());
    assert!(message.starts_with(&expected), "{message}");
}

#[tokio::test]
async fn all_responses_report_a_damaged_file_until_it_is_fixed() {
    let (_directory, path, server) = start().await;
    let good = fs::read(&path).unwrap();
    fs::write(&path, "[").unwrap();
    let message = format!(
        "the state file {} is damaged: not valid JSON: {}; fix it, or delete it to start over",
        path.display(),
        serde_json::from_str::<Value>("[").unwrap_err()
    );
    for line in ["GET /me", "DELETE /me/links/link_1"] {
        request(&server, line).assert_rejected(500, "state_file", &message);
    }
    assert_eq!(server.world().unwrap_err().to_string(), message);
    assert_eq!(fs::read_to_string(&path).unwrap(), "[");
    fs::write(&path, good).unwrap();
    request(&server, "GET /me").data(200);
}

/// With the same keys.
#[tokio::test]
async fn a_file_deleted_while_serving_is_created_again() {
    let directory = TempDir::new().unwrap();
    let path = state_in(&directory);
    StateFile::new(&path).reset(&World::new(7)).unwrap();
    let server = start_on(&path).await;
    request(&server, "DELETE /me/links/link_1").send();
    fs::remove_file(&path).unwrap();
    request(&server, "GET /me").data(200);
    assert!(path.exists());
    assert_eq!(server.world().unwrap(), World::new(7));
    assert_eq!(&server.world().unwrap().keys(), server.keys());
}

#[tokio::test]
async fn reset_replaces_a_damaged_file_and_running_servers_follow() {
    let (_directory, path, server) = start().await;
    request(&server, "DELETE /me/links/link_1").send();
    fs::write(&path, "damaged").unwrap();
    StateFile::new(&path).reset(&World::default()).unwrap();
    assert_eq!(server.world().unwrap(), World::default());
}

#[cfg(unix)]
#[tokio::test]
async fn follows_symbolic_links() {
    let directory = TempDir::new().unwrap();
    let (link, file) = (directory.path().join("link"), state_in(&directory));
    fs::create_dir(file.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for _ in 0..2 {
        let server = start_on(&link).await;
        write(&server, "POST /me/posts", json!({"body": "x"}), 201);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let world = start_on(&file).await.world().unwrap();
        assert_eq!(world, server.world().unwrap());
    }
}

#[tokio::test]
async fn overwrites_temporary_files_of_a_crash() {
    let (_directory, path, server) = start().await;
    let left = path.with_file_name("state.json.new");
    fs::write(&left, "half of a sta").unwrap();
    request(&server, "DELETE /me/links/link_1").send();
    assert!(!left.exists());
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["state.json", "state.json.lock"]);
}

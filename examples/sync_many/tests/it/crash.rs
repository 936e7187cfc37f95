//! A run that is killed, and the one after it.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use mock_server::{Fault, FaultRule};
use serde_json::Value;

use crate::{Scene, bio, name};

const ACCOUNTS: usize = 60;

/// The names that the record calls done; its last line may be torn.
fn done(scene: &Scene) -> Vec<String> {
    let record = fs::read_to_string(scene.record()).unwrap();
    record
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|entry| entry["state"] == "done")
        .map(|entry| entry["account"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_the_next_run_does_the_rest() {
    let scene = Scene::of_accounts(ACCOUNTS).await;
    scene
        .service
        .add_fault(FaultRule::new(Fault::delay(200)))
        .unwrap();
    let mut killed = scene
        .program()
        .args(["--concurrency", "8"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let edits = scene.service.expect("PATCH", "/me/profile");
    edits
        .arrives(ACCOUNTS as u64 / 3, Duration::from_secs(30))
        .await;
    killed.kill().unwrap();
    killed.wait().unwrap();

    let done = done(&scene);
    assert!(!done.is_empty() && done.len() < ACCOUNTS, "{done:?}");
    let edits: Vec<_> = (0..ACCOUNTS).map(|number| scene.edits(number)).collect();

    scene.service.clear_faults();
    let output = scene.run(&[]).await;
    assert!(output.status.success(), "{output:?}");
    for (number, edits) in edits.into_iter().enumerate() {
        assert_eq!(scene.bio(number), bio(number));
        if done.contains(&name(number)) {
            assert_eq!(scene.edits(number), edits, "{} was done", name(number));
        }
    }
    scene
        .succeed(&format!(
            "0 edited, {ACCOUNTS} done before, 0 refused, 0 failed\n"
        ))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_be_done_is_looked_at_and_not_repeated() {
    let scene = Scene::of_accounts(2).await;
    let started = |number| {
        let (name, bio) = (name(number), bio(number));
        format!(r#"{{"account":"{name}","set":{{"bio":"{bio}"}},"state":"started"}}"#)
    };
    // The first of them was sent before the crash, the second was not; then a line was torn.
    let set = |world: &mut mock_server::World| {
        world.account_mut(&name(0)).unwrap().profile.bio = bio(0);
    };
    scene.service.update(set).unwrap();
    let record = format!("{}\n{}\n{{\"accou", started(0), started(1));
    fs::write(scene.record(), record).unwrap();

    scene
        .succeed("1 edited, 1 done before, 0 refused, 0 failed\n")
        .await;
    assert_eq!((scene.edits(0), scene.edits(1)), (0, 1));
    assert_eq!(scene.bio(1), bio(1));
}

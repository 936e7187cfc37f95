//! Runs after a crash.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use mock_server::{Fault, FaultRule};
use serde_json::Value;

use crate::{Fixture, bio, name};

const ACCOUNTS: usize = 60;

/// Returns the accounts that the record marks as done. Its last line may be incomplete.
fn done(fixture: &Fixture) -> Vec<String> {
    let record = fs::read_to_string(fixture.record()).unwrap();
    record
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|entry| entry["state"] == "done")
        .map(|entry| entry["account"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn resumes_after_a_kill() {
    let fixture = Fixture::with_accounts(ACCOUNTS).await;
    fixture
        .service
        .add_fault(FaultRule::new(Fault::delay(200)))
        .unwrap();
    let mut killed = fixture
        .program()
        .args(["--concurrency", "8"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let edits = fixture.service.expect("PATCH", "/me/profile");
    edits
        .arrives(ACCOUNTS as u64 / 3, Duration::from_secs(30))
        .await;
    killed.kill().unwrap();
    killed.wait().unwrap();

    let done = done(&fixture);
    assert!(!done.is_empty() && done.len() < ACCOUNTS, "{done:?}");
    let edits: Vec<_> = (0..ACCOUNTS).map(|number| fixture.edits(number)).collect();

    fixture.service.clear_faults();
    let output = fixture.run(&[]).await;
    assert!(output.status.success(), "{output:?}");
    for (number, edits) in edits.into_iter().enumerate() {
        assert_eq!(fixture.bio(number), bio(number));
        if done.contains(&name(number)) {
            assert_eq!(
                fixture.edits(number),
                edits,
                "{} was edited again",
                name(number)
            );
        }
    }
    fixture
        .assert_prints(&format!("0 edited, {ACCOUNTS} done before, 0 failed\n"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_started_edits_before_sending_them() {
    let fixture = Fixture::with_accounts(2).await;
    let started = |number| {
        let (name, bio) = (name(number), bio(number));
        format!(r#"{{"account":"{name}","set":{{"bio":"{bio}"}},"state":"started"}}"#)
    };
    // The first edit was applied before the crash, the second was not. The last line is incomplete.
    let set = |world: &mut mock_server::World| {
        world.account_mut(&name(0)).unwrap().profile.bio = bio(0);
    };
    fixture.service.update(set).unwrap();
    let record = format!("{}\n{}\n{{\"accou", started(0), started(1));
    fs::write(fixture.record(), record).unwrap();

    fixture
        .assert_prints("1 edited, 1 done before, 0 failed\n")
        .await;
    assert_eq!((fixture.edits(0), fixture.edits(1)), (0, 1));
    assert_eq!(fixture.bio(1), bio(1));
}

//! Single and repeated runs.

use std::fs;

use mock_server::{Fault, FaultRule, Scope, WireFault};
use serde_json::json;

use crate::{Fixture, bio, name};

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_sends_nothing() {
    let fixture = Fixture::with_accounts(5).await;
    fixture
        .assert_prints("5 edited, 0 done before, 0 failed\n")
        .await;
    let requests = fixture.service.journal().requests().len();
    fixture
        .assert_prints("0 edited, 5 done before, 0 failed\n")
        .await;
    assert_eq!(fixture.service.journal().requests().len(), requests);
    fixture.service.assert_no_violations();

    // A different edit of the same account is sent.
    let line = json!({"name": name(0), "key_file": name(0), "set": {"location": "Here"}});
    fixture.write_list(&[line]);
    fixture
        .assert_prints("1 edited, 0 done before, 0 failed\n")
        .await;
    assert_eq!(fixture.bio(0), bio(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_retries_a_rejected_edit() {
    let mut fixture = Fixture::with_accounts(1).await;
    let lines = [
        fixture.add_account(7, &[]),
        fixture.add_account(8, &[Scope::ProfileWrite]),
    ];
    fixture.write_list(&lines);
    for done_before in [0, 1] {
        let output = fixture.run(&[]).await;
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("account7: failed: "), "{stderr}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        let edited = 1 - done_before;
        let expected = format!("{edited} edited, {done_before} done before, 1 failed\n");
        assert_eq!(stdout, expected);
    }
    // The key of `account7` was created second.
    assert_eq!((fixture.edits(1), fixture.edits(2)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_whose_response_was_lost_is_not_repeated() {
    let fixture = Fixture::with_accounts(1).await;
    let reset = FaultRule::new(Fault::Wire(WireFault::Reset { after: None })).after_write();
    fixture.service.add_fault(reset).unwrap();
    let output = fixture.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "0 edited, 0 done before, 1 failed\n"
    );

    // The edit was applied although the response was lost, so it is not sent again.
    fixture.service.clear_faults();
    let edits = fixture.edits(0);
    fixture
        .assert_prints("0 edited, 1 done before, 0 failed\n")
        .await;
    assert_eq!(fixture.edits(0), edits);
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_for_a_rate_limit() {
    let fixture = Fixture::with_accounts(3).await;
    let limited = FaultRule::new(Fault::rate_limited("1")).times(1);
    fixture
        .service
        .add_fault(limited.key(&fixture.labels[0]))
        .unwrap();
    fixture
        .assert_prints("3 edited, 0 done before, 0 failed\n")
        .await;
    assert_eq!((fixture.edits(0), fixture.edits(1)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_write_keys() {
    let fixture = Fixture::with_accounts(1).await;
    let key = fs::read_to_string(fixture.folder.path().join(name(0))).unwrap();
    let rejecting = FaultRule::new(Fault::status(418));
    fixture.service.add_fault(rejecting).unwrap();
    let output = fixture.run(&[]).await;
    let printed = format!(
        "{output:?}{}",
        fs::read_to_string(fixture.record()).unwrap()
    );
    assert!(
        printed.contains("failed") && !printed.contains(&key),
        "{printed}"
    );
}

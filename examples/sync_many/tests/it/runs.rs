//! What a run does, and what the run after it does.

use std::fs;

use mock_server::{Fault, FaultRule, Scope, WireFault};
use serde_json::json;

use crate::{Scene, bio, name};

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_does_nothing_new() {
    let scene = Scene::of_accounts(5).await;
    scene
        .succeed("5 edited, 0 done before, 0 refused, 0 failed\n")
        .await;
    let requests = scene.service.journal().requests().len();
    scene
        .succeed("0 edited, 5 done before, 0 refused, 0 failed\n")
        .await;
    assert_eq!(scene.service.journal().requests().len(), requests);
    scene.service.assert_no_violations();

    // Another edit of the same account is new.
    let line = json!({"name": name(0), "key_file": name(0), "set": {"location": "Here"}});
    scene.write_list(&[line]);
    scene
        .succeed("1 edited, 0 done before, 0 refused, 0 failed\n")
        .await;
    assert_eq!(scene.bio(0), bio(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_recorded_and_tried_again_when_asked() {
    let mut scene = Scene::of_accounts(1).await;
    let lines = [
        scene.add_account(7, &[]),
        scene.add_account(8, &[Scope::ProfileWrite]),
    ];
    scene.write_list(&lines);
    for arguments in [&[][..], &[], &["--retry-refused"]] {
        let output = scene.run(arguments).await;
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with("account7: refused: "), "{errors}");
    }
    // The key of `account7` is the second that was made.
    assert_eq!((scene.edits(1), scene.edits(2)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_away_is_no_refusal() {
    let scene = Scene::of_accounts(1).await;
    let away = FaultRule::new(Fault::Wire(WireFault::Reset)).after_write();
    scene.service.add_fault(away).unwrap();
    let output = scene.run(&[]).await;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "0 edited, 0 done before, 0 refused, 1 failed\n"
    );

    // The edit was applied although no answer came, so it is not sent again.
    scene.service.clear_faults();
    let edits = scene.edits(0);
    scene
        .succeed("0 edited, 1 done before, 0 refused, 0 failed\n")
        .await;
    assert_eq!(scene.edits(0), edits);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_is_waited_out() {
    let scene = Scene::of_accounts(3).await;
    let limited = FaultRule::new(Fault::rate_limited("1")).times(1);
    scene
        .service
        .add_fault(limited.key(&scene.labels[0]))
        .unwrap();
    scene
        .succeed("3 edited, 0 done before, 0 refused, 0 failed\n")
        .await;
    assert_eq!((scene.edits(0), scene.edits(1)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_written_anywhere() {
    let scene = Scene::of_accounts(1).await;
    let key = fs::read_to_string(scene.folder.path().join(name(0))).unwrap();
    let refusing = FaultRule::new(Fault::status(418));
    scene.service.add_fault(refusing).unwrap();
    let output = scene.run(&[]).await;
    let printed = format!("{output:?}{}", fs::read_to_string(scene.record()).unwrap());
    assert!(
        printed.contains("refused") && !printed.contains(&key),
        "{printed}"
    );
}

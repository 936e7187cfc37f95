//! `Client::apply` and `sync`: single cases.

use std::time::Duration;

use mock_server::journal::{RecordedRequest, RequestOutcome, RequestPattern};
use mock_server::wiremock::ResponseTemplate;
use mock_server::{Dialect, Fault, FaultRule, MockServer, WireFault};
use profile_sdk::plan::{
    ApplyErrorReason, DesiredLink, DesiredProfile, Plan, PlanOptions, Step, StepState,
};
use profile_sdk::{Client, Link, LinkUpdate, LinkUrl, ProfileUpdate, RetryPolicy, Scope};
use serde_json::json;

use crate::mocked_service::respond_to_all;
use crate::{add_fault, connect_as_owner, fault_on, owner_builder};

/// Returns a plan for new links with these titles, and the client for it.
async fn plan_of_new_links(service: &MockServer, titles: &[&str]) -> (Client, Plan) {
    let client = connect_as_owner(service);
    let mut desired = DesiredProfile::default();
    let url = LinkUrl::new("https://new.example").unwrap();
    let links = titles.iter();
    let links = links.map(|title| DesiredLink::new(*title, url.clone()));
    desired.links = Some(links.collect());
    let plan = Plan::new(&client.me().await.unwrap(), &desired, PlanOptions::new());
    (client, plan)
}

fn writes(service: &MockServer) -> usize {
    let requests = service.journal().requests().into_iter();
    requests.filter(|request| request.method != "GET").count()
}

#[tokio::test]
async fn a_creation_whose_response_was_lost_is_looked_up() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two"]).await;
    let lost = fault_on("POST", Fault::status(500)).times(1);
    add_fault(&service, lost.after_write());
    let mut states = Vec::new();
    let applying = client.apply(&plan);
    let applying = applying.on_step(|step, state| states.push((step.clone(), state)));
    assert_eq!(applying.await.unwrap().done, plan.steps());
    let states_of =
        |step: &Step| [StepState::Begun, StepState::Done].map(|state| (step.clone(), state));
    let expected: Vec<_> = plan.steps().iter().flat_map(states_of).collect();
    assert_eq!(states, expected);
    assert_eq!(writes(&service), 2);
}

#[tokio::test]
async fn a_sync_after_a_late_write_creates_no_second_link() {
    for fault in [
        Fault::status(504),
        Fault::Wire(WireFault::Close),
        Fault::Wire(WireFault::Reset { after: None }),
    ] {
        for milliseconds in [0, 5, 200] {
            let service = MockServer::start().await;
            let client = connect_as_owner(&service);
            let late = fault_on("POST", fault.clone()).times(1);
            let late = late.late_write(Duration::from_millis(milliseconds));
            add_fault(&service, late);
            let wanted = r#"{"links": [{"title": "A", "url": "x:a"}]}"#;
            let wanted: DesiredProfile = serde_json::from_str(wanted).unwrap();
            let sync = || client.sync(&wanted, PlanOptions::new());
            // It may see the link already.
            let _ = sync().await;
            let is_late = |one: &RecordedRequest| one.outcome == RequestOutcome::Late;
            while service.journal().requests().iter().any(is_late) {
                tokio::task::yield_now().await;
            }
            assert_eq!(sync().await.unwrap().done.len(), 0);
            let links = client.me().await.unwrap().links.unwrap();
            let new = links
                .iter()
                .filter(|link| link.title.as_deref() == Some("A"))
                .count();
            assert_eq!((new, writes(&service)), (1, 1), "{fault:?}");
        }
    }
}

#[tokio::test]
async fn a_creation_after_a_303_is_looked_up() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One"]).await;
    let location = "/api/v1/me/links/1".to_owned();
    let see_other = FaultRule::new(Fault::Redirect {
        status: 303,
        location,
    });
    let see_other = see_other.matching(RequestPattern::any().method("POST"));
    add_fault(&service, see_other.clone().times(1));
    let error = client.apply(&plan).await.unwrap_err();
    assert_eq!(error.report.unknown.as_ref(), Some(&plan.steps()[0]));
    add_fault(&service, see_other.times(1).after_write());
    assert_eq!(client.apply(&plan).await.unwrap().done, plan.steps());
    assert_eq!(writes(&service), 2);
}

/// Of four equal links, one exists, one is the result of an edit, and two are created. The last request
/// is lost.
#[tokio::test]
async fn a_creation_is_done_only_if_all_equal_links_exist() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let add_links = |world: &mut mock_server::World| {
        world.add_link("demo", "A", "https://a/").unwrap();
        world.add_link("demo", "B", "https://a").unwrap();
    };
    service.update(add_links).unwrap();
    let wanted = ["https://a", "https://a/", "https://a", "https://a/"];
    let wanted = wanted.map(|url| DesiredLink::new("A", LinkUrl::new(url).unwrap()));
    let mut desired = DesiredProfile::default();
    desired.links = Some(wanted.to_vec());
    let plan = Plan::new(&client.me().await.unwrap(), &desired, PlanOptions::new());
    let lost = fault_on("POST", Fault::status(500)).skip(1);
    add_fault(&service, lost.times(1));
    let report = client.apply(&plan).await.unwrap_err().report;
    assert_eq!(report.done, plan.steps()[..2]);
    assert_eq!(report.unknown.as_ref(), Some(&plan.steps()[2]));
}

#[tokio::test]
async fn a_creation_that_does_not_show_is_unknown_and_ends_the_run() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let lost = fault_on("POST", Fault::status(500)).skip(1);
    add_fault(&service, lost.times(1));
    let error = client.apply(&plan).await.unwrap_err();
    let expected = "POST /api/v1/me/links: 500: the service failed: this response comes from a fault \
                    rule (fault); the change may have been applied; the result of this step is unknown: \
                    create link \"Two\" (\"https://new.example\"); wait and look at the profile before you \
                    plan again; 1 of 3 steps is done";
    assert_eq!(error.to_string(), expected);
    let expected = "created link \"One\" (\"https://new.example\")\n\
                    unknown: create link \"Two\" (\"https://new.example\")\n\
                    not done: create link \"Three\" (\"https://new.example\")\n";
    assert_eq!(error.report.to_string(), expected);
    assert!(!error.is_retryable());
    assert_eq!(error.report.done, plan.steps()[..1]);
    assert_eq!(error.report.unknown.as_ref(), Some(&plan.steps()[1]));
    assert_eq!(error.report.not_done, plan.steps()[2..]);
    assert_eq!(writes(&service), 2);
}

#[tokio::test]
async fn a_sync_that_failed_before_an_unclear_step_is_retryable() {
    let service = MockServer::start().await;
    let builder = owner_builder(&service).retry(RetryPolicy::none());
    let client = builder.build().unwrap();
    let wanted = r#"{"links": [{"title": "A", "url": "x:a"}, {"title": "B", "url": "x:b"}]}"#;
    let wanted: DesiredProfile = serde_json::from_str(wanted).unwrap();
    let sync = || client.sync(&wanted, PlanOptions::new());
    add_fault(&service, FaultRule::new(Fault::status(503)).times(1));
    let error = sync().await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!(!error.to_string().contains("steps"), "{error}");
    let limited = fault_on("POST", Fault::rate_limited("7"));
    add_fault(&service, limited.skip(1).times(1));
    let error = sync().await.unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let end = "1 of 2 steps is done";
    assert!(error.to_string().ends_with(end), "{error}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(sync().await.unwrap().done, error.report.not_done);
    assert_eq!(writes(&service), 3);
}

#[tokio::test]
async fn only_a_scope_that_is_certainly_missing_stops_a_sync() {
    let lacks = Some(Scope::LinksWrite);
    for (scopes, missing) in [
        (json!(["profile:write"]), &lacks),
        (json!("analytics:read profile:write"), &lacks),
        (json!([]), &lacks),
        (json!(["links:write"]), &None),
        (json!(["*"]), &None),
        (json!(["profile:write", "links:*"]), &None),
        (json!([{"name": "links:write"}]), &None),
        (json!({"links:write": true}), &None),
        (json!(null), &None),
    ] {
        let service = crate::mocked_service::MockServer::start().await;
        let profile = json!({"data": {"links": [], "key": {"scopes": scopes}}});
        let response = ResponseTemplate::new(200).set_body_json(profile);
        respond_to_all(&service, response).await;
        let mut desired = DesiredProfile::default();
        desired.links = Some(vec![DesiredLink::new("A", LinkUrl::new("x:a").unwrap())]);
        let client = connect_as_owner(&service);
        let synced = client.sync(&desired, PlanOptions::new()).await;
        let sent = service.wiremock().received_requests().await.unwrap().len();
        match (synced, missing) {
            (Ok(report), None) => assert_eq!((report.done.len(), sent), (1, 2)),
            (Err(error), Some(scope)) => {
                assert_eq!((error.report.not_done.len(), sent), (1, 1));
                let expected = "the key lacks the scope links:write; nothing was sent; use a key with this scope";
                assert_eq!(error.to_string(), expected);
                let reason = &error.reason;
                assert!(
                    matches!(reason, ApplyErrorReason::MissingScope(lacked) if lacked == scope)
                );
            }
            (synced, _) => panic!("{scopes}: {synced:?}"),
        }
    }
}

#[tokio::test]
async fn one_client_applies_one_plan_at_a_time() {
    let service = MockServer::start().await;
    let titles = ["1", "2", "3", "4", "5", "6", "7"];
    let (client, plan) = plan_of_new_links(&service, &titles).await;
    let clone = client.clone();
    let (one, other) = tokio::join!(client.apply(&plan), clone.apply(&plan));
    assert_eq!(one.unwrap().done, plan.steps());
    assert_eq!(other.unwrap().done, plan.steps());
    assert_eq!(writes(&service), titles.len());
}

#[tokio::test]
async fn a_dropped_run_can_be_continued() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let slow = fault_on("POST", Fault::delay(Duration::from_millis(60_000))).skip(1);
    add_fault(&service, slow.times(1));
    let creations = service.expect("POST", "/me/links");
    tokio::select! {
        report = client.apply(&plan) => panic!("{report:?}"),
        _ = creations.arrives(2, Duration::from_secs(10)) => {}
    }
    assert_eq!(writes(&service), 2);
    let (client, plan) = plan_of_new_links(&service, &["One", "Two", "Three"]).await;
    let done = client.apply(&plan).await.unwrap().done;
    assert_eq!(done, plan.steps());
    let links = client.me().await.unwrap().links.unwrap();
    for title in ["One", "Two", "Three"] {
        let is_new = |link: &&Link| link.title.as_deref() == Some(title);
        assert_eq!(links.iter().filter(is_new).count(), 1, "{title}");
    }
}

#[tokio::test]
async fn without_a_list_of_links_nothing_is_sent() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["One"]).await;
    service.set_dialect(Dialect::minimal()).unwrap();
    let (_, planned_without) = plan_of_new_links(&service, &["One"]).await;
    assert!(planned_without.lacks_links());
    for plan in [plan, planned_without] {
        let error = client.apply(&plan).await.unwrap_err();
        let expected = "the service does not list the links of the profile, so they cannot be compared; \
                        nothing was sent; leave the links out, or edit them one by one";
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.report.not_done, plan.steps());
    }
    assert_eq!(writes(&service), 0);
}

#[tokio::test]
async fn an_outdated_plan_is_not_applied() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let me = client.me().await.unwrap();
    let mut desired = DesiredProfile::default();
    desired.profile.bio = Some("New".parse().unwrap());
    desired.links = Some(Vec::new());
    let plan = Plan::new(&me, &desired, PlanOptions::new().prune(true));
    let id = me.links.unwrap()[0].id.clone().unwrap();
    let rename = LinkUpdate::new().title("Other");
    client.update_link(&id, &rename).await.unwrap();
    let error = client.apply(&plan).await.unwrap_err();
    let expected = "the profile has changed since the plan was made; nothing was sent; \
                    read the profile and plan again";
    assert_eq!(error.to_string(), expected);
    assert_eq!(writes(&service), 1);
}

/// A link that the plan did not see may be one of its creations in a changed form.
#[tokio::test]
async fn a_plan_that_did_not_see_a_link_creates_none() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["New"]).await;
    let stored = serde_json::to_value(&plan).unwrap();
    let me = client.me().await.unwrap();
    let gone = me.links()[0].id.clone().unwrap();
    client.delete_link(&gone).await.unwrap();
    client.apply(&plan).await.unwrap();
    client.apply(&plan).await.unwrap();
    let me = client.me().await.unwrap();
    let created = me.links().last().unwrap().id.clone().unwrap();
    let rename = LinkUpdate::new().title("NEW");
    client.update_link(&created, &rename).await.unwrap();
    let before = writes(&service);
    let error = client.apply(&plan).await.unwrap_err();
    let is_outdated = matches!(error.reason, ApplyErrorReason::Outdated);
    assert!(is_outdated, "{error}");
    assert_eq!(writes(&service), before);
    // A plan of an older version has no IDs, and the number of links is as before.
    let mut older = stored;
    older.as_object_mut().unwrap().remove("seen_links").unwrap();
    let older: Plan = serde_json::from_value(older).unwrap();
    client.apply(&older).await.unwrap();
}

#[tokio::test]
async fn a_plan_is_only_applied_to_its_account() {
    let service = MockServer::start().await;
    let (client, plan) = plan_of_new_links(&service, &["New"]).await;
    for (name, value, expected) in [
        (
            "handle",
            "ada",
            "\"ada\", and this is \"demo\"; nothing was sent",
        ),
        (
            "service",
            "https://other.example",
            "https://other.example, and this is http://127.0.0.1",
        ),
    ] {
        let mut json = serde_json::to_value(&plan).unwrap();
        json[name] = value.into();
        let other: Plan = serde_json::from_value(json).unwrap();
        let error = client.apply(&other).await.unwrap_err();
        let is_other = matches!(error.reason, ApplyErrorReason::OtherAccount { .. });
        let expected = format!("the plan is for {expected}");
        assert!(
            is_other && error.to_string().starts_with(&expected),
            "{error}"
        );
    }
    assert_eq!(writes(&service), 0);
    client.apply(&plan).await.unwrap();
}

#[tokio::test]
async fn a_color_in_another_case_is_no_other_color() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    for (stored, warnings) in [("#ABCDEF", 0), ("#abcdee", 1)] {
        let response = json!({"data": {"text_color": stored}}).to_string();
        let rule = FaultRule::new(Fault::status(200).with_body(response));
        add_fault(
            &service,
            rule.matching(RequestPattern::any().method("PATCH"))
                .after_write(),
        );
        let mut desired = DesiredProfile::default();
        desired.profile = ProfileUpdate::new().text_color("#abcdef".parse().unwrap());
        let report = client.sync(&desired, PlanOptions::new()).await.unwrap();
        assert_eq!(report.warnings.len(), warnings, "{report}");
        let reset = ProfileUpdate::new().text_color("#000000".parse().unwrap());
        service.clear_faults();
        client.update_profile(&reset).await.unwrap();
    }
}

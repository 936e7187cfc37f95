//! Plans: the comparison of a desired profile with the current one.

use mock_server::MockServer;
use profile_sdk::plan::{ApplyReport, DesiredProfile, Plan, PlanOptions};
use profile_sdk::{Profile, ProfileField, Scope};
use serde_json::{Value, json};

use crate::connect_as_owner;

fn profile(json: Value) -> Profile {
    serde_json::from_value(json).unwrap()
}

fn plan(current: Value, desired: Value, options: PlanOptions) -> Plan {
    let desired: DesiredProfile = serde_json::from_value(desired).unwrap();
    Plan::new(&profile(current), &desired, options)
}

fn link(id: &str, title: &str, url: &str) -> Value {
    json!({"id": id, "title": title, "url": url})
}

fn new_link(title: &str, url: &str) -> Value {
    json!({"title": title, "url": url})
}

/// Returns the steps in lines.
fn lines(current: Value, desired: Value, options: PlanOptions) -> String {
    plan(current, desired, options).to_string()
}

#[test]
fn plans_every_field_that_differs() {
    for field in ProfileField::ALL {
        let text = match field.kind().max_characters() {
            Some(_) => "N\u{1b}\u{202e}",
            None => "#00ff00",
        };
        let desired = json!({"profile": {field.name(): text}});
        let current = json!({field.name(): "#000000"});
        let plan = plan(current, desired.clone(), PlanOptions::new());
        let step = json!({
            "step": "edit_profile",
            "from": {field.name(): "#000000"},
            "to": {field.name(): text},
        });
        assert_eq!(json!(plan.steps()), json!([step]));
        let line = format!("edit {}: \"#000000\" to {text:?}\n", field.description());
        assert_eq!(plan.to_string(), line);
        assert_eq!(plan.required_scopes(), [Scope::ProfileWrite]);
        let same = desired["profile"].clone();
        assert_eq!(lines(same, desired, PlanOptions::new()), "");
    }
}

#[test]
fn an_absent_text_is_an_empty_one_and_the_case_of_a_color_does_not_matter() {
    let desired = json!({"profile": {"bio": "", "text_color": "#ABCDEF"}});
    let current = json!({"text_color": "#abcdef", "location": "x"});
    assert_eq!(lines(current, desired, PlanOptions::new()), "");
}

#[test]
fn steps_have_an_order() {
    let current = json!({"bio": "b", "links": [
        link("1", "A", "https://a"), link("2", "B", "https://b"), link("3", "C", "https://c"),
    ]});
    let desired = json!({"profile": {"bio": "", "location": "x"}, "links": [
        new_link("D", "https://d"), new_link("A", "https://a"), new_link("Two", "https://b"),
    ]});
    let plan_with = |prune| {
        let options = PlanOptions::new().prune(prune);
        plan(current.clone(), desired.clone(), options)
    };
    let pruned = plan_with(true);
    let expected = "edit bio: \"b\" to \"\", location: \"\" to \"x\"\n\
                    edit link 2: \"B\" (\"https://b\") to \"Two\" (\"https://b\")\n\
                    create link \"D\" (\"https://d\")\n\
                    delete link 3: \"C\" (\"https://c\")\n";
    assert_eq!(pruned.to_string(), expected);
    let scopes = [Scope::ProfileWrite, Scope::LinksWrite];
    assert_eq!(pruned.required_scopes(), scopes);
    assert_eq!((pruned.unchanged_links(), pruned.other_links()), (1, 0));
    // The same, but link 3 stays; the others are matched although they are excluded.
    let keep = PlanOptions::new().prune(true).keep(|_| true);
    for kept in [plan_with(false), plan(current, desired, keep)] {
        assert_eq!(kept.steps(), &pruned.steps()[..3]);
        assert_eq!((kept.unchanged_links(), kept.other_links()), (1, 1));
    }
}

/// Compares with a profile of the account `demo` at `https://s`. Returns the steps in lines.
fn match_links(source: Option<Value>, wanted: Value, links: Value) -> String {
    let mut desired = json!({"links": wanted});
    if let Some(source) = source {
        desired["source"] = source;
    }
    let options = PlanOptions::new().service("https://s");
    lines(json!({"handle": "demo", "links": links}), desired, options)
}

#[test]
fn matches_in_an_order() {
    let own = json!({"service": "https://s/", "handle": "demo"});
    let links = json!([
        link("1", "Same", "https://same"),
        link("2", "A", "https://a"),
        link("3", "B", "https://b"),
    ]);
    for (wanted, expected) in [
        // An equal link, although another one has the ID.
        (link("2", "Same", "https://same"), ""),
        // The ID, although others have the URL or the title.
        (link("2", "Same", "https://b"), "edit link 2: "),
        // The URL, although another link has the title.
        (new_link("A", "https://b"), "edit link 3: "),
        // The title.
        (new_link("A", "https://new"), "edit link 2: "),
        (
            new_link("N", "https://n"),
            "create link \"N\" (\"https://n\")\n",
        ),
    ] {
        let steps = match_links(Some(own.clone()), json!([wanted]), links.clone());
        assert!(steps.starts_with(expected), "{wanted}: {steps}");
        assert_eq!(steps.is_empty(), expected.is_empty(), "{wanted}: {steps}");
    }
}

#[test]
fn equal_links_match_by_id_first() {
    let links = ["1", "2", "3"].map(|id| link(id, "Same", "x:y"));
    let changes = |wanted: &[Value]| {
        let own = json!({"service": "https://s", "handle": "demo"});
        let options = PlanOptions::new().service("https://s").prune(true);
        let current = json!({"handle": "demo", "links": links});
        lines(current, json!({"source": own, "links": wanted}), options)
    };
    for index in 0..links.len() {
        let id = index + 1;
        let mut edited = links.to_vec();
        edited[index]["title"] = json!("New");
        let edit = format!("edit link {id}: \"Same\" (\"x:y\") to \"New\" (\"x:y\")\n");
        assert_eq!(changes(&edited), edit);
        let mut shortened = links.to_vec();
        shortened.remove(index);
        let deletion = format!("delete link {id}: \"Same\" (\"x:y\")\n");
        assert_eq!(changes(&shortened), deletion);
    }
}

#[test]
fn urls_that_are_equal_after_parsing_are_the_same() {
    let parsed = json!([link("1", "A", "https://a/"), link("2", "B", "https://b/x")]);
    let unchanged = json!([
        new_link("A", "https://a"),
        new_link("B", "HTTPS://B:443/y/../x"),
    ]);
    assert_eq!(match_links(None, unchanged, parsed.clone()), "");
    let edit = match_links(None, json!([new_link("C", "https://a")]), parsed);
    let expected = "edit link 1: \"A\" (\"https://a/\") to \"C\" (\"https://a\")\n";
    assert_eq!(edit, expected, "the URL is sent as written");
    // An exact match comes first.
    for title in ["A", "New"] {
        let links = json!([link("1", "A", "https://a/"), link("2", "A", "https://a")]);
        let desired = json!({"links": [new_link(title, "https://a")]});
        let options = PlanOptions::new().prune(true);
        let plan = plan(json!({ "links": links }), desired, options);
        let last = plan.steps().last().unwrap().to_string();
        assert!(last.starts_with("delete link 1: "), "{last}");
    }
}

#[test]
fn links_of_another_account_match_only_by_url() {
    let links = json!([link("1", "A", "https://a"), link("2", "B", "https://b")]);
    for other in [
        json!({"service": "https://s", "handle": "grace"}),
        json!({"service": "https://other", "handle": "demo"}),
        json!({"handle": "grace"}),
    ] {
        let matched = |wanted| match_links(Some(other.clone()), json!([wanted]), links.clone());
        let created = "create link \"A\" (\"https://new\")\n";
        assert_eq!(matched(link("1", "A", "https://new")), created);
        assert!(matched(link("1", "New", "https://b")).starts_with("edit link 2: "));
    }
}

#[test]
fn links_of_an_unknown_service_match_by_title_but_not_by_id() {
    let (own, unknown) = (Some("https://s"), None);
    for (file, current) in [(own, unknown), (unknown, own), (unknown, unknown)] {
        let mut options = PlanOptions::new();
        if let Some(service) = current {
            options = options.service(service);
        }
        let source = json!({"service": file, "handle": "demo"});
        let wanted = json!([link("1", "B", "https://new")]);
        let links = json!([link("1", "A", "https://a"), link("2", "B", "https://b")]);
        let current = json!({"handle": "demo", "links": links});
        let plan = lines(current, json!({"source": source, "links": wanted}), options);
        assert!(plan.starts_with("edit link 2: "), "{plan}");
    }
}

#[tokio::test]
async fn an_export_names_its_service() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    assert_eq!(client.base_url(), service.uri());
    let mut exported = client.export().await.unwrap();
    let me = client.me().await.unwrap();
    let source = exported.source.as_ref().unwrap();
    assert_eq!(source.service.as_deref(), Some(client.base_url()));
    assert_eq!(Some(&source.handle), me.handle.as_ref());
    let links = exported.links.as_mut().unwrap();
    let (title, url) = ("New", "https://new.example".parse().unwrap());
    (links[0].title, links[0].url) = (title.to_owned(), url);
    let options = PlanOptions::new().service(client.base_url());
    let plan = Plan::new(&me, &exported, options).to_string();
    assert!(plan.starts_with("edit link link_1: "), "{plan}");
}

#[test]
fn a_title_must_be_unique_on_both_sides() {
    let one = [link("1", "A", "https://1")];
    let two = [link("1", "A", "https://1"), link("2", "A", "https://2")];
    let count = |wanted: &[Value], links: &[Value], what: &str| {
        let steps = match_links(None, json!(wanted), json!(links));
        steps.lines().filter(|line| line.starts_with(what)).count()
    };
    let wanted = [new_link("A", "https://3"), new_link("A", "https://4")];
    assert_eq!(count(&wanted[..1], &one, "edit"), 1);
    assert_eq!(count(&wanted[..1], &two, "create"), 1);
    assert_eq!(count(&wanted, &one, "create"), 2);
    assert_eq!(count(&wanted, &two, "create"), 2);
}

#[test]
fn a_link_without_id_stays() {
    let links = json!([new_link("A", "https://a"), new_link("B", "https://b")]);
    let desired = json!({"links": [new_link("New", "https://a"), new_link("B", "https://b")]});
    let options = PlanOptions::new().prune(true);
    let plan = plan(json!({"links": links}), desired, options);
    assert_eq!(plan.to_string(), "create link \"New\" (\"https://a\")\n");
    assert_eq!((plan.unchanged_links(), plan.other_links()), (1, 1));
}

#[test]
fn a_link_that_a_desired_profile_cannot_hold_stays() {
    let links = json!([
        link("1", "A", "https://a"),
        {"id": "2", "title": "B"},
        link("3", "C", "example.org"),
        {"id": "4", "url": ""},
    ]);
    let current = profile(json!({"handle": "demo", "links": links}));
    let backup = DesiredProfile::from(&current);
    assert_eq!(backup.links.as_ref().map(Vec::len), Some(1));
    let options = PlanOptions::new().prune(true);
    let plan = Plan::new(&current, &backup, options);
    assert_eq!(plan.steps(), []);
    assert_eq!((plan.unchanged_links(), plan.other_links()), (1, 3));
}

/// Links that a service changed when it stored them.
#[test]
fn similar_links_match_if_there_is_only_one_way() {
    let at = "https://a.example/";
    for (title, url, stored_title, stored_url) in [
        (" Blog\t", &*format!("{at}x/"), "Blog", &*format!("{at}x")),
        (
            "Cafe\u{301} ",
            &format!("{at}e\u{301}"),
            "Caf\u{e9}",
            &format!("{at}\u{e9}"),
        ),
        ("A ", "foo://Host/Path/", "A", "foo://host/Path"),
        ("", "https://a.example/x/", "", "HTTPS://A.example/x"),
    ] {
        let other = json!({"service": "https://s", "handle": "grace"});
        let stored = json!([link("1", stored_title, stored_url)]);
        let wanted = json!([new_link(title, url)]);
        let steps = match_links(Some(other.clone()), wanted.clone(), stored.clone());
        assert!(steps.starts_with("edit link 1: "), "{steps}");
        assert_eq!(steps.lines().count(), 1, "{steps}");
        // Two links of the file, or different ones of the profile, could be the same.
        let without_id = json!([new_link(stored_title, stored_url)]);
        let differing = json!([
            link("1", stored_title, stored_url),
            link("2", &format!("{stored_title} "), stored_url),
        ]);
        let twice = json!([new_link(title, url), new_link(title, url)]);
        for (wanted, current) in [
            (twice, stored),
            (wanted.clone(), without_id),
            (wanted, differing),
        ] {
            let desired = json!({"links": wanted, "source": other});
            let options = PlanOptions::new().service("https://s").prune(true);
            let plan = plan(
                json!({"links": current, "handle": "demo"}),
                desired,
                options,
            );
            assert_eq!(plan.steps(), [], "{plan}");
            let expected = wanted.as_array().unwrap().iter();
            let expected = expected
                .map(|to| json!({"warning": "similar_links", "to": to, "similar": current}));
            assert_eq!(json!(plan.warnings()), expected.collect::<Value>());
            assert_eq!(plan.other_links(), current.as_array().unwrap().len());
            assert_eq!(plan, serde_json::from_value(json!(plan)).unwrap());
        }
    }
}

/// Three copies from earlier runs at a service that trims.
#[test]
fn copies_of_a_changed_link_are_not_multiplied() {
    let stored = ["6", "7", "8"].map(|id| link(id, "Blog", "x:y"));
    let desired = json!({"links": [new_link("Blog ", "x:y/")]});
    let edit = "edit link 6: \"Blog\" (\"x:y\") to \"Blog \" (\"x:y/\")\n";
    let deletions = ["7", "8"].map(|id| format!("delete link {id}: \"Blog\" (\"x:y\")\n"));
    for (prune, deletions) in [(false, String::new()), (true, deletions.concat())] {
        let options = PlanOptions::new().prune(prune);
        let steps = lines(json!({"links": stored}), desired.clone(), options);
        assert_eq!(steps, format!("{edit}{deletions}"));
    }
}

#[test]
fn links_that_differ_in_more_than_what_services_change_are_different() {
    let stored = json!([
        link("1", "blog", "https://a.example/x"),
        link("2", "blog", "https://a.example/a/b?q=a&b#c%FF"),
    ]);
    for (title, url) in [
        ("blog ", "https://a.example/a%2Fb?q=a&b#c%FF"),
        ("blog ", "https://a.example/a/b?q=a%26b#c%FF"),
        ("blog ", "https://a.example/a/b?q=a&b%23c%FF"),
        ("blog ", "https://a.example/a/b?q=a&b#c%FE"),
        ("Blog", "https://a.example/x/"),
        ("blog ", "https://a.example/X"),
        ("blo g", "https://a.example/x/"),
        ("blog ", "https://a.example/x?"),
        ("blog ", "http://a.example/x"),
    ] {
        let wanted = json!([new_link(title, url)]);
        let created = match_links(None, wanted, stored.clone());
        assert!(created.starts_with("create link"), "{created}");
    }
}

#[test]
fn a_skipped_link_is_named_with_the_similar_ones() {
    let links = json!([
        link("1", "A", "https://a/x"),
        link("2", "A", "https://a/x//")
    ]);
    let desired = json!({"links": [new_link("A", "https://a/x/")]});
    let plan = plan(json!({ "links": links }), desired, PlanOptions::new());
    let expected = "link \"A\" (\"https://a/x/\") is left out, because the profile has similar links: \
                    \"A\" (\"https://a/x\"), \"A\" (\"https://a/x//\"); none of them is changed; use the \
                    title and the URL of one of them, or change it by its ID";
    assert_eq!(plan.warnings()[0].to_string(), expected);
}

#[test]
fn a_service_that_lists_no_links_is_reported() {
    let links = json!([new_link("A", "https://a")]);
    let plan_of = |desired, prune| plan(json!({}), desired, PlanOptions::new().prune(prune));
    for (desired, prune, lacks_links) in [
        (json!({"links": links}), false, true),
        (json!({"links": []}), true, true),
        (json!({"links": []}), false, false),
        (json!({"profile": {"bio": ""}}), true, false),
    ] {
        let plan = plan_of(desired.clone(), prune);
        assert_eq!(plan.lacks_links(), lacks_links);
        assert_eq!(plan.is_empty(), !lacks_links);
        assert_eq!(plan.steps(), [], "{desired}");
    }
}

/// A plan and a report that earlier versions wrote.
#[test]
fn reads_and_writes_what_was_stored() {
    let edit = r#"{"from":{"title":"A","url":"https://a"},"id":"1","step":"edit_link","to":{"title":"N","url":"https://a"}}"#;
    let create = r#"{"copies":2,"step":"create_link","to":{"title":"C","url":"https://c"}}"#;
    let first = r#"{"step":"create_link","to":{"title":"C","url":"https://c"}}"#;
    let delete = r#"{"from":{"title":"B"},"id":2,"step":"delete_link"}"#;
    let fields = r#"{"from":{"bio":"b"},"step":"edit_profile","to":{"bio":"","location":"x"}}"#;
    let similar = r#"{"similar":[{"clicks":3,"id":"1"}],"to":{"title":"A","url":"https://a"},"warning":"similar_links"}"#;
    let altered =
        r#"{"field":"title","link":"1","sent":"a ","stored":"a","warning":"altered_text"}"#;
    let not_listed = r#"{"warning":"links_not_listed"}"#;
    let plan = format!(
        r#"{{"handle":"demo","lacks_links":true,"other_links":1,"seen_links":["1",2],"service":"https://s","steps":[{fields},{edit},{first},{create},{delete}],"unchanged_links":3,"warnings":[{similar}]}}"#
    );
    let read: Plan = serde_json::from_str(&plan).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), plan);
    let plan = r#"{"other_links":0,"steps":[],"unchanged_links":0}"#;
    assert_eq!(serde_json::to_string(&Plan::default()).unwrap(), plan);
    for (unknown, warnings) in [
        ("null", String::new()),
        (create, format!(r#","warnings":[{altered},{not_listed}]"#)),
    ] {
        let report =
            format!(r#"{{"done":[{fields}],"unknown":{unknown},"not_done":[{delete}]{warnings}}}"#);
        let read: ApplyReport = serde_json::from_str(&report).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), report);
    }
}

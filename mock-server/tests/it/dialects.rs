//! The settings of a dialect.

use mock_server::dialect::{
    AnalyticsShape, ApiVisible, BadgeKinds, ContentRejection, DaysOutOfRange, DialectFile,
    ErrorBody, Ids, KeyObject, KeyRateLimit, KeyScopes, Learned, LinkUrls, MeFields,
    OtherStatistics, ReferenceData, ResourceFields, ScopeRejection, UnknownFields, WriteResponses,
};
use mock_server::{Dialect, ProfileField, Request, World, handle};
use serde_json::{Value, json};

use crate::request::{Answer, engine_request, scopes};

/// Creates a world whose dialect differs from the default in one setting.
fn world(change: impl FnOnce(&mut Dialect)) -> World {
    let mut dialect = Dialect::default();
    change(&mut dialect);
    let mut world = World::default();
    world.set_dialect(dialect);
    world
}

/// Sends a request with a key that has all scopes.
pub(crate) fn send(world: &mut World, line: &str, body: impl Into<Option<Value>>) -> Answer {
    let (key, body) = (world.keys().all, body.into().map(|body| body.to_string()));
    handle(world, &engine_request(line, Some(&key), body.as_deref())).into()
}

#[track_caller]
pub(crate) fn read(world: &mut World, line: &str) -> Value {
    let answer = send(world, line, None);
    assert_eq!(answer.status, 200, "{line}");
    serde_json::from_str::<Value>(&answer.body).unwrap()["data"].take()
}

fn names(object: &Value) -> Vec<&str> {
    let object = object.as_object().unwrap();
    let mut names: Vec<_> = object.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn api_visible_is_a_boolean_an_integer_or_a_string() {
    for (setting, shown, hidden) in [
        (ApiVisible::Boolean, json!(true), json!(false)),
        (ApiVisible::Integer, json!(1), json!(0)),
        (ApiVisible::String, json!("true"), json!("false")),
    ] {
        let mut world = world(|dialect| dialect.api_visible = setting);
        assert_eq!(read(&mut world, "GET /me")["api_visible"], shown);
        world.account_mut("demo").unwrap().api_visible = false;
        assert_eq!(read(&mut world, "GET /me")["api_visible"], hidden);
    }
}

#[test]
fn key_object_has_several_shapes_without_the_key() {
    let mut world = world(|dialect| {
        dialect.key_object = KeyObject::ExtraFields;
        dialect.key_scopes = KeyScopes::SpaceSeparated;
        dialect.key_rate_limit = KeyRateLimit::Number;
    });
    let me = read(&mut world, "GET /me");
    assert_eq!(
        me["key"],
        json!({
            "scopes": scopes(" "),
            "rate_limit": 1_000_000,
            "name": "A key of the mock server",
            "owner": {"handle": "demo"},
        })
    );
    assert!(!me.to_string().contains(&world.keys().all));

    let mut world = self::world(|dialect| dialect.key_scopes = KeyScopes::CommaSeparated);
    assert_eq!(read(&mut world, "GET /me")["key"]["scopes"], scopes(","));
}

#[test]
fn minimal_me_has_only_the_specified_fields() {
    let mut world = world(|dialect| dialect.me_fields = MeFields::Minimal);
    let mut fields: Vec<_> = ProfileField::ALL.iter().map(ProfileField::name).collect();
    fields.sort_unstable();
    let me = read(&mut world, "GET /me");
    let mut expected = [&fields[..], &["api_visible", "email", "key"]].concat();
    expected.sort_unstable();
    assert_eq!(names(&me), expected);
    let edited = send(&mut world, "PATCH /me/profile", Some(json!({"bio": "x"})));
    let edited: Value = serde_json::from_str(&edited.body).unwrap();
    assert_eq!(names(&edited["data"]), fields);
}

#[test]
fn integer_ids_are_also_used_in_paths() {
    let mut world = world(|dialect| dialect.ids = Ids::Integer);
    let link = json!({"title": "x", "url": "https://example.com"});
    let created = send(&mut world, "POST /me/links", Some(link));
    let created: Value = serde_json::from_str(&created.body).unwrap();
    assert_eq!(created["data"]["id"], 6);
    let me = read(&mut world, "GET /me");
    assert_eq!(me["links"][2]["id"], 6);
    assert_eq!(me["posts"][0]["id"], 3);
    for (line, status) in [
        ("DELETE /me/links/link_6", 404),
        ("DELETE /me/links/06", 404),
        ("DELETE /me/posts/6", 404),
        ("DELETE /me/links/6", 204),
        ("DELETE /me/posts/3", 204),
    ] {
        assert_eq!(send(&mut world, line, None).status, status, "{line}");
    }
    let edit = Some(json!({"title": "y"}));
    assert_eq!(send(&mut world, "PATCH /me/links/1", edit).status, 200);
    assert_eq!(world.account("demo").unwrap().links[0].title, "y");
}

#[test]
fn stores_the_urls_of_links_as_sent_or_parsed() {
    for (setting, stored) in [
        (LinkUrls::AsSent, "HTTPS://Example.com"),
        (LinkUrls::Parsed, "https://example.com/"),
    ] {
        let mut world = world(|dialect| dialect.link_urls = setting);
        let link = json!({"title": "x", "url": "HTTPS://Example.com"});
        assert_eq!(send(&mut world, "POST /me/links", link).status, 201);
        let edit = json!({"url": "HTTPS://Example.com"});
        assert_eq!(send(&mut world, "PATCH /me/links/link_1", edit).status, 200);
        let links = read(&mut world, "GET /me")["links"].take();
        assert_eq!([&links[0]["url"], &links[2]["url"]], [stored; 2]);
    }
}

#[test]
fn uuids_are_also_used_in_paths() {
    let mut world = world(|dialect| dialect.ids = Ids::Uuid);
    let me = read(&mut world, "GET /me");
    let [links, posts] = ["links", "posts"].map(|name| me[name].as_array().unwrap().iter());
    let ids: Vec<_> = links
        .chain(posts)
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    let expected = [
        "8d6e1886-1163-403e-8773-1a1c3dec4a40",
        "589bd2d2-5134-4251-8a9f-7e165dc468f2",
        "886a5c8a-de7c-4871-8480-9c8cc21627a0",
    ];
    assert_eq!(ids, expected);
    let unknown = send(&mut world, "DELETE /me/links/link_1", None);
    assert_eq!(unknown.status, 404);
    let edit = Some(json!({"title": "y"}));
    let line = format!("PATCH /me/links/{}", ids[0]);
    assert_eq!(send(&mut world, &line, edit).status, 200);
    assert_eq!(world.account("demo").unwrap().links[0].title, "y");
    for (id, path) in ids.iter().zip(["links", "links", "posts"]) {
        let line = format!("DELETE /me/{path}/{id}");
        assert_eq!(send(&mut world, &line, None).status, 204, "{line}");
    }
}

#[test]
fn links_and_posts_can_have_more_or_fewer_fields() {
    for (setting, further) in [
        (ResourceFields::CreatedAt, &["created_at"][..]),
        (ResourceFields::Bare, &[]),
        (ResourceFields::Nested, &["created_at", "metadata"]),
    ] {
        let mut world = world(|dialect| dialect.resource_fields = setting);
        let me = read(&mut world, "GET /me");
        for (resource, own) in [
            (&me["links"][0], &["id", "title", "url"][..]),
            (&me["posts"][0], &["body", "id"]),
        ] {
            let mut expected = [own, further].concat();
            expected.sort_unstable();
            assert_eq!(names(resource), expected);
        }
    }
}

#[test]
fn writes_return_a_resource_empty_data_or_no_content() {
    for (setting, status, body) in [
        (WriteResponses::EmptyData, 200, r#"{"data":{}}"#),
        (WriteResponses::NullData, 200, r#"{"data":null}"#),
        (WriteResponses::NoContent, 204, ""),
    ] {
        let mut world = world(|dialect| dialect.write_responses = setting);
        for (line, sent) in [
            ("POST /me/posts", Some(json!({"body": "x"}))),
            ("PATCH /me/profile", Some(json!({"bio": "x"}))),
            ("PATCH /me/links/link_1", Some(json!({"title": "x"}))),
            ("DELETE /me/links/link_1", None),
        ] {
            let answer = send(&mut world, line, sent);
            assert_eq!((answer.status, &*answer.body), (status, body), "{line}");
            let is_json = answer.header("content-type") == Some("application/json");
            assert_eq!(is_json, !body.is_empty(), "{line}");
        }
        let account = world.account("demo").unwrap();
        assert_eq!((account.posts.len(), account.links.len()), (2, 1));
        assert_eq!(account.profile.bio, "x");
    }
}

#[test]
fn can_ignore_unknown_fields_of_links_and_posts_but_not_of_profiles() {
    let mut world = world(|dialect| dialect.unknown_fields = UnknownFields::Ignored);
    let link = json!({"title": "x", "url": "https://example.com", "icon": {"x": 1}});
    let post = json!({"body": "x", "mood": null});
    let titled = json!({"title": "x", "icon": 1});
    for (line, body, status) in [
        ("POST /me/links", link, 201),
        ("PATCH /me/links/link_1", titled, 200),
        ("PATCH /me/links/link_1", json!({"icon": 1}), 422),
        ("POST /me/posts", post, 201),
        ("PATCH /me/profile", json!({"bio": "x", "icon": 1}), 422),
    ] {
        assert_eq!(send(&mut world, line, Some(body)).status, status, "{line}");
    }
}

#[test]
fn analytics_are_flat_or_totals() {
    let views = read(&mut World::default(), "GET /me/analytics")["views"].take();
    let mut flat = world(|dialect| dialect.analytics = AnalyticsShape::Flat);
    let flat = read(&mut flat, "GET /me/analytics");
    let expected = ["comments", "followers", "following", "likes", "views"];
    assert_eq!(names(&flat), expected);
    assert_eq!(flat["views"], views);
    let mut totals = world(|dialect| dialect.analytics = AnalyticsShape::Totals);
    let totals = read(&mut totals, "GET /me/analytics");
    assert_eq!(names(&totals), ["likes", "social", "views"]);
    assert_eq!(totals["views"], json!({ "total": views }));
    let comments = &totals["social"]["comments"];
    assert_eq!(*comments, json!({ "total": flat["comments"] }));
}

#[test]
fn badges_can_have_an_extra_kind() {
    let mut world = world(|dialect| dialect.badge_kinds = BadgeKinds::Extra);
    let badges = read(&mut world, "GET /badges");
    let kinds = [0, 1, 2].map(|place| &badges[place]["kind"]);
    assert_eq!(kinds, ["auto", "auto", "manual"]);
    assert_eq!(badges.as_array().unwrap().len(), 3);
}

#[test]
fn statistics_of_other_profiles_can_have_empty_or_null_fields() {
    for (setting, devices, countries) in [
        (OtherStatistics::Empty, json!({}), json!([])),
        (OtherStatistics::Null, json!(null), json!(null)),
    ] {
        let mut world = world(|dialect| dialect.other_statistics = setting);
        let other = read(&mut world, "GET /users/grace/stats");
        let expected = ["countries", "daily", "devices", "period", "total_views"];
        assert_eq!(names(&other), expected);
        assert_eq!(other["devices"], devices);
        assert_eq!(other["countries"], countries);
        let own = read(&mut world, "GET /users/demo/stats");
        assert!(own["devices"]["desktop"].is_u64());
    }
}

#[test]
fn reference_data_can_require_a_key() {
    let mut world = world(|dialect| dialect.reference_data = ReferenceData::KeyRequired);
    for path in ["/badges", "/stats"] {
        let request = Request::new("GET", &format!("/api/v1{path}"));
        assert_eq!(handle(&mut world, &request).status, 401);
        read(&mut world, &format!("GET {path}"));
    }
}

#[test]
fn rejects_or_clamps_days_out_of_range() {
    for (setting, [out_of_range, not_an_integer]) in [
        (DaysOutOfRange::Unprocessable, [422, 422]),
        (DaysOutOfRange::BadRequest, [400, 400]),
        (DaysOutOfRange::Clamped, [200, 422]),
    ] {
        let mut world = world(|dialect| dialect.days_out_of_range = setting);
        for (days, status) in [
            ("366", out_of_range),
            ("0", out_of_range),
            ("x", not_an_integer),
        ] {
            let line = format!("GET /users/demo/stats?days={days}");
            assert_eq!(send(&mut world, &line, None).status, status, "{days}");
        }
        let body = Some(json!({"days": "x"}));
        assert_eq!(send(&mut world, "PATCH /me/profile", body).status, 422);
    }
    let mut world = world(|dialect| dialect.days_out_of_range = DaysOutOfRange::Clamped);
    for (handle, sent, taken) in [
        ("demo", "366", 365),
        ("demo", "99999999999999999999", 365),
        ("grace", "31", 30),
        ("grace", "000", 1),
        ("grace", "-99999999999999999999", 1),
    ] {
        let line = format!("GET /users/{handle}/stats?days={sent}");
        let statistics = read(&mut world, &line);
        assert_eq!(statistics["period"]["days"], taken, "{sent}");
    }
}

#[test]
fn rejections_can_have_less_specific_status_codes() {
    let mut world = world(|dialect| {
        dialect.content_rejection = ContentRejection::BadRequest;
        dialect.scope_rejection = ScopeRejection::Unauthorized;
    });
    for (line, body) in [
        ("PATCH /me/profile", Some(json!({"nickname": "x"}))),
        ("PATCH /me/profile", Some(json!({"accent_color": "red"}))),
        ("GET /users/demo/stats?days=0", None),
    ] {
        assert_eq!(send(&mut world, line, body).status, 400, "{line}");
    }
    let key = world.keys().none;
    let request = engine_request("GET /me/analytics", Some(&key), None);
    let answer = Answer::from(handle(&mut world, &request));
    assert_eq!(answer.status, 401);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["error"]["code"], "scope_missing");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
}

#[test]
fn error_bodies_can_have_several_shapes() {
    let message = "unknown field <b>&; expected body";
    let flat = json!({"code": "unknown_field", "message": message, "field": "<b>&"});
    let problem = json!({
        "type": "about:blank",
        "title": "Unprocessable Entity",
        "status": 422,
        "detail": message,
        "code": "unknown_field",
        "field": "<b>&",
    });
    let escaped = message.replace("<b>&", "&lt;b&gt;&amp;");
    let html = format!(
        "<!doctype html>\n<html><head><title>422 Unprocessable Entity</title></head>\n\
         <body><h1>422 Unprocessable Entity</h1><p>{escaped}</p></body></html>\n"
    );
    let [html_type, plain] = ["html", "plain"].map(|name| format!("text/{name}; charset=utf-8"));
    let (json, problem_type) = ("application/json", "application/problem+json");
    for (setting, content_type, expected) in [
        (
            ErrorBody::Nested,
            json,
            json!({ "error": flat }).to_string(),
        ),
        (ErrorBody::Flat, json, flat.to_string()),
        (ErrorBody::ProblemDetails, problem_type, problem.to_string()),
        (ErrorBody::PlainText, &plain, message.to_owned()),
        (
            ErrorBody::Detail,
            json,
            json!({"detail": message}).to_string(),
        ),
        (ErrorBody::Html, &html_type, html),
        (ErrorBody::Empty, "", String::new()),
    ] {
        let mut world = world(|dialect| dialect.error_body = setting);
        let body = Some(json!({"<b>&": "x"}));
        let answer = send(&mut world, "POST /me/posts", body);
        assert_eq!(answer.status, 422);
        assert_eq!(
            answer.header("content-type").unwrap_or_default(),
            content_type
        );
        match serde_json::from_str::<Value>(&expected) {
            Ok(expected) => assert_eq!(
                serde_json::from_str::<Value>(&answer.body).unwrap(),
                expected
            ),
            Err(_) => assert_eq!(answer.body, expected),
        }
    }
}

#[test]
fn no_dialect_accepts_invalid_profiles() {
    for (setting, alternative, dialect) in Dialect::alternatives() {
        let mut world = World::default();
        world.set_dialect(dialect);
        let before = world.clone();
        for body in [
            json!({"nickname": "x"}),
            json!({"bio": "\n".repeat(200)}),
            json!([]),
        ] {
            let status = send(&mut world, "PATCH /me/profile", Some(body)).status;
            assert!((400..500).contains(&status), "{setting}: {alternative}");
        }
        assert_eq!(world, before, "{setting}: {alternative}");
    }
}

#[test]
fn parses_json_with_defaults_and_reports_unknown_settings() {
    let read = |text: &str| serde_json::from_str::<Dialect>(text);
    assert_eq!(read("{}").unwrap(), Dialect::default());
    for dialect in [Dialect::minimal(), Dialect::maximal(), Dialect::random(3)] {
        let text = serde_json::to_string(&dialect).unwrap();
        assert_eq!(read(&text).unwrap(), dialect);
    }
    for (text, message) in [
        (
            r#"{"api_visble": "integer"}"#,
            "unknown field `api_visble`, expected one of `api_visible`",
        ),
        (
            r#"{"ids": "number"}"#,
            "unknown variant `number`, expected one of `string`, `integer`, `uuid`",
        ),
        (
            r#"{"webhook_timeout": 0}"#,
            "found 0; expected a number of seconds, at least 0.000000001 and less than 18446744073709551616",
        ),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let dialect = read(r#"{"webhook_timeout": 0.25}"#).unwrap();
    assert_eq!(dialect.webhook_timeout.0.as_millis(), 250);
}

#[test]
fn a_dialect_file_round_trips() {
    let learned = Learned {
        at: "2026-03-01T12:00:00Z".to_owned(),
        host: "api.example.com".to_owned(),
        evidence: [("ids".to_owned(), json!([7]))].into(),
    };
    for learned in [None, Some(learned)] {
        let settings = Dialect::random(3);
        let file = DialectFile { settings, learned };
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(DialectFile::from_json(&text).unwrap(), file);
        assert_eq!(Dialect::from_json(&text).unwrap(), file.settings);
    }
}

#[test]
fn omitted_parts_of_a_state_have_their_defaults() {
    let mut world = World::default();
    world.set_dialect(Dialect::maximal());
    let mut saved = serde_json::to_value(&world).unwrap();
    let read = |saved: &Value| serde_json::from_value::<World>(saved.clone()).unwrap();
    assert_eq!(read(&saved), world);
    saved.as_object_mut().unwrap().remove("dialect").unwrap();
    let profile = &mut saved["accounts"]["grace"]["profile"];
    for name in ["text_color", "background_color"] {
        profile.as_object_mut().unwrap().remove(name).unwrap();
    }
    for key in saved["keys"].as_object_mut().unwrap().values_mut() {
        key.as_object_mut().unwrap().remove("rate_limit").unwrap();
    }
    assert_eq!(read(&saved), World::default());
}

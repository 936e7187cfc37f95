//! Responses with shapes that the specification does not define and the reference service does not
//! send; and the exact bytes of requests.

use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{
    Analytics, BadgeKind, Bio, Client, Color, ErrorKind, LinkId, LinkUpdate, LinkUrl, NewLink,
    PostId, Profile, ProfileField, ProfileUpdate, Request, Scope, UserStats,
};
use serde_json::{Value, json};

use crate::connect_as_owner;
use crate::mocked_service::{MockServer, respond_to_all};

/// Starts a service that responds to every request with this `data`. Returns it and a client.
async fn respond_with(data: Value) -> (MockServer, Client) {
    let service = MockServer::start().await;
    let response = ResponseTemplate::new(200).set_body_json(json!({"data": data}));
    respond_to_all(&service, response).await;
    let client = connect_as_owner(&service);
    (service, client)
}

async fn read_me(data: Value) -> Profile {
    let (_service, client) = respond_with(data).await;
    client.me().await.unwrap()
}

#[tokio::test]
async fn decodes_any_visibility() {
    for (raw, visible) in [
        (json!("0"), Some(false)),
        (json!("false"), Some(false)),
        (json!(0), Some(false)),
        (json!("friends"), None),
        (json!({"level": 1}), None),
    ] {
        let me = read_me(json!({"api_visible": raw})).await;
        let found = me.api_visible.unwrap();
        assert_eq!((found.as_bool(), found.raw()), (visible, &raw));
    }
    for data in [json!({}), json!({"api_visible": null})] {
        assert_eq!(read_me(data).await.api_visible, None);
    }
}

#[tokio::test]
async fn keeps_unknown_values_that_cannot_be_parsed() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for unknown in ["1e400", &deep] {
        let service = MockServer::start().await;
        let body =
            format!(r#"{{"data":{{"bio":"b","a":{{"b":{unknown}}},"links":[{{"id":7}}]}}}}"#);
        respond_to_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
        let me = connect_as_owner(&service).me().await.unwrap();
        assert_eq!(me.bio.as_deref(), Some("b"));
        assert_eq!(me.links.unwrap()[0].id, Some(LinkId::from(7)));
        let kept = me.extra["a"].to_string();
        assert!(unknown == deep || kept == r#"{"b":"1e400"}"#, "{kept}");
    }
}

#[tokio::test]
async fn decodes_any_shape_of_the_key() {
    let me = read_me(json!({"key": {
        "scopes": "links:write,badges:write",
        "rate_limit": "60/minute",
        "id": 7,
    }}))
    .await;
    let key = me.key.unwrap();
    let further = Scope::Other("badges:write".to_owned());
    assert!(key.scopes.unwrap().iter().eq(&[Scope::LinksWrite, further]));
    let limit = key.rate_limit.unwrap();
    assert_eq!(
        (limit.limit(), limit.raw()),
        (Some(60), &json!("60/minute"))
    );
    assert_eq!(key.extra["id"], 7);

    let odd = json!({"key": "…4f1e"});
    let me = read_me(odd.clone()).await;
    assert_eq!((&me.key, &me.extra["key"]), (&None, &odd["key"]));
    let me = read_me(json!({"key": {"scopes": {"all": true}, "rate_limit": [1, 2]}})).await;
    let key = me.key.unwrap();
    assert_eq!(key.scopes.unwrap().iter().count(), 0);
    assert_eq!(key.rate_limit.unwrap().limit(), None);
}

#[tokio::test]
async fn decodes_absent_and_null_fields_alike() {
    let fields = ProfileField::ALL.iter().map(|field| field.name());
    let others = ["handle", "links", "posts", "badges", "email", "key"];
    let names = fields.chain(others);
    let nulls: Value = names.map(|name| (name, Value::Null)).collect();
    assert_eq!(read_me(nulls).await, Profile::default());
    assert_eq!(read_me(json!({})).await, Profile::default());
}

#[tokio::test]
async fn displays_ids_as_received() {
    for (raw, printed) in [
        (json!("0x1F/é"), "0x1F/é"),
        (json!("007"), "007"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(-3), "-3"),
    ] {
        let (_service, client) = respond_with(json!({"id": raw})).await;
        let created = client.create_post("p").await.unwrap().unwrap();
        assert_eq!(serde_json::to_value(&created).unwrap(), json!({"id": raw}));
        assert_eq!(created.id.unwrap().as_str(), printed);
    }
}

#[tokio::test]
async fn ids_beyond_64_bits_keep_their_digits() {
    for id in ["18446744073709551616", "-98765432109876543210"] {
        let service = MockServer::start().await;
        let links = format!(r#"[{{"id":{id},"title":"t"}},{{"id":2}}]"#);
        let body = format!(r#"{{"data":{{"links":{links},"posts":[{{"id":{id}}}],"n":2.5}}}}"#);
        respond_to_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
        let client = connect_as_owner(&service);
        let me = client.me().await.unwrap();
        let (links, posts) = (me.links.unwrap(), me.posts.unwrap());
        assert_eq!(links[0].id, Some(LinkId::new(id).unwrap()));
        assert_eq!(links[0].title.as_deref(), Some("t"));
        assert_eq!(links[1].id, Some(LinkId::from(2)));
        assert_eq!(posts[0].id.as_ref().unwrap().as_str(), id);
        assert_eq!(Value::from(me.extra), json!({"n": 2.5}));
        let call = client.delete_link(links[0].id.as_ref().unwrap());
        let path = format!("/api/v1/me/links/{id}");
        assert_eq!(call.request().unwrap().path(), path);
    }
}

#[tokio::test]
async fn accepts_unexpected_ids() {
    for raw in [json!(""), json!(["a"]), json!({"$oid": "5f"})] {
        let link = json!({"id": raw, "title": "t"});
        let (_service, client) = respond_with(link.clone()).await;
        let created = client.delete_link(&LinkId::from(1)).await;
        created.unwrap();
        let new = NewLink::new("t", LinkUrl::new("x:y").unwrap());
        let created = client.create_link(&new).await.unwrap().unwrap();
        assert_eq!((&created.id, &created.extra["id"]), (&None, &raw));
        let me = read_me(json!({"bio": "b", "links": [link]})).await;
        assert_eq!(me.bio.as_deref(), Some("b"));
        assert_eq!(me.links.unwrap()[0].extra["id"], raw);
    }
}

#[tokio::test]
async fn unexpected_fields_of_elements_do_not_hide_others() {
    let data = json!({
        "links": [{"id": 1, "title": "t"}, {"id": 2, "title": 7, "url": ["u"]}],
        "posts": [{"id": 3, "body": {"html": "b"}}, {"body": "b"}],
        "badges": [{"id": "b", "name": "B", "color": 0, "kind": null}, {"id": "c", "name": "C"}],
    });
    let me = read_me(data.clone()).await;
    let links = me.links.as_ref().unwrap();
    assert_eq!(links[0].title.as_deref(), Some("t"));
    assert_eq!(
        (&links[1].id, &links[1].title),
        (&Some(LinkId::from(2)), &None)
    );
    assert_eq!(
        (&links[1].extra["title"], &links[1].extra["url"]),
        (&json!(7), &json!(["u"]))
    );
    let posts = me.posts.as_ref().unwrap();
    assert_eq!(posts[0].extra["body"], json!({"html": "b"}));
    assert_eq!(posts[1].body.as_deref(), Some("b"));
    let badges = me.badges.as_ref().unwrap();
    assert_eq!(
        (&badges[0].extra["color"], badges[1].name.as_str()),
        (&json!(0), "C")
    );
    let mut kept = data;
    kept["badges"][0].as_object_mut().unwrap().remove("kind");
    assert_eq!(serde_json::to_value(&me).unwrap(), kept);
}

#[tokio::test]
async fn keeps_a_list_with_an_invalid_element_in_extra() {
    for (name, list) in [
        ("links", json!([{"id": 1, "title": 7}, "two"])),
        ("links", json!(["one", {"id": 2, "title": 7}])),
        ("posts", json!([{"body": 7}, null])),
        (
            "badges",
            json!([{"id": "b", "name": "B", "color": 7}, {"id": "c"}]),
        ),
        ("badges", json!([{"id": 7, "name": "B", "color": 7}])),
    ] {
        let data = json!({ name: list, "bio": "b" });
        let me = read_me(data.clone()).await;
        assert_eq!(
            (&me.extra[name], me.bio.as_deref()),
            (&data[name], Some("b"))
        );
        assert_eq!(serde_json::to_value(&me).unwrap(), data);
    }
}

#[tokio::test]
async fn long_ids_keep_their_digits_beside_unexpected_fields() {
    let id = "123456789012345678901234567890";
    let body = format!(r#"{{"data":{{"links":[{{"id":1,"title":7}},{{"id":{id},"url":7}}]}}}}"#);
    let service = MockServer::start().await;
    respond_to_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
    let links = connect_as_owner(&service)
        .me()
        .await
        .unwrap()
        .links
        .unwrap();
    assert_eq!(links[1].id.as_ref().unwrap().as_str(), id);
    assert_eq!(
        (&links[0].extra["title"], &links[1].extra["url"]),
        (&json!(7), &json!(7))
    );
}

#[tokio::test]
async fn keeps_unknown_fields() {
    let data = json!({
        "bio": "b",
        "links": [{"id": 1, "title": "t", "url": "u", "stats": {"clicks": [1, 2.5]}}],
        "posts": [{"id": 2, "body": "b", "likes": 0}],
        "badges": [{"id": "b", "name": "B", "since": "2026"}],
        "pronouns": {"subject": "she"},
    });
    let me = read_me(data.clone()).await;
    assert_eq!(me.extra["pronouns"]["subject"], "she");
    assert_eq!(serde_json::to_value(&me).unwrap(), data);
}

#[tokio::test]
async fn decodes_any_shape_of_analytics() {
    let odd = json!([{"metric": "views", "count": 3}]);
    let (_service, client) = respond_with(odd.clone()).await;
    assert_eq!(client.analytics().await.unwrap().extra["data"], odd);
    let (_service, client) = respond_with(json!({"views": "1.2k", "likes": {"count": 2}})).await;
    let Analytics {
        views,
        likes,
        social,
        ..
    } = client.analytics().await.unwrap();
    let (views, likes) = (views.unwrap(), likes.unwrap());
    assert_eq!((views.total(), views.raw()), (None, &json!("1.2k")));
    assert_eq!((likes.total(), social), (Some(2), None));
}

#[tokio::test]
async fn decodes_partial_and_unexpected_statistics() {
    for (data, total) in [
        (json!({}), None),
        (
            json!({"total_views": 3.0, "devices": [], "countries": {}}),
            Some(3),
        ),
        (
            json!({"total_views": 3, "period": null, "daily": null, "devices": {"desktop": null}}),
            Some(3),
        ),
    ] {
        let (_service, client) = respond_with(data).await;
        let UserStats {
            total_views,
            period,
            ..
        } = client
            .user_stats(&"grace".parse().unwrap(), None)
            .await
            .unwrap();
        assert_eq!((total_views, period), (total, None));
    }
}

#[tokio::test]
async fn keeps_unknown_badge_kinds_by_name() {
    let (_service, client) =
        respond_with(json!([{"id": "b", "name": "B", "kind": "granted"}])).await;
    let badge = client.badges().await.unwrap().remove(0);
    assert_eq!(badge.kind, Some(BadgeKind::Other("granted".to_owned())));
}

#[tokio::test]
async fn reports_the_path_of_fields_with_a_wrong_type() {
    for (data, expected) in [
        (json!({"bio": 5}), "data.bio: invalid type: integer `5`"),
        (json!([1]), "data: invalid type: sequence"),
    ] {
        let (_service, client) = respond_with(data).await;
        let error = client.me().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreadable);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let (_service, client) = respond_with(json!([{"id": "b", "name": "B"}, {"id": "c"}])).await;
    let error = client.badges().await.unwrap_err();
    assert!(
        error.to_string().contains("data[1]: missing field `name`"),
        "{error}"
    );
}

#[tokio::test]
async fn ignores_the_content_type_and_a_byte_order_mark() {
    let body = "\u{feff}{\"data\":{\"users\":1,\"views\":2,\"links\":3},\"meta\":[]}";
    for content_type in [
        "",
        "text/html",
        "application/vnd.api+json; charset=utf-16",
        "\t;;",
    ] {
        let service = MockServer::start().await;
        let response = ResponseTemplate::new(203).set_body_raw(body, content_type);
        respond_to_all(&service, response).await;
        let site = connect_as_owner(&service).site_stats().await.unwrap();
        assert_eq!((site.users, site.views, site.links), (1, 2, 3));
    }
}

#[tokio::test]
async fn reads_every_shape_of_error_body() {
    for (body, code, message) in [
        (
            r#"{"error":{"code":"c","message":"m"}}"#,
            Some("c"),
            Some("m"),
        ),
        (r#"{"error":"m"}"#, None, Some("m")),
        (r#"{"message":"m"}"#, None, Some("m")),
        (
            r#"{"errors":[{"code":"c","message":"m"}]}"#,
            Some("c"),
            Some("m"),
        ),
        (r#"{"detail":"m"}"#, None, Some("m")),
        (
            r#"{"type":"urn:c","title":"t","detail":"m"}"#,
            Some("urn:c"),
            Some("m"),
        ),
        ("m", None, Some("m")),
        ("<html><title>m</title></html>", None, Some("m")),
        ("", None, None),
        ("\u{0}", None, None),
    ] {
        let service = MockServer::start().await;
        respond_to_all(&service, ResponseTemplate::new(422).set_body_string(body)).await;
        let error = connect_as_owner(&service).me().await.unwrap_err();
        assert_eq!((error.code(), error.message()), (code, message), "{body}");
        assert_eq!(error.body(), body.as_bytes());
    }
}

#[test]
fn sends_values_unchanged() {
    let client = Client::builder()
        .base_url("https://profiles.example")
        .build()
        .unwrap();
    let nothing = ProfileUpdate::new();
    let some = ProfileUpdate::new()
        .bio(Bio::new("").unwrap())
        .text_color(Color::new("#aAbBcC").unwrap());
    let link = NewLink::new("", LinkUrl::new("HTTP://Host/../a b?x#y").unwrap());
    let (link_id, post_id) = (LinkId::from(7), PostId::from(7));
    let title = LinkUpdate::new().title("t");
    let url = LinkUpdate::new().url(LinkUrl::new("x:").unwrap());
    check_body(
        client.update_profile(&nothing).request().unwrap(),
        Some("{}"),
    );
    check_body(
        client.update_profile(&some).request().unwrap(),
        Some(r##"{"bio":"","text_color":"#aAbBcC"}"##),
    );
    check_body(
        client.create_link(&link).request().unwrap(),
        Some(r##"{"title":"","url":"HTTP://Host/../a b?x#y"}"##),
    );
    check_body(
        client.update_link(&link_id, &title).request().unwrap(),
        Some(r#"{"title":"t"}"#),
    );
    check_body(
        client.update_link(&link_id, &url).request().unwrap(),
        Some(r#"{"url":"x:"}"#),
    );
    check_body(
        client.create_post("a\r\n🦀").request().unwrap(),
        Some(r#"{"body":"a\r\n🦀"}"#),
    );
    check_body(client.delete_link(&link_id).request().unwrap(), None);
    check_body(client.delete_post(&post_id).request().unwrap(), None);
    check_body(client.me().request().unwrap(), None);
}

#[track_caller]
fn check_body(request: &Request, expected: Option<&str>) {
    let body = request
        .body()
        .map(|body| std::str::from_utf8(body).unwrap());
    assert_eq!(body, expected);
}

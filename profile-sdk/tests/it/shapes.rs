//! Responses with shapes that the specification does not define and the reference service does not
//! send; the exact bytes of requests; and the texts of values.

use std::fmt::Display;

use mock_server::wiremock::ResponseTemplate;
use profile_sdk::{
    Bio, Client, Color, Days, Error, ErrorKind, FieldKind, LinkId, LinkUpdate, LinkUrl, Method,
    NewLink, Operation, PostId, Profile, ProfileField, ProfileUpdate, Request, Scope,
};
use serde_json::{Value, json};

use crate::connect_as_owner;
use crate::mocked_service::{MockServer, respond_to_all};

/// Starts a service that responds to every request with this `data`. Returns it and a client.
async fn respond_with(data: Value) -> (MockServer, Client) {
    let response = ResponseTemplate::new(200).set_body_json(json!({"data": data}));
    let service = MockServer::responding(response).await;
    let client = connect_as_owner(&service);
    (service, client)
}

/// Reads the profile. `from_json` decodes it, and its serialized form, in the same way.
async fn read_me(data: Value) -> Profile {
    let (_service, client) = respond_with(data).await;
    let response = client.me().send().await.unwrap();
    let received = response.raw_data().unwrap();
    let serialized = serde_json::to_string(response.data()).unwrap();
    for json in [received, &serialized] {
        assert_eq!(&Profile::from_json(json).unwrap(), response.data());
    }
    response.into_data()
}

#[tokio::test]
async fn decodes_absent_and_null_fields_alike() {
    let fields = ProfileField::ALL.iter().map(|field| field.name());
    let others = "handle links posts badges email api_visible key";
    let names = fields.chain(others.split(' '));
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
        let links = format!(r#"[{{"id":{id},"title":"t","url":7}},{{"id":2}}]"#);
        let body = format!(r#"{{"data":{{"links":{links},"posts":[{{"id":{id}}}],"n":2.5}}}}"#);
        respond_to_all(&service, ResponseTemplate::new(200).set_body_string(body)).await;
        let client = connect_as_owner(&service);
        let me = client.me().await.unwrap();
        let (links, posts) = (me.links.unwrap(), me.posts.unwrap());
        assert_eq!(links[0].id, Some(LinkId::new(id).unwrap()));
        assert_eq!(links[0].title.as_deref(), Some("t"));
        assert_eq!(links[0].extra["url"], 7);
        assert_eq!(links[1].id, Some(LinkId::from(2)));
        assert_eq!(posts[0].id.as_ref().unwrap().as_str(), id);
        assert_eq!(json!(me.extra), json!({"n": 2.5}));
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
        client.delete_link(&LinkId::from(1)).await.unwrap();
        let new = NewLink::new("t", LinkUrl::new("x:y").unwrap());
        let created = client.create_link(&new).await.unwrap().unwrap();
        assert_eq!((&created.id, &created.extra["id"]), (&None, &raw));
        let me = read_me(json!({"bio": "b", "links": [link]})).await;
        assert_eq!(me.bio.as_deref(), Some("b"));
        assert_eq!(me.links.unwrap()[0].extra["id"], raw);
    }
}

#[tokio::test]
async fn unexpected_fields_of_a_badge_do_not_hide_others() {
    let mut data = json!({
        "badges": [{"id": "b", "name": "B", "color": 0, "kind": null}, {"id": "c", "name": "C"}],
    });
    let me = read_me(data.clone()).await;
    let badges = me.badges.as_ref().unwrap();
    assert_eq!(
        (&badges[0].extra["color"], badges[1].name.as_str()),
        (&json!(0), "C")
    );
    data["badges"][0].as_object_mut().unwrap().remove("kind");
    assert_eq!(serde_json::to_value(&me).unwrap(), data);
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

#[test]
fn from_json_rejects_what_me_rejects() {
    for (json, message) in [
        (
            r#"{"bio": 7}"#,
            "data.bio: invalid type: integer `7`, expected a string",
        ),
        ("{}, {}", "data is not valid JSON ("),
        (
            "[]",
            "data: invalid type: sequence, expected struct Profile",
        ),
    ] {
        let error = Profile::from_json(json).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[tokio::test]
async fn a_list_that_is_null_is_empty() {
    let (_service, client) = respond_with(json!(null)).await;
    assert_eq!(client.badges().await.unwrap(), []);
}

#[tokio::test]
async fn reports_the_position_of_an_unreadable_badge() {
    let (_service, client) = respond_with(json!([{"id": "b", "name": "B"}, {"id": "c"}])).await;
    let error = client.badges().await.unwrap_err();
    assert!(
        error.to_string().contains("data[1]: missing field `name`"),
        "{error}"
    );
}

#[test]
fn sends_values_unchanged() {
    let client = Client::builder().base_url("https://profiles.example");
    let client = client.build().unwrap();
    let nothing = ProfileUpdate::new();
    let some = ProfileUpdate::new()
        .bio(Bio::new("").unwrap())
        .text_color(Color::new("#aAbBcC").unwrap());
    let link = NewLink::new("", LinkUrl::new("HTTP://Host/../a b?x#y").unwrap());
    let (link_id, post_id) = (LinkId::from(7), PostId::from(7));
    let title = LinkUpdate::new().title("t");
    let url = LinkUpdate::new().url(LinkUrl::new("x:").unwrap());
    let body = |request: Result<&Request, _>| {
        let body = request.map_err(|_: &Error| ()).unwrap().body();
        body.map_or("none", |body| std::str::from_utf8(body).unwrap())
            .to_owned()
    };
    let sent = [
        body(client.update_profile(&nothing).request()),
        body(client.update_profile(&some).request()),
        body(client.create_link(&link).request()),
        body(client.update_link(&link_id, &title).request()),
        body(client.update_link(&link_id, &url).request()),
        body(client.create_post("a\r\n🦀").request()),
        body(client.delete_link(&link_id).request()),
        body(client.delete_post(&post_id).request()),
        body(client.me().request()),
    ];
    let expected = [
        "{}",
        r##"{"bio":"","text_color":"#aAbBcC"}"##,
        r##"{"title":"","url":"HTTP://Host/../a b?x#y"}"##,
        r#"{"title":"t"}"#,
        r#"{"url":"x:"}"#,
        r#"{"body":"a\r\n🦀"}"#,
        "none",
        "none",
        "none",
    ];
    assert_eq!(sent, expected);
}

/// Width, fill and precision apply to values as to the texts that they print; numbers have no precision.
#[test]
fn values_take_format_options() {
    let (bio, id) = (Bio::new("bio").unwrap(), LinkId::from(7));
    let values: [&dyn Display; 9] = [
        &bio,
        &id,
        &Scope::LinksWrite,
        &ErrorKind::RateLimited,
        &FieldKind::Color,
        &ProfileField::Bio.kind(),
        &ProfileField::Bio,
        &Method::Patch,
        &Operation::ME,
    ];
    for value in values {
        let text = value.to_string();
        let shown = format!("{value:>60}|{value:*^60}|{value:.2}|{value:_<5.1}");
        let expected = format!("{text:>60}|{text:*^60}|{text:.2}|{text:_<5.1}");
        assert_eq!(shown, expected);
    }
    let days = Days::DEFAULT;
    assert_eq!(format!("{days:04}|{days:<4}|"), "0030|30  |");
}

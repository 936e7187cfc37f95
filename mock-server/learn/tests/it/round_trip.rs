//! A mock with a learned dialect does the same as the mock that it was learned from.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use mock_server::dialect::{
    DialectFile, Ids, LinkUrls, MeFields, ResourceFields, UnknownFields, WriteResponses,
};
use mock_server::{Clock, Dialect, MockServer, Reply, Request, World, handle};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::dialects::{DELIVERIES, SCOPES, WRITES, assert_same, learn, observable};
use crate::request::engine_request;

const SECRET: &str = "whsec_test";

/// Returns a dialect without the settings that no response shows because of others.
fn without_hidden_settings(mut dialect: Dialect) -> Dialect {
    let shows_ids =
        dialect.me_fields == MeFields::Full || dialect.write_responses == WriteResponses::Resource;
    if !shows_ids {
        dialect.ids = Ids::default();
        dialect.resource_fields = ResourceFields::default();
        dialect.unknown_fields = UnknownFields::default();
        dialect.link_urls = LinkUrls::default();
    }
    dialect
}

fn world(dialect: Dialect) -> World {
    let mut world = World::default();
    world.set_clock(Clock::fixed("2026-03-01T12:00:00Z").unwrap());
    world.set_dialect(dialect);
    world
}

/// Records two deliveries as `profile webhook listen --record` does.
pub(crate) async fn record(server: &MockServer, directory: &Path) -> [PathBuf; 2] {
    let webhook = server.webhook();
    webhook.use_built_in_receiver("200", SECRET).unwrap();
    let mut paths = ["one.http", "two.http"].map(|name| directory.join(name));
    for path in &mut paths {
        let delivery = webhook
            .emit("post.liked", json!({"by": "grace"}))
            .await
            .unwrap();
        let head = format!(
            "POST / HTTP/1.1\r\ncontent-type: {}\r\nx-service-event: {}\r\nx-service-signature: {}\r\n\r\n",
            delivery.sent.content_type, delivery.sent.kind, delivery.sent.signature,
        );
        fs::write(&path, [head.as_bytes(), &delivery.sent.body].concat()).unwrap();
    }
    paths
}

async fn round_trip(seed: u64) {
    let dialect = without_hidden_settings(Dialect::random(seed));
    let server = MockServer::builder().world(world(dialect.clone()));
    let server = server.start().await.unwrap();
    let directory = TempDir::new().unwrap();
    let deliveries = record(&server, directory.path()).await;
    let deliveries = deliveries.each_ref().map(|path| path.to_str().unwrap());
    let secret = directory.path().join("secret");
    fs::write(&secret, format!("\u{feff}{SECRET}\n")).unwrap();
    let options = [
        &["--handle", "grace", "--allow-writes", "--yes"][..],
        &["--delivery", deliveries[0], "--delivery", deliveries[1]],
        &["--secret-file", secret.to_str().unwrap()],
    ];
    let learned = learn(server.uri(), server.key(), &options.concat());
    assert_eq!(
        learned.code,
        Some(0),
        "{seed} {}{:#}",
        learned.stderr,
        learned.report
    );
    let met = [&SCOPES[..], &[WRITES, DELIVERIES]].concat();
    assert_same(&learned.settings(), &observable(&dialect, &met), seed);

    let file = DialectFile::from_json(&learned.file.to_string()).unwrap();
    let (mut first, mut second) = (world(dialect), world(file.settings));
    for (number, request) in battery(&first).iter().enumerate() {
        let [one, other] = [&mut first, &mut second].map(|world| shown(handle(world, request)));
        assert_eq!(one, other, "{seed}: request {number}, {request:?}");
    }
}

/// Returns what has to be the same: status, headers and body.
fn shown(reply: Reply) -> (u16, Vec<String>, String) {
    let headers = reply.headers.iter();
    let headers = headers
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    (
        reply.status,
        headers,
        String::from_utf8(reply.body).unwrap(),
    )
}

/// Returns at least 150 requests, valid and invalid ones.
fn battery(world: &World) -> Vec<Request> {
    let keys = world.keys();
    let key = Some(keys.all.as_str());
    let statistics = ["demo", "grace"]
        .into_iter()
        .flat_map(|handle| QUERIES.map(|query| format!("GET /users/{handle}/stats{query}")));
    let reads = LINES.into_iter().map(str::to_owned).chain(statistics);
    let reads = reads
        .flat_map(|line| [key, None, Some("wrong")].map(|key| engine_request(&line, key, None)));
    let [link, post] = ids(world);
    let edit_link = format!("PATCH /me/links/{link}");
    let writes = [
        ("PATCH /me/profile", &PROFILE_BODIES[..]),
        ("POST /me/links", &LINK_BODIES),
        (&edit_link, &LINK_BODIES),
        ("POST /me/posts", &POST_BODIES),
    ];
    let writes = writes.into_iter().flat_map(|(line, bodies)| {
        let bodies = bodies.iter();
        bodies.map(move |body| engine_request(line, key, Some(body)))
    });
    let paths = [
        &format!("links/{link}"),
        &format!("posts/{post}"),
        "links/none",
    ];
    let deletions = paths.map(|path| engine_request(&format!("DELETE /me/{path}"), key, None));
    let deletions = [&deletions[..], &deletions].concat();
    let last = engine_request("GET /me", key, None);
    let all: Vec<_> = reads.chain(writes).chain(deletions).chain([last]).collect();
    assert!(all.len() >= 150, "{}", all.len());
    all
}

const LINES: [&str; 11] = [
    "GET /me",
    "GET /me/analytics",
    "GET /badges",
    "GET /stats",
    "GET /nothing",
    "GET /users/nobody/stats",
    "PUT /stats",
    "POST /badges",
    "DELETE /me",
    "GET /me/links",
    "PUT /me",
];

const QUERIES: [&str; 12] = [
    "",
    "?days=0",
    "?days=1",
    "?days=30",
    "?days=31",
    "?days=365",
    "?days=366",
    "?days=-1",
    "?days=x",
    "?days=1&days=2",
    "?other=1",
    "?days=99999999999999999999",
];

const PROFILE_BODIES: [&str; 14] = [
    "{}",
    "[]",
    "x",
    "",
    r#"{"bio": "new"}"#,
    r#"{"bio": null}"#,
    r#"{"bio": 1}"#,
    r#"{"nickname": "x"}"#,
    r#"{"bio": "a", "bio": "b"}"#,
    r##"{"accent_color": "#ABCDEF"}"##,
    r##"{"accent_color": "#abc"}"##,
    r#"{"location": "12345678901234567890123456789012345678901"}"#,
    r#"{"bio": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11"}"#,
    r#"{"display_name": "", "location": ""}"#,
];

const LINK_BODIES: [&str; 10] = [
    "{}",
    "[]",
    r#"{"title": "x"}"#,
    r#"{"url": "https://example.com"}"#,
    r#"{"title": "x", "url": "https://example.com"}"#,
    r#"{"title": "x", "url": "/relative"}"#,
    r#"{"title": null, "url": "https://example.com"}"#,
    r#"{"title": 1, "url": "https://example.com"}"#,
    r#"{"title": "x", "url": "https://example.com", "other": 1}"#,
    r#"{"title": "x", "title": "y"}"#,
];

const POST_BODIES: [&str; 6] = [
    "{}",
    r#"{"body": "x"}"#,
    r#"{"body": null}"#,
    r#"{"body": "x", "other": 1}"#,
    r#"{"body": ""}"#,
    "x",
];

/// Returns the IDs of a link and a post as they appear in paths.
fn ids(world: &World) -> [String; 2] {
    let mut world = world.clone();
    let mut dialect = world.dialect().clone();
    dialect.me_fields = MeFields::Full;
    world.set_dialect(dialect);
    let request = engine_request("GET /me", Some(&world.keys().all), None);
    let me: Value = serde_json::from_slice(&handle(&mut world, &request).body).unwrap();
    ["links", "posts"].map(|name| match &me["data"][name][0]["id"] {
        Value::String(id) => id.clone(),
        id => id.to_string(),
    })
}

#[test]
fn a_learned_dialect_does_the_same() {
    thread::scope(|scope| {
        for first in 0..4 {
            scope.spawn(move || {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build().unwrap();
                for seed in (first..40).step_by(4) {
                    runtime.block_on(round_trip(seed));
                }
            });
        }
    });
}

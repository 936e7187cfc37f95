//! Tests a profile service with the SDK and the verifier: every sentence of the specification that a
//! client can check. `mock-server mutants` runs it against services that break one sentence each.
//!
//! ```sh
//! cargo build -p mock-server-program -p examples --example scenario
//! target/debug/mock-server run -- target/debug/examples/scenario
//! target/debug/mock-server mutants -- target/debug/examples/scenario
//! ```

use std::env;
use std::error::Error;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use profile_sdk::{
    ApiKey, Bio, Client, Color, Days, DisplayName, ErrorKind, Handle, LinkUpdate, LinkUrl,
    Location, Method, NewLink, ProfileUpdate, Scope, UserStats,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use webhook_verify::{Receiver, Secret, VerifiedEvent, Verifier};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result {
    let client = Client::from_env()?;
    read_profile(&client).await?;
    read_statistics(&client).await?;
    read_reference_data(&client).await?;
    edit_profile(&client).await?;
    break_limits(&client).await?;
    edit_links(&client).await?;
    edit_posts(&client).await?;
    check_keys(&client).await?;
    let control = client_of(&env::var("MOCK_SERVER_CONTROL")?, None)?;
    receive_events(&control).await?;
    turn_webhook_off(&control).await
}

fn client_of(url: &str, key: Option<&str>) -> Result<Client> {
    let builder = Client::builder().base_url(url);
    Ok(match key {
        Some(key) => builder.api_key(ApiKey::new(key)?).build()?,
        None => builder.build()?,
    })
}

/// Returns the kind of the error of a call that has to fail.
fn kind<T>(result: std::result::Result<T, profile_sdk::Error>) -> ErrorKind {
    result
        .err()
        .expect("the service accepted an invalid call")
        .kind()
}

async fn read_profile(client: &Client) -> Result {
    let me = client.me().await?;
    assert_eq!(me.display_name.as_deref(), Some("Demo Person"));
    assert!(me.email.is_some_and(|email| email.contains('@')));
    assert_eq!(
        me.api_visible.and_then(|visible| visible.as_bool()),
        Some(true)
    );
    let key = me.key.expect("key");
    let scopes = key.scopes.expect("scopes");
    assert!(Scope::KNOWN.iter().all(|scope| scopes.contains(scope)));
    assert!(key.rate_limit.expect("rate limit").limit().is_some());
    let analytics = client.analytics().await?;
    for metric in [analytics.views, analytics.likes, analytics.social] {
        assert!(metric.is_some());
    }
    Ok(())
}

async fn read_statistics(client: &Client) -> Result {
    let (own, other) = (Handle::new("demo")?, Handle::new("grace")?);
    check_statistics(&client.user_stats(&own, None).await?, 30);
    let own = client.user_stats(&own, Days::new(5)?).await?;
    check_statistics(&own, 5);
    let devices = own.devices.expect("devices");
    assert!(devices.desktop.is_some() && devices.mobile.is_some() && devices.tablet.is_some());
    let countries = own.countries.expect("countries");
    assert!(!countries.is_empty() && countries.iter().all(|country| country.code.len() == 2));

    let other = client.user_stats(&other, None).await?;
    check_statistics(&other, 30);
    assert!(other.devices.is_none() && other.countries.is_none());
    assert_ne!(other.total_views, own.total_views);
    for (handle, days) in [("demo", 0), ("demo", 366), ("grace", 31)] {
        let stats = client
            .raw_call(Method::Get, format!("/api/v1/users/{handle}/stats"))
            .query("days", days)
            .read_data::<Value>();
        assert_eq!(
            kind(stats.await),
            ErrorKind::Rejected,
            "{days} days of {handle}"
        );
    }
    Ok(())
}

fn check_statistics(stats: &UserStats, days: u64) {
    let (total, period) = (stats.total_views, stats.period.as_ref().expect("period"));
    let daily = stats.daily.as_ref().expect("daily views");
    assert_eq!((period.days, daily.len() as u64), (days, days));
    assert_eq!(period.views, daily.iter().map(|day| day.views).sum::<u64>());
    assert!(total.expect("total views") > period.views);
    let is_iso = |date: &str| date.len() == 10 && date.split('-').next().map(str::len) == Some(4);
    assert!(daily.iter().all(|day| is_iso(&day.date)));
}

async fn read_reference_data(client: &Client) -> Result {
    for badge in client.badges().await? {
        assert!(badge.description.is_some());
        assert!(badge.kind.is_some_and(|kind| kind.as_str() == "auto"));
        assert!(badge.color.is_some_and(|color| Color::new(color).is_ok()));
    }
    let stats = client.site_stats().await?;
    assert!(stats.users > 0 && stats.views > 0 && stats.links > 0);
    Ok(())
}

async fn edit_profile(client: &Client) -> Result {
    let mut expected = client.me().await?;
    let update = ProfileUpdate::new()
        .display_name(DisplayName::new("n".repeat(DisplayName::MAX_CHARACTERS))?)
        .bio(Bio::new("line\n".repeat(Bio::MAX_LINES - 1))?)
        .text_color(Color::new("#0000ff")?);
    client.update_profile(&update).await?;
    expected.display_name = Some("n".repeat(DisplayName::MAX_CHARACTERS));
    expected.bio = Some("line\n".repeat(Bio::MAX_LINES - 1));
    expected.text_color = Some("#0000ff".to_owned());
    assert_eq!(client.me().await?, expected);
    client
        .update_profile(&ProfileUpdate::new().location(Location::new("Here")?))
        .await?;
    assert_eq!(client.me().await?.location.as_deref(), Some("Here"));
    Ok(())
}

/// The SDK checks the limits before it sends anything, so send raw requests.
async fn break_limits(client: &Client) -> Result {
    let before = client.me().await?;
    for body in [
        json!({"bio": "valid", "nickname": "x"}),
        json!({"display_name": "n".repeat(DisplayName::MAX_CHARACTERS + 1)}),
        json!({"bio": "b".repeat(Bio::MAX_CHARACTERS + 1)}),
        json!({"bio": "line\n".repeat(Bio::MAX_LINES)}),
        json!({"location": "l".repeat(Location::MAX_CHARACTERS + 1)}),
        json!({"accent_color": "ff8800"}),
    ] {
        let edit = client
            .raw_call(Method::Patch, "/api/v1/me/profile")
            .json(&body);
        assert_eq!(kind(edit.read_bytes().await), ErrorKind::Rejected, "{body}");
    }
    assert_eq!(client.me().await?, before);
    Ok(())
}

async fn edit_links(client: &Client) -> Result {
    let titles = async || -> Result<Vec<_>> {
        let links = client.me().await?.links.unwrap_or_default();
        Ok(links
            .into_iter()
            .map(|link| (link.id, link.title.unwrap_or_default()))
            .collect())
    };
    let before = titles().await?;
    let new = NewLink::new("Blog", LinkUrl::new("https://example.com/blog")?);
    client.create_link(&new).await?;
    let (id, title) = titles().await?.pop().ok_or("no link")?;
    assert_eq!(title, "Blog");
    let id = id.ok_or("a link without an id")?;
    client
        .update_link(&id, &LinkUpdate::new().title("Weblog"))
        .await?;
    assert_eq!(
        titles().await?.pop(),
        Some((Some(id.clone()), "Weblog".to_owned()))
    );
    client.delete_link(&id).await?;
    assert_eq!(titles().await?, before);
    Ok(())
}

async fn edit_posts(client: &Client) -> Result {
    let bodies = async || -> Result<Vec<_>> {
        let posts = client.me().await?.posts.unwrap_or_default();
        Ok(posts
            .into_iter()
            .map(|post| (post.id, post.body.unwrap_or_default()))
            .collect())
    };
    let before = bodies().await?;
    client.create_post("Hello").await?;
    let (id, body) = bodies().await?.pop().ok_or("no post")?;
    assert_eq!(body, "Hello");
    client
        .delete_post(&id.ok_or("a post without an id")?)
        .await?;
    assert_eq!(bodies().await?, before);
    Ok(())
}

async fn check_keys(client: &Client) -> Result {
    let url = env::var("PROFILE_BASE_URL")?;
    let keys: Value = serde_json::from_str(&env::var("MOCK_SERVER_KEYS")?)?;
    assert_eq!(
        kind(client_of(&url, Some("unknown"))?.me().await),
        ErrorKind::Unauthorized
    );
    let anonymous = client_of(&url, None)?.raw_call(Method::Get, "/api/v1/me");
    assert_eq!(kind(anonymous.read_bytes().await), ErrorKind::Unauthorized);

    let limited = client_of(&url, keys["none"].as_str())?;
    let scopes = limited.me().await?.key.and_then(|key| key.scopes);
    assert_eq!(scopes.expect("scopes").iter().count(), 0);
    let update = ProfileUpdate::new().bio(Bio::new("forbidden")?);
    let link = NewLink::new("Blog", LinkUrl::new("https://example.com")?);
    assert_eq!(
        kind(limited.update_profile(&update).await),
        ErrorKind::Forbidden
    );
    assert_eq!(kind(limited.analytics().await), ErrorKind::Forbidden);
    assert_eq!(kind(limited.create_link(&link).await), ErrorKind::Forbidden);
    assert_eq!(
        kind(limited.create_post("forbidden").await),
        ErrorKind::Forbidden
    );
    assert_ne!(client.me().await?.bio.as_deref(), Some("forbidden"));
    Ok(())
}

async fn receive(event: VerifiedEvent<Value>) -> StatusCode {
    match event.delivery().confirm_kind_in("type") {
        Ok(_) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// Sends an order to the control API of the mock.
async fn order(control: &Client, method: Method, path: &str, body: Value) -> Result<Value> {
    let path = format!("/worlds/default{path}");
    Ok(control.raw_call(method, path).json(&body).read().await?)
}

async fn receive_events(control: &Client) -> Result {
    let receiver = Receiver::new(Verifier::new(Secret::new("whsec_test")?));
    let router = Router::new()
        .route("/hooks", post(receive))
        .with_state(receiver);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hooks", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let webhook = json!({"url": url, "secret": "whsec_test"});
    order(control, Method::Put, "/webhook", webhook).await?;
    let event = json!({"kind": "post.liked", "data": {"post": "post_3"}});
    let delivery = order(control, Method::Post, "/webhook/emit", event).await?;
    assert_eq!(delivery["outcome"]["status"], 204);
    Ok(())
}

async fn turn_webhook_off(control: &Client) -> Result {
    let receiver = json!({"script": "500", "secret": "whsec_test"});
    order(control, Method::Put, "/webhook", receiver).await?;
    for failures in 1..=10 {
        let event = json!({"kind": "post.liked"});
        order(control, Method::Post, "/webhook/emit", event).await?;
        let status: Value = control
            .raw_call(Method::Get, "/worlds/default/webhook")
            .read()
            .await?;
        assert_eq!(status["active"], failures < 10, "after {failures} failures");
    }
    Ok(())
}

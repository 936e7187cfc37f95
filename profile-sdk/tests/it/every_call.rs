//! A call of each operation.

use std::future::Future;
use std::pin::Pin;

use profile_sdk::{
    Call, Client, Error, Handle, LinkId, LinkUpdate, LinkUrl, NewLink, Operation, PostId,
    ProfileUpdate,
};

type Outcome = Pin<Box<dyn Future<Output = Result<(), Error>>>>;

/// Returns an unsent call of each operation.
pub(crate) fn every_call(client: &Client) -> Vec<(Operation, Outcome)> {
    let link = NewLink::new("t", LinkUrl::new("https://example.org").unwrap());
    let link_id = LinkId::new("link_1").unwrap();
    let post_id = PostId::new("post_3").unwrap();
    let (profile, update) = (ProfileUpdate::new(), LinkUpdate::new().title("t"));
    let handle = Handle::new("demo").unwrap();
    vec![
        (Operation::ME, outcome(client.me())),
        (
            Operation::UPDATE_PROFILE,
            outcome(client.update_profile(&profile)),
        ),
        (Operation::ANALYTICS, outcome(client.analytics())),
        (Operation::CREATE_LINK, outcome(client.create_link(&link))),
        (
            Operation::UPDATE_LINK,
            outcome(client.update_link(&link_id, &update)),
        ),
        (
            Operation::DELETE_LINK,
            outcome(client.delete_link(&link_id)),
        ),
        (Operation::CREATE_POST, outcome(client.create_post("p"))),
        (
            Operation::DELETE_POST,
            outcome(client.delete_post(&post_id)),
        ),
        (
            Operation::USER_STATS,
            outcome(client.user_stats(&handle, None)),
        ),
        (Operation::BADGES, outcome(client.badges())),
        (Operation::SITE_STATS, outcome(client.site_stats())),
    ]
}

fn outcome<T: Send + 'static>(call: Call<T>) -> Outcome {
    Box::pin(async { call.await.map(drop) })
}

#[tokio::test]
async fn covers_every_operation() {
    let client = Client::builder().base_url("http://127.0.0.1:1").build();
    let calls = every_call(&client.unwrap()).into_iter();
    let operations: Vec<_> = calls.map(|(operation, _)| operation).collect();
    assert_eq!(operations, Operation::ALL);
}

#[test]
fn the_readme_lists_every_operation_with_its_scope() {
    let readme = include_str!("../../README.md");
    for operation in Operation::ALL {
        let line = operation.to_string().replacen("/api/v1", "", 1);
        let start = format!(") | `{line}`");
        let start = format!("| [`{0}`](Client::{0}{start}", operation.name());
        let row = readme.lines().find(|row| row.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("the README has no row for {line}"));
        let scope = operation
            .scope()
            .map_or(String::new(), |scope| format!("`{scope}` "));
        assert!(row.ends_with(&format!("| {scope}|")), "{row}");
    }
}

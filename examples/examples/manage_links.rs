//! Creates, renames and deletes a link.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, LinkId, LinkUpdate, NewLink};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without PROFILE_BASE_URL, use a mock server in this process.
    let mock = MockServer::start().await;
    let client = match env::var_os("PROFILE_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => Client::builder()
            .base_url(mock.uri())
            .api_key(ApiKey::new(mock.key())?)
            .build()?,
    };

    let url = "https://example.org/blog";
    let id = create(&client, "Blog", url).await?;
    println!("created {}", id.as_str());

    let update = LinkUpdate::new().title("My blog");
    client.update_link(&id, &update).await?;
    println!("renamed {}", id.as_str());

    client.delete_link(&id).await?;
    println!("deleted {}", id.as_str());
    Ok(())
}

/// Creates a link and returns its ID. If the response does not contain the link, looks it up in the
/// profile.
async fn create(client: &Client, title: &str, url: &str) -> Result<LinkId, Box<dyn Error>> {
    let created = client.create_link(&NewLink::new(title, url.parse()?)).await;
    let created = created.inspect_err(|error| {
        if error.may_have_been_applied() {
            println!("the link may exist; check before you retry");
        }
    })?;
    if let Some(id) = created.and_then(|link| link.id) {
        return Ok(id);
    }
    let links = client.me().await?.links.unwrap_or_default();
    links
        .into_iter()
        .rfind(|link| link.title.as_deref() == Some(title) && link.url.as_deref() == Some(url))
        .and_then(|link| link.id)
        .ok_or_else(|| "the link was created, but the service does not return its id".into())
}

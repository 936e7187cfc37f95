//! Creates a link, changes it, and deletes it again, also where the service does not show it.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, LinkId, LinkUpdate, NewLink};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without PROFILE_BASE_URL, a reference service stands in for the real one.
    let stand_in = MockServer::start().await;
    let client = match env::var_os("PROFILE_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => Client::builder()
            .base_url(stand_in.uri())
            .api_key(ApiKey::new(stand_in.key())?)
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

/// A service may take a link without showing it: then its id is found among the owner's links.
async fn create(client: &Client, title: &str, url: &str) -> Result<LinkId, Box<dyn Error>> {
    let created = client.create_link(&NewLink::new(title, url.parse()?)).await;
    let created = created.inspect_err(|error| {
        if error.may_have_been_applied() {
            println!("look whether the link is there before you create it again");
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
        .ok_or_else(|| "the link was created, and the service does not tell its id".into())
}

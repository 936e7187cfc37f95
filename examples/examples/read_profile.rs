//! Reads the profile of the key's owner, and the scopes of the key.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, Scope};

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

    let me = client.me().await?;
    // All fields are optional, because the specification does not require them.
    println!("name: {}", me.display_name.as_deref().unwrap_or("(none)"));
    println!("bio: {}", me.bio.as_deref().unwrap_or("(none)"));
    for link in me.links.iter().flatten() {
        let (title, url) = (link.title.as_deref(), link.url.as_deref());
        println!("link: {} {}", title.unwrap_or("?"), url.unwrap_or("?"));
    }
    for badge in me.badges.iter().flatten() {
        println!("badge: {}", badge.name);
    }
    if let Some(scopes) = me.key.and_then(|key| key.scopes) {
        println!("can edit links: {}", scopes.contains(&Scope::LinksWrite));
    }
    // Fields that are not in the specification.
    println!("other fields: {:?}", me.extra.keys().collect::<Vec<_>>());
    Ok(())
}

//! Reads the profile of the key's owner, and what the key may do.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, Scope};

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

    let me = client.me().await?;
    // Every service has other fields to show, so each may be missing.
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
        println!("may edit links: {}", scopes.contains(&Scope::LinksWrite));
    }
    // What the specification does not name is kept as it came.
    println!("further fields: {:?}", me.extra.keys().collect::<Vec<_>>());
    Ok(())
}

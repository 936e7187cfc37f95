//! Reads the profile, changes its location, and puts it back as it was.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, ErrorKind, Location, ProfileUpdate};

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

    let before = client.me().await?.location.unwrap_or_default();
    println!("before: {before:?}");

    // A location that is too long would be refused here, before anything is sent.
    let update = ProfileUpdate::new().location(Location::new("Somewhere else")?);
    match client.update_profile(&update).await {
        Ok(_) => println!("changed: {:?}", client.me().await?.location),
        Err(error) if error.kind() == ErrorKind::Forbidden => {
            println!("this key may only read: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    }

    let back = ProfileUpdate::new().location(Location::new(before)?);
    client.update_profile(&back).await?;
    println!("after: {:?}", client.me().await?.location);
    Ok(())
}

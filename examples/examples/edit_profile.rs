//! Changes the location of the profile, and restores it.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, ErrorKind, Location, ProfileUpdate};

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

    let before = client.me().await?.location.unwrap_or_default();
    println!("before: {before:?}");

    // `Location::new` rejects a location that is too long, before anything is sent.
    let update = ProfileUpdate::new().location(Location::new("Somewhere else")?);
    match client.update_profile(&update).await {
        Ok(_) => println!("changed: {:?}", client.me().await?.location),
        Err(error) if error.kind() == ErrorKind::Forbidden => {
            println!("the key is not allowed to edit the profile: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    }

    let restore = ProfileUpdate::new().location(Location::new(before)?);
    client.update_profile(&restore).await?;
    println!("after: {:?}", client.me().await?.location);
    Ok(())
}

//! Reads the profile, changes its location and reads it again.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::error::Error;

use profile_sdk::{ApiKey, Client, ErrorKind, Location, ProfileUpdate};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without settings, a reference service stands in for the real one.
    let stand_in = mock_server::MockServer::start().await;
    let setting = |name| std::env::var(name).ok();
    let base_url = setting("PROFILE_BASE_URL").unwrap_or_else(|| stand_in.uri().to_owned());
    let key = setting("PROFILE_API_KEY").unwrap_or_else(|| stand_in.key().to_owned());

    let client = Client::builder()
        .base_url(base_url)
        .api_key(ApiKey::new(key)?)
        .build()?;
    println!("before: {:?}", client.me().await?.location);

    // A location that is too long would be refused here, before anything is sent.
    let update = ProfileUpdate::new().location(Location::new("Somewhere else")?);
    match client.update_profile(&update).await {
        Ok(_) => println!("after: {:?}", client.me().await?.location),
        Err(error) if error.kind() == ErrorKind::Forbidden => {
            println!("this key may only read: {error}");
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

//! Keeps the links of a profile equal to those in a TOML file.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;
use std::fs;

use mock_server::MockServer;
use profile_sdk::plan::{DesiredProfile, PlanOptions};
use profile_sdk::{ApiKey, Client};

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
    let toml = match env::args().nth(1) {
        Some(path) => fs::read_to_string(path)?,
        None => (1..=200)
            .map(|number| {
                format!(
                    "[[links]]\ntitle = \"Site {number}\"\nurl = \"https://{number}.example\"\n"
                )
            })
            .collect(),
    };
    let desired: DesiredProfile = toml_edit::de::from_str(&toml)?;

    // Delete the links that are not in the file. After an error, run the program again: it does what
    // is left.
    let options = PlanOptions::new().prune(true);
    let report = client.sync(&desired, options).await?;
    print!("{report}");
    Ok(())
}

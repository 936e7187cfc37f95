//! Keeps the links of a profile equal to those in a TOML file.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;
use std::fs;

use mock_server::MockServer;
use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
use profile_sdk::{ApiKey, Client};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Without PROFILE_BASE_URL, use a reference service in this process.
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

    let me = client.me().await?;
    // Delete the links that are not in the file.
    let options = PlanOptions::new().service(client.base_url()).prune(true);
    let plan = Plan::new(&me, &desired, options);
    if let Some(scopes) = me.key.and_then(|key| key.scopes) {
        let mut required = plan.required_scopes().into_iter();
        if let Some(missing) = required.find(|scope| !scopes.contains(scope)) {
            return Err(format!("the key lacks the scope {missing}; nothing was sent").into());
        }
    }

    // After an error, run the program again: it does what is left.
    let report = client.apply_with(&plan, |step| println!("{step}")).await?;
    println!(
        "{} steps; {} links are unchanged",
        report.done.len(),
        plan.unchanged_links()
    );
    Ok(())
}

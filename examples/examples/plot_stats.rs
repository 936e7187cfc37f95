//! Plots the daily views of a profile as bars: `plot_stats [DAYS [HANDLE]]`.

#![allow(clippy::print_stdout, reason = "this program prints to stdout")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, DailyViews, Days, Handle};

/// Length of the longest bar, in characters.
const MAX_WIDTH: u64 = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let days = match arguments.next() {
        Some(days) => days.parse()?,
        None => Days::new(14)?,
    };

    // Without PROFILE_BASE_URL, use a mock server in this process.
    let mock = MockServer::start().await;
    let client = match env::var_os("PROFILE_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => Client::builder()
            .base_url(mock.uri())
            .api_key(ApiKey::new(mock.key())?)
            .build()?,
    };

    let handle = match arguments.next() {
        Some(handle) => Handle::new(handle)?,
        None => (client.me().await?.handle)
            .ok_or("the service does not return your handle; pass it as the second argument")?,
    };
    let stats = client.user_stats(&handle, days).await?;
    plot(&stats.daily.unwrap_or_default());
    if let Some(total) = stats.total_views {
        println!("{total} views in total");
    }
    Ok(())
}

/// Prints a line per day, scaled to the day with the most views.
fn plot(daily: &[DailyViews]) {
    let max = daily.iter().map(|day| day.views).max().unwrap_or_default();
    for day in daily {
        let length = u128::from(day.views) * u128::from(MAX_WIDTH) / u128::from(max.max(1));
        let bar = "█".repeat(usize::try_from(length).expect("at most MAX_WIDTH"));
        println!("{} {bar} {}", day.date, day.views);
    }
}

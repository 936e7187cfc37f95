//! Draws the daily views of a profile as bars: `plot_stats [DAYS [HANDLE]]`.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::env;
use std::error::Error;

use mock_server::MockServer;
use profile_sdk::{ApiKey, Client, DailyViews, Days, Handle};

/// How long the longest bar is, in characters.
const WIDTH: u64 = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let days = match arguments.next() {
        Some(days) => days.parse()?,
        None => Days::new(14)?,
    };

    // Without PROFILE_BASE_URL, a reference service stands in for the real one.
    let stand_in = MockServer::start().await;
    let client = match env::var_os("PROFILE_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => Client::builder()
            .base_url(stand_in.uri())
            .api_key(ApiKey::new(stand_in.key())?)
            .build()?,
    };

    let handle = match arguments.next() {
        Some(handle) => Handle::new(handle)?,
        None => (client.me().await?.handle)
            .ok_or("the service does not tell the owner's handle; give it after the days")?,
    };
    let stats = client.user_stats(&handle, days).await?;
    draw(&stats.daily.unwrap_or_default());
    if let Some(total) = stats.total_views {
        println!("{total} views in all");
    }
    Ok(())
}

/// A line for each day, as long as its views beside those of the best day.
fn draw(daily: &[DailyViews]) {
    let most = daily.iter().map(|day| day.views).max().unwrap_or_default();
    for day in daily {
        let length = u128::from(day.views) * u128::from(WIDTH) / u128::from(most.max(1));
        let bar = "█".repeat(usize::try_from(length).expect("no bar is longer than WIDTH"));
        println!("{} {bar} {}", day.date, day.views);
    }
}

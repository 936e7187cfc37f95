//! `profile stats`: how often a profile was viewed.

use clap::Args;
use profile_sdk::{Days, Handle, UserStats};

use crate::connection::Connection;
use crate::failure::{Failure, FailureKind};
use crate::printable::quoted;
use crate::report::{Report, Shown, push_field};

/// Show how often a profile was viewed, your own unless a handle is given
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile stats
  profile stats demo --days 7")]
pub(crate) struct StatsArguments {
    /// Whose profile
    handle: Option<Handle>,

    /// Over how many days: 1 to 365 for your own profile, 1 to 30 for another's; 30 unless given
    #[arg(long)]
    days: Option<Days>,
}

pub(crate) async fn run(
    arguments: StatsArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let handle = match arguments.handle {
        Some(handle) => handle,
        None => own_handle(connection).await?,
    };
    let response = connection
        .client
        .user_stats(&handle, arguments.days)
        .send()
        .await
        .map_err(|error| Failure::of_call_about(&format!("profile {}", quoted(&handle)), error))?;
    Ok(Report::read(&response, fields(&handle, response.data())))
}

async fn own_handle(connection: &Connection) -> Result<Handle, Failure> {
    connection.client.me().await?.handle.ok_or_else(|| {
        let message = "the service does not tell your handle";
        Failure::new(FailureKind::Other, message).hint("give it: profile stats HANDLE")
    })
}

fn fields(handle: &Handle, stats: &UserStats) -> Shown {
    let mut fields = vec![("handle".to_owned(), handle.to_string())];
    push_field(&mut fields, "total_views", stats.total_views);
    if let Some(period) = &stats.period {
        push_field(&mut fields, "period.days", Some(period.days));
        push_field(&mut fields, "period.views", Some(period.views));
    }
    if let Some(devices) = &stats.devices {
        push_field(&mut fields, "devices.desktop", devices.desktop);
        push_field(&mut fields, "devices.mobile", devices.mobile);
        push_field(&mut fields, "devices.tablet", devices.tablet);
    }
    for country in stats.countries.iter().flatten() {
        let name = format!("countries.{}", country.code);
        push_field(&mut fields, name, Some(country.views));
    }
    for day in stats.daily.iter().flatten() {
        push_field(&mut fields, format!("daily.{}", day.date), Some(day.views));
    }
    Shown::Fields(fields)
}

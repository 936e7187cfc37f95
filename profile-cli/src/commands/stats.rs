//! `profile stats`: how often a profile was viewed.

use clap::Args;
use profile_sdk::{Days, Handle, UserStats};

use crate::failure::{Failure, FailureKind};
use crate::printable::quoted;
use crate::report::{Report, Shown, push_field};
use crate::session::Session;
use crate::stop::Stop;

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

pub(crate) fn run(arguments: StatsArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let handle = match arguments.handle {
        Some(handle) => handle,
        None => own_handle(session)?,
    };
    let call = session.client()?.user_stats(&handle, arguments.days);
    let what = format!("profile {}", quoted(&handle));
    let response = session.read_about(&what, call)?;
    Ok(Report::read(&response, fields(&handle, response.data())))
}

fn own_handle(session: &Session<'_>) -> Result<Handle, Stop> {
    let profile = session.read(session.client()?.me())?.into_data();
    profile.handle.ok_or_else(|| {
        let message = "the service does not tell your handle";
        Failure::new(FailureKind::Other, message)
            .hint("give it: profile stats HANDLE")
            .into()
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

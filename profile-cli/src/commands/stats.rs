//! The command `profile stats`: the views of a profile.

use clap::Args;
use profile_sdk::{Days, Handle, InvalidValue, internal::quoted};
use serde_json::{Value, json};

use crate::drawing::{Drawing, Period, ProfileViews, daily};
use crate::outcome::{Failure, NextCommand, Report, Result, View};
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, prints bars, and the shares of devices and countries if the service returns them. Without \
--by, more than 31 days are drawn as weeks, and more than 31 weeks as months; the other formats have each \
day. In a pipe, each line is a date and the views, separated by a tab.

With --by, the date is the first day of the week or month that the response covers; weeks start on Monday. \
The first and the last may be incomplete.

The JSON is the data of the response; with --by, an array of {\"date\": …, \"views\": …}.

Examples:
  profile stats
  profile stats demo --days 7
  profile stats --days 365 --by month --output csv")]
pub(crate) struct StatsArguments {
    /// Handle of the profile [default: your own]
    #[arg(value_name = "HANDLE", value_parser = handle)]
    handle: Option<Handle>,

    #[arg(long, allow_negative_numbers = true, overrides_with = "days", help = format!(
        "Number of days: {min} to {} for your own profile, {min} to {} for others [default: {}]",
        Days::MAX_OWN, Days::MAX_OTHER, Days::DEFAULT, min = Days::MIN,
    ))]
    days: Option<Days>,

    /// Sum up the views by day, week or month
    #[arg(
        long,
        value_enum,
        value_name = "PERIOD",
        hide_possible_values = true,
        overrides_with = "by"
    )]
    by: Option<Period>,
}

/// Parses a handle, which may be written with a leading `@`.
fn handle(text: &str) -> Result<Handle, InvalidValue> {
    Handle::new(text.strip_prefix('@').unwrap_or(text))
}

pub(crate) fn run(arguments: StatsArguments, session: &Session<'_>) -> Result<Report> {
    let StatsArguments { handle, days, by } = arguments;
    let handle = match handle {
        Some(handle) => handle,
        None => own_handle(session)?,
    };
    let call = session.client()?.user_stats(&handle, days);
    let what = format!("profile {}", quoted(handle.as_str()));
    let response = session.read_about(&what, call)?;
    let stats = response.data();
    let rows: Vec<_> = match by {
        Some(by) => by.sums(&daily(stats)).into_iter().collect(),
        None => {
            let days = stats.daily.iter().flatten();
            days.map(|day| (day.date.clone(), day.views)).collect()
        }
    };
    let report = match by {
        Some(_) => Report::new(as_array(&rows), table(&rows)),
        None => Report::read(&response, table(&rows)),
    };
    let bars = Drawing::Bars(Box::new(ProfileViews::new(&handle, stats, by)));
    Ok(report.for_people(View::Drawing(bars)))
}

fn own_handle(session: &Session<'_>) -> Result<Handle> {
    let profile = session.read(session.client()?.me())?.into_data();
    profile.handle.ok_or_else(|| {
        Failure::other("the profile in the response does not contain your handle")
            .hint(format!("pass it: {}", NextCommand("profile stats HANDLE")))
    })
}

fn as_array(rows: &[(String, u64)]) -> Value {
    let objects = rows.iter();
    let objects = objects.map(|(date, views)| json!({ "date": date, "views": views }));
    objects.collect()
}

fn table(rows: &[(String, u64)]) -> View {
    let cells = rows.iter();
    let cells = cells.map(|(date, views)| vec![date.clone(), views.to_string()]);
    View::Table {
        columns: ["date", "views"].map(str::to_owned).into(),
        rows: cells.collect(),
        empty: "No daily statistics available.",
    }
}

//! The commands for statistics: `profile stats` for the views of a profile, `profile analytics` for the counts of your
//! own, and `profile badges` and `profile site` for what the site publishes.

use clap::Args;
use profile_sdk::{Days, Handle, InvalidValue, Metric, internal::quoted};
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

pub(crate) fn stats(arguments: StatsArguments, session: &Session<'_>) -> Result<Report> {
    let StatsArguments { handle, days, by } = arguments;
    let handle = match handle {
        Some(handle) => handle,
        None => own_handle(session)?,
    };
    let call = session.client()?.user_stats(&handle, days);
    let what = format!("profile {}", quoted(handle.as_str()));
    let response = session.read_about(&what, call)?;
    let stats = response.data();
    let report = match by {
        Some(by) => {
            let sums = by.sums(&daily(stats));
            let objects = sums
                .iter()
                .map(|(date, views)| json!({ "date": date, "views": views }));
            Report::new(objects.collect::<Value>(), table(sums.iter()))
        }
        None => {
            let days = stats.daily.iter().flatten();
            Report::read(&response, table(days.map(|day| (&day.date, &day.views))))
        }
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

fn table<'a>(rows: impl Iterator<Item = (&'a String, &'a u64)>) -> View {
    let rows = rows.map(|(date, views)| vec![date.clone(), views.to_string()]);
    View::Table {
        columns: ["date", "views"].map(str::to_owned).into(),
        rows: rows.collect(),
        empty: "No daily statistics available.",
    }
}

pub(crate) const ANALYTICS_HELP: &str = "\
Requires the scope analytics:read. In a pipe, each line is the name and the value of a count, \
separated by a tab.

Examples:
  profile analytics
  profile analytics --json";

pub(crate) fn analytics(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.analytics())?;
    let analytics = response.data();
    let mut figures = Vec::new();
    push_metric(&mut figures, "views", analytics.views.as_ref());
    push_metric(&mut figures, "likes", analytics.likes.as_ref());
    push_metric(&mut figures, "social", analytics.social.as_ref());
    Ok(Report::figures(&response, figures))
}

/// Pushes the total of a metric, else its parts, else the value as the service sent it.
fn push_metric(figures: &mut Vec<(String, Value)>, name: &str, metric: Option<&Metric>) {
    let Some(metric) = metric else { return };
    if let Some(total) = metric.total() {
        return figures.push((name.to_owned(), total.into()));
    }
    let known = figures.len();
    for (part, metric) in metric.parts() {
        push_metric(figures, &format!("{name}.{part}"), Some(&metric));
    }
    if figures.len() == known {
        figures.push((name.to_owned(), metric.raw().clone()));
    }
}

pub(crate) const BADGES_HELP: &str = "\
In a pipe, each line is an ID, a name, a kind, a color and a description, separated by tabs.

Examples:
  profile badges
  profile badges --json";

pub(crate) fn badges(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.badges())?;
    let columns = View::Columns {
        names: &["id", "name", "kind", "color", "description"],
        empty: "There are no badges.",
    };
    let drawing = Drawing::Badges(response.data().clone());
    Ok(Report::read(&response, columns).for_people(View::Drawing(drawing)))
}

pub(crate) const SITE_HELP: &str = "\
In a pipe, each line is the name and the value of a counter, separated by a tab.

Examples:
  profile site
  profile site --json";

pub(crate) fn site(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.site_stats())?;
    let site = response.data();
    let figures = [
        ("users", site.users),
        ("views", site.views),
        ("links", site.links),
    ];
    let figures = figures.map(|(name, count)| (name.to_owned(), count.into()));
    Ok(Report::figures(&response, figures.into()))
}

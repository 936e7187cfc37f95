//! The command `profile stats`: the views of profiles.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use profile_sdk::{Days, Handle, InvalidValue, Response, RetryPolicy, UserStats, quoted};
use serde_json::json;

use crate::drawing::{Drawing, ProfileViews};
use crate::outcome::{
    Document, Failure, FailureKind, NextCommand, Report, Result, View, push_field,
};
use crate::session::Session;
use crate::terminal::redact_key;
use crate::{drawing, outcome, output};

#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, prints bars, with one scale for all profiles, and the shares of devices and countries if
the service returns them. More than 31 days are drawn as weeks, and more than 31 weeks as months; --plot
spark, --svg and the other formats show each day. In a pipe, each line is a date and the views, or with
--totals a name and a value, separated by a tab. With several handles, each line starts with the handle.

Bars and sparklines compare the views with those of the preceding period of the same length, which takes
a second request and is limited to 182 days for your own profile and 15 for others.

The JSON is the data of the response; with several handles, an array of {\"handle\": …, \"stats\": …}.
All handles are tried, and the highest exit code counts.

Examples:
  profile stats
  profile stats demo grace --days 7
  profile stats --days 365 --output csv
  profile stats --days 365 --plot spark --svg views.svg")]
pub(crate) struct StatsArguments {
    /// Handles of the profiles [default: your own]
    #[arg(value_name = "HANDLE", value_parser = handle)]
    handles: Vec<Handle>,

    #[arg(long, allow_negative_numbers = true, overrides_with = "days", help = format!(
        "Number of days: {min} to {} for your own profile, {min} to {} for others [default: {}]",
        Days::MAX_OWN, Days::MAX_OTHER, Days::DEFAULT, min = Days::MIN,
    ))]
    days: Option<Days>,

    /// Chart of the views per day: bars, spark (one line) or none [default: bars on a terminal,
    /// otherwise none]
    #[arg(long, value_enum, hide_possible_values = true, overrides_with = "plot")]
    plot: Option<Plot>,

    /// Print the totals, devices and countries instead of the views per day
    #[arg(long, conflicts_with = "plot", overrides_with = "totals")]
    totals: bool,

    /// Also draw the chart into this file, replacing it; - prints only the chart
    #[arg(long, value_name = "PATH|-")]
    svg: Option<PathBuf>,
}

/// The chart of the views per day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Plot {
    /// A bar per day, week or month
    Bars,
    /// A line of small columns
    Spark,
    /// A table of dates and views
    None,
}

/// Parses a handle, which may be written with a leading `@`.
fn handle(text: &str) -> Result<Handle, InvalidValue> {
    Handle::new(text.strip_prefix('@').unwrap_or(text))
}

pub(crate) fn run(arguments: StatsArguments, session: &Session<'_>) -> Result<Report> {
    if arguments.handles.is_empty() && session.settings.curl {
        return as_curl(arguments.days, session);
    }
    let handles = match arguments.handles.is_empty() {
        true => vec![own_handle(session)?],
        false => arguments.handles.clone(),
    };
    let handles = outcome::without_duplicates(&handles);
    let client = session.client()?;
    let call = |handle: &&Handle| client.user_stats(handle, arguments.days);
    let calls: Vec<_> = handles.iter().map(call).collect();
    if let Some(preview) = session.preview(&calls, None)? {
        return Ok(preview);
    }
    let is_own = arguments.handles.is_empty();
    let draws = arguments.draws(session);
    let mut progress = session.progress("reading", handles.len());
    let mut read = Vec::new();
    let mut failures = Vec::new();
    for (&handle, call) in handles.iter().zip(calls) {
        let what = format!("profile {}", quoted(handle.as_str()));
        match session.read_about(&what, call) {
            Ok(response) => {
                let before = draws.then(|| views_before(handle, response.data(), is_own, session));
                let before = before.transpose()?.flatten();
                read.push(Read {
                    handle,
                    response,
                    before,
                });
            }
            Err(failure) if handles.len() == 1 || failure.kind == FailureKind::Interrupted => {
                return Err(failure);
            }
            Err(failure) => failures.push(outcome::item_failure(Some(&what), handle, failure)),
        }
        progress.advance();
    }
    drop(progress);
    if read.is_empty() {
        return outcome::of_batch(None, failures);
    }
    let mut report = arguments.report(&read, arguments.handles.len() > 1, session);
    if let Some(path) = &arguments.svg {
        let picture = drawing::svg(&views(&read));
        if path.as_os_str() == "-" {
            return outcome::of_batch(Some(Report::text(picture.trim_end(), "svg")), failures);
        }
        output::write_file(path, picture.as_bytes())?;
        report = report.of_change();
    }
    outcome::of_batch(Some(report), failures)
}

/// Returns the commands without a handle: the first reads the own handle, and the user has to insert
/// it into the second.
fn as_curl(days: Option<Days>, session: &Session<'_>) -> Result<Report> {
    let client = session.client()?;
    let me = client.me();
    let stats = client.user_stats(&Handle::new("HANDLE")?, days);
    let report = session.as_curl(&[me.request()?, stats.request()?])?;
    let note = "replace HANDLE in the second command with the handle that the first one prints";
    session.output.note(note);
    Ok(report)
}

fn own_handle(session: &Session<'_>) -> Result<Handle> {
    let profile = session.read(session.client()?.me())?.into_data();
    profile.handle.ok_or_else(|| {
        Failure::other("the profile in the response does not contain your handle")
            .hint(format!("pass it: {}", NextCommand("profile stats HANDLE")))
    })
}

/// The statistics of a profile.
struct Read<'a> {
    handle: &'a Handle,
    response: Response<UserStats>,
    /// The views of the preceding period of the same length.
    before: Option<u64>,
}

fn views(read: &[Read<'_>]) -> Vec<ProfileViews> {
    let views = |read: &Read<'_>| ProfileViews::new(read.handle, read.response.data(), read.before);
    read.iter().map(views).collect()
}

impl StatsArguments {
    /// Returns `true` if bars or sparklines are printed.
    fn draws(&self, session: &Session<'_>) -> bool {
        let is_image = self.svg.as_deref() == Some(Path::new("-"));
        match self.plot {
            _ if is_image || self.totals || self.plot == Some(Plot::None) => false,
            // --plot overrides the default format, but not an explicit one.
            Some(_) if session.settings.format.is_none() => !session.output.is_json(),
            _ => session.output.is_for_people(),
        }
    }

    fn report(&self, read: &[Read<'_>], several: bool, session: &Session<'_>) -> Report {
        let view = match self.plot {
            _ if self.totals => totals(read, several),
            _ if !self.draws(session) => days(read, several),
            Some(Plot::Spark) => View::Drawing(Drawing::Spark(views(read))),
            None | Some(Plot::Bars | Plot::None) => View::Drawing(Drawing::Bars(views(read))),
        };
        match read {
            [read] if !several => Report::read(&read.response, view),
            _ => Report::new(as_array(read), view),
        }
    }
}

/// Returns the views in the period of the same length before that of the statistics, if the service
/// returns enough days: requests twice as many days and subtracts the views of the period.
///
/// The second response cannot replace the statistics, since its devices and countries cover both
/// periods. The comparison is optional: the request is not retried and does not wait for the rate
/// limit, and its errors are ignored.
fn views_before(
    handle: &Handle,
    stats: &UserStats,
    is_own: bool,
    session: &Session<'_>,
) -> Result<Option<u64>> {
    let Some(period) = &stats.period else {
        return Ok(None);
    };
    // The service returns devices only to the owner.
    let devices = stats.devices.as_ref();
    let has_devices = devices.is_some_and(|devices| devices.desktop.is_some());
    let max = match is_own || has_devices {
        true => Days::MAX_OWN,
        false => Days::MAX_OTHER,
    };
    let days = u16::try_from(period.days.saturating_mul(2)).ok();
    let days = days.filter(|days| *days <= max);
    let Some(days) = days.and_then(|days| Days::new(days).ok()) else {
        return Ok(None);
    };
    let at_once = RetryPolicy::none().max_wait(Duration::ZERO);
    let call = session.client()?.user_stats(handle, days).retry(at_once);
    let both = outcome::optional(session.read(call), false)?;
    let both = both.and_then(|response| response.into_data().period);
    let both = both.filter(|both| both.days == u64::from(days.get()));
    Ok(both.and_then(|both| both.views.checked_sub(period.views)))
}

/// Returns a JSON array of the statistics, each with its handle.
fn as_array(read: &[Read<'_>]) -> Document {
    let elements = read.iter().map(|read| {
        let handle = json!(redact_key(read.handle.as_str()));
        let stats = redact_key(read.response.raw_data().unwrap_or("null"));
        format!("{{\"handle\":{handle},\"stats\":{stats}}}")
    });
    Document(format!("[{}]", elements.collect::<Vec<_>>().join(",")))
}

/// Returns a row per day, preceded by the handle if `several` is set.
fn days(read: &[Read<'_>], several: bool) -> View {
    let empty = "No daily statistics available.";
    table(read, several, ["date", "views"], empty, |stats| {
        let days = stats.daily.iter().flatten();
        days.map(|day| (day.date.clone(), day.views.to_string()))
            .collect()
    })
}

/// Returns the other names and values, preceded by the handle if `several` is set.
fn totals(read: &[Read<'_>], several: bool) -> View {
    if several {
        let empty = "No statistics available.";
        return table(read, several, ["field", "value"], empty, fields);
    }
    let fields = read.iter().flat_map(|read| {
        let handle = ("handle".to_owned(), read.handle.to_string());
        [handle].into_iter().chain(fields(read.response.data()))
    });
    View::Fields(fields.collect())
}

fn table(
    read: &[Read<'_>],
    several: bool,
    columns: [&'static str; 2],
    empty: &'static str,
    cells: fn(&UserStats) -> Vec<(String, String)>,
) -> View {
    let rows = read.iter().flat_map(|read| {
        let handle = several.then(|| read.handle.to_string());
        let cells = cells(read.response.data()).into_iter();
        cells.map(move |(name, value)| handle.clone().into_iter().chain([name, value]).collect())
    });
    let handle = several.then_some("handle").into_iter();
    View::Table {
        columns: handle.chain(columns).map(str::to_owned).collect(),
        rows: rows.collect(),
        empty,
    }
}

fn fields(stats: &UserStats) -> Vec<(String, String)> {
    let mut fields = Vec::new();
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
    fields
}

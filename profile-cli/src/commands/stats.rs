//! `profile stats`: the views of profiles.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use profile_sdk::{Days, Handle, InvalidValue, Response, UserStats};
use serde_json::json;

use crate::commands::batch;
use crate::drawing::{self, Drawing, ProfileViews};
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View, push_field};
use crate::session::Session;
use crate::system::output_file;
use crate::terminal::printable::quoted;
use crate::terminal::progress::Progress;

/// Show the views of your profile, or of other profiles
#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, prints bars, with one scale for all profiles, and the shares of devices and countries
if the service returns them. More than 31 days are drawn as weeks, and more than 31 weeks as months;
--plot spark, --svg and the other formats show each day. In a pipe, each line is a name and a value,
separated by a tab, preceded by the handle if several are given; --plot draws there too.

The JSON is the data of the response; with several handles, an array of {\"handle\": …, \"stats\": …}.
All handles are tried, and the exit code is that of the worst failure.

Examples:
  profile stats
  profile stats demo grace --days 7
  profile stats --days 365 --plot spark --svg views.svg")]
pub(crate) struct StatsArguments {
    /// Handles of the profiles [default: your own]
    #[arg(value_name = "HANDLE", value_parser = handle)]
    handles: Vec<Handle>,

    #[arg(long, help = days_help())]
    days: Option<Days>,

    /// Chart of the views per day: bars, spark (one line) or none [default: bars on a terminal,
    /// otherwise none]
    #[arg(long, value_enum, hide_possible_values = true)]
    plot: Option<Plot>,

    /// Also draw the chart into this file, replacing it; - prints only the chart
    #[arg(long, value_name = "FILE|-")]
    svg: Option<PathBuf>,
}

/// The chart of the views per day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Plot {
    /// A bar per day, week or month
    Bars,
    /// A line of small columns
    Spark,
    /// Names and values
    None,
}

/// Parses a handle, which may be written with a leading `@`.
fn handle(text: &str) -> Result<Handle, InvalidValue> {
    Handle::new(text.strip_prefix('@').unwrap_or(text))
}

fn days_help() -> String {
    format!(
        "Number of days: {min} to {} for your own profile, {min} to {} for others [default: {}]",
        Days::MAX_OWN,
        Days::MAX_OTHER,
        Days::DEFAULT,
        min = Days::MIN,
    )
}

pub(crate) fn run(arguments: StatsArguments, session: &Session<'_>) -> Result<Report, Failure> {
    if arguments.handles.is_empty() && session.settings.curl {
        return as_curl(arguments.days, session);
    }
    let handles = match arguments.handles.is_empty() {
        true => vec![own_handle(session)?],
        false => arguments.handles.clone(),
    };
    let handles = batch::without_duplicates(&handles);
    let client = session.client()?;
    let calls = handles
        .iter()
        .map(|handle| client.user_stats(handle, arguments.days));
    let calls: Vec<_> = calls.collect();
    if let Some(preview) = session.curl_preview(&calls)? {
        return Ok(preview);
    }
    let mut progress = Progress::begin("reading", handles.len(), session.output.is_quiet());
    let mut read = Vec::new();
    let mut failures = Vec::new();
    for (&handle, call) in handles.iter().zip(calls) {
        let what = format!("profile {}", quoted(handle));
        match session.read_about(&what, call) {
            Ok(response) => read.push((handle, response)),
            Err(failure) if handles.len() == 1 => return Err(failure),
            Err(failure) => failures.push(batch::item_failure(&what, handle, failure)),
        }
        progress.advance();
    }
    drop(progress);
    if read.is_empty() {
        return batch::outcome(None, failures);
    }
    let report = arguments.report(&read, arguments.handles.len() > 1, session);
    if let Some(path) = &arguments.svg {
        let picture = drawing::svg(&views(&read));
        if path.as_os_str() == "-" {
            return batch::outcome(Some(Report::text(picture.trim_end(), "svg")), failures);
        }
        output_file::write(path, picture.as_bytes())?;
    }
    batch::outcome(Some(report), failures)
}

/// Returns the commands without a handle: the first reads the own handle, and the user has to insert
/// it into the second.
fn as_curl(days: Option<Days>, session: &Session<'_>) -> Result<Report, Failure> {
    let client = session.client()?;
    let me = client.me();
    let stats = client.user_stats(&Handle::new("HANDLE")?, days);
    let requests = [
        me.request().map_err(Failure::unsent)?,
        stats.request().map_err(Failure::unsent)?,
    ];
    let report = session.as_curl(&requests)?;
    session
        .output
        .note("replace HANDLE in the second command with the handle that the first one prints");
    Ok(report)
}

fn own_handle(session: &Session<'_>) -> Result<Handle, Failure> {
    let profile = session.read(session.client()?.me())?.into_data();
    profile.handle.ok_or_else(|| {
        let message = "the profile in the response does not contain your handle";
        Failure::new(FailureKind::Other, message).hint("pass it: `profile stats HANDLE`")
    })
}

type Read<'a> = (&'a Handle, Response<UserStats>);

fn views(read: &[Read<'_>]) -> Vec<ProfileViews> {
    let views = read.iter();
    views
        .map(|(handle, response)| ProfileViews::new(handle, response.data()))
        .collect()
}

impl StatsArguments {
    fn report(&self, read: &[Read<'_>], several: bool, session: &Session<'_>) -> Report {
        let shown = self.shown(read, several, session);
        match read {
            [(_, response)] if !several => Report::read(response, shown),
            _ => Report::new(as_array(read), shown),
        }
    }

    fn shown(&self, read: &[Read<'_>], several: bool, session: &Session<'_>) -> View {
        let drawing = match self.plot {
            None | Some(Plot::Bars) => Drawing::Bars(views(read)),
            Some(Plot::Spark) => Drawing::Spark(views(read)),
            Some(Plot::None) => return plain(read, several),
        };
        // --plot overrides the default format, but not an explicit one.
        match self.plot.is_some() && session.settings.format.is_none() {
            true => View::Drawing(drawing),
            false => View::drawing(drawing, plain(read, several)),
        }
    }
}

/// Returns a JSON array of the statistics, each with its handle.
fn as_array(read: &[Read<'_>]) -> String {
    let elements = read.iter().map(|(handle, response)| {
        let handle = json!(handle.as_str());
        let stats = response.raw_data().unwrap_or("null");
        format!("{{\"handle\":{handle},\"stats\":{stats}}}")
    });
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

fn plain(read: &[Read<'_>], several: bool) -> View {
    if !several {
        let fields = read.iter().flat_map(|(handle, response)| {
            let handle = ("handle".to_owned(), handle.to_string());
            [handle].into_iter().chain(fields(response.data()))
        });
        return View::Fields(fields.collect());
    }
    let rows = read.iter().flat_map(|(handle, response)| {
        let fields = fields(response.data()).into_iter();
        fields.map(|(name, value)| vec![handle.to_string(), name, value])
    });
    View::Table {
        columns: vec!["handle", "field", "value"],
        rows: rows.collect(),
        empty: "No statistics available.",
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
    for day in stats.daily.iter().flatten() {
        push_field(&mut fields, format!("daily.{}", day.date), Some(day.views));
    }
    fields
}

//! `profile analytics`: views, likes and social counts of the own profile.

use clap::Args;
use profile_sdk::{Analytics, Metric};

use crate::report::{Report, Shown};
use crate::session::Session;
use crate::stop::Stop;

/// Show views, likes and social counts of your profile
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope analytics:read.

Examples:
  profile analytics
  profile analytics --json")]
pub(crate) struct AnalyticsArguments {}

pub(crate) fn run(_: AnalyticsArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let response = session.read(session.client()?.analytics())?;
    Ok(Report::read(&response, fields(response.data())))
}

fn fields(analytics: &Analytics) -> Shown {
    let mut fields = Vec::new();
    push_metric(&mut fields, "views", analytics.views.as_ref());
    push_metric(&mut fields, "likes", analytics.likes.as_ref());
    push_metric(&mut fields, "social", analytics.social.as_ref());
    Shown::Fields(fields)
}

/// A figure, or each of its parts, or what the service sent where neither can be told.
fn push_metric(fields: &mut Vec<(String, String)>, name: &str, metric: Option<&Metric>) {
    let Some(metric) = metric else { return };
    if let Some(total) = metric.total() {
        return fields.push((name.to_owned(), total.to_string()));
    }
    let known = fields.len();
    for (part, metric) in metric.parts() {
        push_metric(fields, &format!("{name}.{part}"), Some(&metric));
    }
    if fields.len() == known {
        fields.push((name.to_owned(), metric.raw().to_string()));
    }
}

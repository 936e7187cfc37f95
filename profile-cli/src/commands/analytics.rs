//! `profile analytics`: views, likes and social counts of your profile.

use profile_sdk::{Analytics, Metric};

use crate::drawing::Figure;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;

pub(crate) const HELP: &str = "\
Requires the scope analytics:read. In a pipe, each line is the name and the value of a count,
separated by a tab.

Examples:
  profile analytics
  profile analytics --json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.analytics(), |response| {
        let figures = figures(response.data());
        Ok(Report::read(&response, View::figures(figures)))
    })
}

fn figures(analytics: &Analytics) -> Vec<(String, Figure)> {
    let mut figures = Vec::new();
    push_metric(&mut figures, "views", analytics.views.as_ref());
    push_metric(&mut figures, "likes", analytics.likes.as_ref());
    push_metric(&mut figures, "social", analytics.social.as_ref());
    figures
}

/// Pushes the total of a metric, else its parts, else the value as the service sent it.
fn push_metric(figures: &mut Vec<(String, Figure)>, name: &str, metric: Option<&Metric>) {
    let Some(metric) = metric else { return };
    if let Some(total) = metric.total() {
        return figures.push((name.to_owned(), Figure::Count(total)));
    }
    let known = figures.len();
    for (part, metric) in metric.parts() {
        push_metric(figures, &format!("{name}.{part}"), Some(&metric));
    }
    if figures.len() == known {
        figures.push((name.to_owned(), Figure::Text(metric.raw().to_string())));
    }
}

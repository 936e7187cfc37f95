//! The commands `profile analytics`, `profile badges` and `profile site`: counts of your profile, and
//! what the site publishes.

use profile_sdk::Metric;
use serde_json::Value;

use crate::drawing::Drawing;
use crate::outcome::{Report, Result, View};
use crate::session::Session;

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

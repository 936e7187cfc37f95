//! The view statistics of a profile, ready to be drawn.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use profile_sdk::{Handle, UserStats};

use super::text::{BOLD, one_line, percent, width, with_separators, wrap};
use crate::terminal::Screen;

/// Minimum width of the summary beside a long handle.
const MIN_COLUMNS: usize = 20;

/// The view statistics of one profile, with text that is safe to print.
#[derive(Debug, Clone)]
pub(crate) struct ProfileViews {
    pub(super) handle: String,
    pub(super) total: Option<u64>,
    /// The number of days requested, and the views in them.
    pub(super) period: Option<(u64, u64)>,
    /// The views in as many days before.
    pub(super) before: Option<u64>,
    pub(super) daily: BTreeMap<String, u64>,
    pub(super) devices: Vec<(String, u64)>,
    pub(super) countries: Vec<(String, u64)>,
}

impl ProfileViews {
    pub(crate) fn new(handle: &Handle, stats: &UserStats, before: Option<u64>) -> Self {
        let mut daily = BTreeMap::new();
        for day in stats.daily.iter().flatten() {
            let views: &mut u64 = daily.entry(one_line(&day.date)).or_default();
            *views = views.saturating_add(day.views);
        }
        let countries = stats.countries.iter().flatten();
        Self {
            handle: one_line(handle.as_str()),
            total: stats.total_views,
            period: stats
                .period
                .as_ref()
                .map(|period| (period.days, period.views)),
            before,
            daily,
            devices: devices(stats),
            countries: countries
                .map(|country| (one_line(&country.code), country.views))
                .collect(),
        }
    }

    /// Returns the handle with the summary and the comparison beside it.
    pub(super) fn heading(&self, screen: &Screen) -> String {
        let indent = width(&self.handle) + 2;
        let texts = [Some(self.summary()), self.comparison()];
        let texts = texts.into_iter().flatten();
        let columns = screen.width.saturating_sub(indent).max(MIN_COLUMNS);
        let lines = texts.flat_map(|text| wrap(&text, columns));
        let lines = lines.collect::<Vec<_>>();
        let handle = screen.styled(BOLD, &self.handle);
        format!("{handle}  {}\n", lines.join(&format!("\n{:indent$}", "")))
    }

    /// Returns the change since the period before: `+12.2 % from 49 in the 3 days before`.
    fn comparison(&self) -> Option<String> {
        let ((days, views), before) = (self.period?, self.before?);
        let sign = match views.cmp(&before) {
            Ordering::Less => "-",
            Ordering::Equal => "±",
            Ordering::Greater => "+",
        };
        let change = match before {
            0 => with_separators(views),
            _ => percent(views.abs_diff(before), before.into()),
        };
        let days = match days {
            1 => "day".to_owned(),
            days => in_days(days),
        };
        let before = with_separators(before);
        Some(format!("{sign}{change} from {before} in the {days} before"))
    }

    /// Returns a one-line summary: `55 views in 3 days, 43,615 in all`.
    pub(super) fn summary(&self) -> String {
        let views_of = |views| match views {
            1 => "1 view".to_owned(),
            views => format!("{} views", with_separators(views)),
        };
        let period = self.period.or_else(|| self.sum());
        let period =
            period.map(|(days, views)| format!("{} in {}", views_of(views), in_days(days)));
        match (period, self.total) {
            (Some(period), Some(total)) => format!("{period}, {} in all", with_separators(total)),
            (Some(period), None) => period,
            (None, Some(total)) => format!("{} in all", views_of(total)),
            (None, None) => "no view counts".to_owned(),
        }
    }

    /// Returns the number of days with data and the views in them, if there are any.
    fn sum(&self) -> Option<(u64, u64)> {
        let views = self.daily.values().copied().reduce(u64::saturating_add)?;
        Some((self.daily.len() as u64, views))
    }
}

fn in_days(days: u64) -> String {
    match days {
        1 => "1 day".to_owned(),
        days => format!("{} days", with_separators(days)),
    }
}

/// Returns the dates of all profiles, sorted.
pub(super) fn dates(views: &[ProfileViews]) -> BTreeSet<&str> {
    let dates = views.iter().flat_map(|views| views.daily.keys());
    dates.map(String::as_str).collect()
}

/// Returns the maximum of all counts, which is the scale of all bars.
pub(super) fn max_views(views: &[ProfileViews]) -> u64 {
    let counts = views.iter().flat_map(|views| views.daily.values());
    counts.copied().max().unwrap_or_default()
}

fn devices(stats: &UserStats) -> Vec<(String, u64)> {
    let Some(devices) = &stats.devices else {
        return Vec::new();
    };
    let known = [
        ("desktop", devices.desktop),
        ("mobile", devices.mobile),
        ("tablet", devices.tablet),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, views)| Some((name.to_owned(), views?)));
    let others = devices.extra.iter();
    let others = others.filter_map(|(name, views)| Some((one_line(name), views.as_u64()?)));
    known.chain(others).collect()
}

#[cfg(test)]
pub(super) fn sample(handle: &str, daily: &[u64]) -> ProfileViews {
    let days = daily.iter().enumerate();
    let daily: BTreeMap<_, _> = days
        .map(|(day, views)| {
            (
                format!("2026-{:02}-{:02}", day / 28 + 1, day % 28 + 1),
                *views,
            )
        })
        .collect();
    ProfileViews {
        handle: handle.to_owned(),
        total: Some(43_615),
        period: None,
        before: None,
        daily,
        devices: Vec::new(),
        countries: Vec::new(),
    }
}

//! The view statistics of a profile, ready to be drawn.

use std::collections::{BTreeMap, BTreeSet};

use profile_sdk::{Handle, UserStats};

use super::text::{one_line, with_separators};

/// The view statistics of one profile, with text that is safe to print.
#[derive(Debug, Clone)]
pub(crate) struct ProfileViews {
    pub(super) handle: String,
    pub(super) total: Option<u64>,
    /// The number of days requested, and the views in them.
    pub(super) period: Option<(u64, u64)>,
    pub(super) daily: BTreeMap<String, u64>,
    pub(super) devices: Vec<(String, u64)>,
    pub(super) countries: Vec<(String, u64)>,
}

impl ProfileViews {
    pub(crate) fn new(handle: &Handle, stats: &UserStats) -> Self {
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
            daily,
            devices: devices(stats),
            countries: countries
                .map(|country| (one_line(&country.code), country.views))
                .collect(),
        }
    }

    /// Returns a one-line summary: `55 views in 3 days, 43,615 in all`.
    pub(super) fn summary(&self) -> String {
        let in_days = |days| match days {
            1 => "1 day".to_owned(),
            days => format!("{} days", with_separators(days)),
        };
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
        daily,
        devices: Vec::new(),
        countries: Vec::new(),
    }
}

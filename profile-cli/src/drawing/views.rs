//! The view statistics of a profile, ready to be drawn, by day, week or month.

use std::collections::BTreeMap;

use clap::ValueEnum;
use jiff::civil::Date;
use profile_sdk::{Handle, UserStats};

use super::text::{BOLD, one_line, width, with_separators, wrap};
use crate::terminal::Screen;

/// Minimum width of the summary beside a long handle.
const MIN_COLUMNS: usize = 20;

/// Maximum number of bars, unless they are months: a month of days.
const MAX_BARS: usize = 31;

/// The views by date.
pub(crate) type Daily = BTreeMap<String, u64>;

/// The view statistics of one profile, with text that is safe to print.
#[derive(Debug, Clone)]
pub(crate) struct ProfileViews {
    pub(super) handle: String,
    pub(super) total: Option<u64>,
    /// The number of days requested, and the views in them.
    pub(super) period: Option<(u64, u64)>,
    pub(super) by: Period,
    pub(super) bars: Daily,
    pub(super) devices: Vec<(String, u64)>,
    pub(super) countries: Vec<(String, u64)>,
}

impl ProfileViews {
    /// Creates the views with a bar for each period; without one, for the shortest that needs at most `MAX_BARS`
    /// bars, or for each month.
    pub(crate) fn new(handle: &Handle, stats: &UserStats, by: Option<Period>) -> Self {
        let daily = daily(stats);
        let fits = |by: &Period| by.sums(&daily).len() <= MAX_BARS;
        let by = by.or_else(|| [Period::Day, Period::Week].into_iter().find(fits));
        let by = by.unwrap_or(Period::Month);
        let bars = by.sums(&daily).into_iter();
        let countries = stats.countries.iter().flatten();
        let countries = countries.map(|country| (one_line(&country.code), country.views));
        let period = stats.period.as_ref();
        let period = period.map(|period| (period.days, period.views));
        Self {
            handle: one_line(handle.as_str()),
            total: stats.total_views,
            period: period.or_else(|| sum(&daily)),
            by,
            bars: summed(bars.map(|(date, views)| (one_line(&date), views))),
            devices: devices(stats),
            countries: countries.collect(),
        }
    }

    /// Returns the handle with the summary beside it.
    pub(super) fn heading(&self, screen: &Screen) -> String {
        let indent = width(&self.handle) + 2;
        let columns = screen.width.saturating_sub(indent).max(MIN_COLUMNS);
        let lines = wrap(&self.summary(), columns);
        let handle = screen.styled(BOLD, &self.handle);
        format!("{handle}  {}\n", lines.join(&format!("\n{:indent$}", "")))
    }

    /// Returns a one-line summary: `55 views in 3 days, 43,615 in all`.
    fn summary(&self) -> String {
        let period = self.period.map(|(days, views)| {
            let views = counted(views, "view");
            format!("{views} in {}", counted(days, "day"))
        });
        match (period, self.total) {
            (Some(period), Some(total)) => format!("{period}, {} in all", with_separators(total)),
            (Some(period), None) => period,
            (None, Some(total)) => format!("{} in all", counted(total, "view")),
            (None, None) => "no view counts".to_owned(),
        }
    }
}

/// Returns the number of days with data and the views in them, if there are any.
fn sum(daily: &Daily) -> Option<(u64, u64)> {
    let views = daily.values().copied().reduce(u64::saturating_add)?;
    Some((daily.len() as u64, views))
}

/// Returns the number with the noun in singular or plural.
fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", with_separators(number))
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
    let known = known.into_iter();
    let known = known.filter_map(|(name, views)| Some((name.to_owned(), views?)));
    let others = devices.extra.iter();
    let others = others.filter_map(|(name, views)| Some((one_line(name), views.as_u64()?)));
    known.chain(others).collect()
}

/// Returns the views of each date of the statistics.
pub(crate) fn daily(stats: &UserStats) -> Daily {
    let days = stats.daily.iter().flatten();
    summed(days.map(|day| (day.date.clone(), day.views)))
}

/// The period that a bar or a row covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Period {
    Day,
    Week,
    Month,
}

impl Period {
    /// Returns the legend for the bars; days need none.
    pub(super) fn legend(self) -> Option<&'static str> {
        match self {
            Self::Day => None,
            Self::Week => Some("each bar is one week, from the date shown to Sunday"),
            Self::Month => Some("each bar is one month; the first and last may be incomplete"),
        }
    }

    /// Returns the sum of each period that has views, with its first date. Text that is not a date is a period of its
    /// own.
    pub(crate) fn sums(self, daily: &Daily) -> Daily {
        let mut first_dates = BTreeMap::new();
        summed(daily.iter().map(|(text, &views)| {
            let first = match (self, date(text)) {
                (Self::Day, _) | (_, None) => text,
                (Self::Week, Some(date)) => {
                    let week = date.iso_week_date();
                    *first_dates
                        .entry((week.year(), week.week()))
                        .or_insert(text)
                }
                (Self::Month, Some(date)) => *first_dates
                    .entry((date.year(), date.month()))
                    .or_insert(text),
            };
            (first.clone(), views)
        }))
    }
}

/// Returns the sum of the views of each date.
fn summed(views: impl Iterator<Item = (String, u64)>) -> Daily {
    let mut sums = Daily::new();
    for (date, views) in views {
        let sum = sums.entry(date).or_default();
        *sum = sum.saturating_add(views);
    }
    sums
}

/// Returns the date, or `None` if the text is not YYYY-MM-DD.
fn date(text: &str) -> Option<Date> {
    let is_complete = text.len() == "YYYY-MM-DD".len();
    text.parse().ok().filter(|_| is_complete)
}

#[cfg(test)]
pub(super) fn sample(handle: &str, daily: &[u64]) -> ProfileViews {
    let daily = sample_days(daily);
    ProfileViews {
        handle: handle.to_owned(),
        total: Some(43_615),
        period: sum(&daily),
        by: Period::Day,
        bars: daily,
        devices: Vec::new(),
        countries: Vec::new(),
    }
}

/// Returns days of months that have 28 days.
#[cfg(test)]
fn sample_days(daily: &[u64]) -> Daily {
    let date = |day: usize| format!("2026-{:02}-{:02}", day / 28 + 1, day % 28 + 1);
    let days = daily.iter().enumerate();
    days.map(|(day, views)| (date(day), *views)).collect()
}

#[cfg(test)]
mod tests {
    use profile_sdk::{Handle, UserStats};
    use serde_json::json;

    use super::{Daily, Period, ProfileViews, date, sample_days};

    #[test]
    fn a_date_is_complete() {
        assert!(date("2026-01-05").is_some());
        for text in [
            "",
            "2026-13-01",
            "2026-1-01",
            "26-01-01",
            "today",
            "2026-01-01-01",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[track_caller]
    fn check(by: Period, dates: &[&str], expected: &[(&str, u64)]) {
        let daily: Daily = dates.iter().map(|date| ((*date).to_owned(), 1)).collect();
        let sums = by.sums(&daily);
        let sums: Vec<_> = sums.iter().map(|(date, sum)| (&**date, *sum)).collect();
        assert_eq!(sums, expected);
    }

    #[test]
    fn weeks_start_on_monday() {
        // January 5, 2026 and March 1, 2021 are Mondays.
        for (sunday, monday) in [("2026-01-04", "2026-01-05"), ("2021-02-28", "2021-03-01")] {
            check(Period::Week, &[sunday, monday], &[(sunday, 1), (monday, 1)]);
        }
        check(
            Period::Week,
            &["2025-12-29", "2026-01-04", "2026-01-06", "2026-01-11"],
            &[("2025-12-29", 2), ("2026-01-06", 2)],
        );
    }

    #[test]
    fn a_period_has_its_first_date_in_the_response() {
        let dates = ["2025-12-31", "2026-01-03", "2026-01-31", "2026-02-01"];
        let months = [("2025-12-31", 1), ("2026-01-03", 2), ("2026-02-01", 1)];
        check(Period::Month, &dates, &months);
        check(Period::Day, &dates[..1], &months[..1]);
    }

    #[test]
    fn text_that_is_not_a_date_has_its_own_bar() {
        let odd = ["day 01", "day 02"];
        check(Period::Month, &odd, &odd.map(|text| (text, 1)));
    }

    #[test]
    fn chooses_the_shortest_period_that_fits() {
        for (days, expected, bars) in [
            (31, Period::Day, 31),
            (32, Period::Week, 6),
            (300, Period::Month, 11),
        ] {
            let daily = sample_days(&vec![1; days]);
            let daily = daily
                .iter()
                .map(|(date, views)| json!({"date": date, "views": views}));
            let daily: Vec<_> = daily.collect();
            let stats: UserStats = serde_json::from_value(json!({ "daily": daily })).unwrap();
            let views = ProfileViews::new(&Handle::new("demo").unwrap(), &stats, None);
            assert_eq!((views.by, views.bars.len()), (expected, bars));
        }
    }
}

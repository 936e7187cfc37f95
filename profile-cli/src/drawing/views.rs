//! The view statistics of a profile, ready to be drawn, by day, week or month.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
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
    /// The views of the preceding period of the same length.
    pub(super) before: Option<u64>,
    pub(super) daily: BTreeMap<String, u64>,
    pub(super) devices: Vec<(String, u64)>,
    pub(super) countries: Vec<(String, u64)>,
}

impl ProfileViews {
    pub(crate) fn new(handle: &Handle, stats: &UserStats, before: Option<u64>) -> Self {
        let daily = stats.daily.iter().flatten();
        let daily = daily.map(|day| (one_line(&day.date), day.views));
        let countries = stats.countries.iter().flatten();
        let countries = countries.map(|country| (one_line(&country.code), country.views));
        let period = stats.period.as_ref();
        Self {
            handle: one_line(handle.as_str()),
            total: stats.total_views,
            period: period.map(|period| (period.days, period.views)),
            before,
            daily: summed(daily),
            devices: devices(stats),
            countries: countries.collect(),
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
            days => counted(days, "day"),
        };
        let before = with_separators(before);
        Some(format!("{sign}{change} from {before} in the {days} before"))
    }

    /// Returns a one-line summary: `55 views in 3 days, 43,615 in all`.
    pub(super) fn summary(&self) -> String {
        let period = self.period.or_else(|| self.sum());
        let period = period.map(|(days, views)| {
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

    /// Returns the number of days with data and the views in them, if there are any.
    fn sum(&self) -> Option<(u64, u64)> {
        let views = self.daily.values().copied().reduce(u64::saturating_add)?;
        Some((self.daily.len() as u64, views))
    }
}

/// Returns the number with the noun in singular or plural.
fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", with_separators(number))
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
    let known = known.into_iter();
    let known = known.filter_map(|(name, views)| Some((name.to_owned(), views?)));
    let others = devices.extra.iter();
    let others = others.filter_map(|(name, views)| Some((one_line(name), views.as_u64()?)));
    known.chain(others).collect()
}

/// Maximum number of lines: a month of days.
const MAX_LINES: usize = 31;

/// The period that one line of a drawing covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
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

    /// Maps each date to the label of its line. Text that is not a date has its own line.
    fn lines<'a>(self, dates: &[&'a str]) -> BTreeMap<&'a str, &'a str> {
        let mut weeks = BTreeMap::new();
        let lines = dates.iter().map(|&date| match (self, week(date)) {
            (Self::Day, _) | (_, None) => date,
            (Self::Month, Some(_)) => &date[..7],
            (Self::Week, Some(number)) => *weeks.entry(number).or_insert(date),
        });
        dates.iter().copied().zip(lines).collect()
    }
}

/// Groups views by the shortest period that needs at most `MAX_LINES` lines, or by month.
pub(super) fn group(views: &[ProfileViews]) -> (Period, Vec<ProfileViews>) {
    let dates: Vec<_> = dates(views).into_iter().collect();
    let fits = |unit: &Period| {
        let lines: BTreeSet<_> = unit.lines(&dates).into_values().collect();
        lines.len() <= MAX_LINES
    };
    let unit = [Period::Day, Period::Week].into_iter().find(fits);
    let unit = unit.unwrap_or(Period::Month);
    let lines = unit.lines(&dates);
    let on_line = |(date, views): (&String, &u64)| (lines[date.as_str()].to_owned(), *views);
    let grouped = views.iter().map(|views| ProfileViews {
        daily: summed(views.daily.iter().map(on_line)),
        ..views.clone()
    });
    (unit, grouped.collect())
}

/// Returns the sum of the views of each line.
fn summed(views: impl Iterator<Item = (String, u64)>) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for (line, views) in views {
        let sum: &mut u64 = sums.entry(line).or_default();
        *sum = sum.saturating_add(views);
    }
    sums
}

/// Returns the ISO week of the date, which starts on Monday, or `None` if the text is not
/// YYYY-MM-DD.
fn week(date: &str) -> Option<(i16, i8)> {
    let is_complete = date.len() == "YYYY-MM-DD".len();
    let date = date.parse::<Date>().ok().filter(|_| is_complete)?;
    let week = date.iso_week_date();
    Some((week.year(), week.week()))
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

#[cfg(test)]
mod tests {
    use super::{Period, ProfileViews, group, sample, week};

    #[test]
    fn weeks_start_on_monday() {
        // January 5, 2026 and March 1, 2021 are Mondays.
        for (sunday, monday) in [("2026-01-04", "2026-01-05"), ("2021-02-28", "2021-03-01")] {
            assert_ne!(week(sunday), week(monday));
        }
        assert_eq!(week("2026-01-05"), week("2026-01-11"));
        assert_eq!(week("2025-12-29"), week("2026-01-04"));
        for text in [
            "",
            "2026-13-01",
            "2026-1-01",
            "26-01-01",
            "today",
            "2026-01-01-01",
        ] {
            assert_eq!(week(text), None, "{text}");
        }
    }

    #[track_caller]
    fn check(days: usize, expected: Period, first: &[(&str, u64)]) {
        let (unit, views) = group(&[sample("demo", &vec![1; days])]);
        assert_eq!(unit, expected);
        let lines: Vec<_> = views[0].daily.iter().collect();
        let lines = lines
            .into_iter()
            .map(|(line, count)| (line.as_str(), *count));
        let lines: Vec<_> = lines.take(first.len()).collect();
        assert_eq!(lines, first);
    }

    #[test]
    fn chooses_the_shortest_period_that_fits() {
        check(31, Period::Day, &[("2026-01-01", 1)]);
        // The sample's months have 28 days.
        check(32, Period::Week, &[("2026-01-01", 4), ("2026-01-05", 7)]);
        check(300, Period::Month, &[("2026-01", 28), ("2026-02", 28)]);
    }

    #[test]
    fn profiles_share_lines() {
        let mut later = sample("grace", &[1; 40]);
        later.daily.pop_first();
        let (_, views) = group(&[sample("demo", &[1; 40]), later]);
        assert_eq!(views[0].daily["2026-01-01"], 4);
        assert_eq!(views[1].daily["2026-01-01"], 3);
    }

    #[test]
    fn text_that_is_not_a_date_has_its_own_line() {
        let daily = (0..40).map(|day| (format!("day {day:02}"), 1)).collect();
        let odd = ProfileViews {
            daily,
            ..sample("demo", &[])
        };
        let (_, views) = group(&[odd]);
        assert_eq!(views[0].daily.len(), 40);
    }
}

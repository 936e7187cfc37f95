//! The view statistics of a profile by day, week or month, and their drawing as horizontal bars.

use std::collections::BTreeMap;

use clap::ValueEnum;
use jiff::civil::Date;
use profile_sdk::{Handle, UserStats};

use super::text::{
    BOLD, DIM, MAX_WIDTH, max_width, one_line, pad_left, pad_right, percent, width,
    with_separators, wrap,
};
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
    handle: String,
    total: Option<u64>,
    /// The number of days requested, and the views in them.
    period: Option<(u64, u64)>,
    by: Period,
    bars: Daily,
    devices: Vec<(String, u64)>,
    countries: Vec<(String, u64)>,
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
    fn heading(&self, screen: &Screen) -> String {
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
    fn legend(self) -> Option<&'static str> {
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
            let period = date(text).and_then(|date| match self {
                Self::Day => None,
                Self::Week => Some((date.iso_week_date().year(), date.iso_week_date().week())),
                Self::Month => Some((date.year(), date.month())),
            });
            let first = period.map_or(text, |period| *first_dates.entry(period).or_insert(text));
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

/// Columns between the date and the bar.
const GAP: usize = 2;

/// Maximum number of bars below a summary. In a longer chart, it comes last, where it stays visible.
const MAX_BELOW_SUMMARY: usize = 14;

/// Draws one bar per day, week or month, with the shares of devices and countries below.
pub(super) fn draw(views: &ProfileViews, screen: &Screen) -> String {
    let legend = views.by.legend().map(|legend| screen.styled(DIM, legend));
    let legend = legend.map(|legend| legend + "\n").unwrap_or_default();
    let heading = views.heading(screen);
    let (chart, shares) = (draw_chart(&views.bars, screen), draw_shares(views, screen));
    match views.bars.len() > MAX_BELOW_SUMMARY {
        true => format!("{legend}{chart}{shares}\n{heading}"),
        false => format!("{heading}{legend}\n{chart}{shares}"),
    }
}

fn draw_chart(bars: &Daily, screen: &Screen) -> String {
    if bars.is_empty() {
        return "No daily statistics available.\n".to_owned();
    }
    let max_views = bars.values().copied().max().unwrap_or_default();
    let date_width = max_width(bars.keys());
    let beside = date_width + GAP + with_separators(max_views).len() + 1;
    let width = screen.width.min(MAX_WIDTH);
    let bar_width = width.saturating_sub(beside).max(1);
    let line = |(date, &count): (&String, &u64)| {
        let date = screen.styled(DIM, &pad_right(date, date_width));
        let bar = bar(count, max_views, bar_width);
        let space = if bar.is_empty() { "" } else { " " };
        format!("{date}{:GAP$}{bar}{space}{}\n", "", with_separators(count))
    };
    bars.iter().map(line).collect()
}

/// Blocks from one eighth to full width.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Returns a bar of at most `columns` columns. Any value above 0 is visible; 0 is an empty string.
fn bar(value: u64, max_views: u64, columns: usize) -> String {
    if value == 0 || max_views == 0 {
        return String::new();
    }
    let eighths = u128::from(value) * (columns as u128 * 8) / u128::from(max_views);
    let eighths = usize::try_from(eighths).unwrap_or(columns * 8).max(1);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8 - 1]);
    }
    bar
}

/// Maximum number of parts drawn by name; the rest are summed up as "others".
const MAX_NAMED: usize = 10;

/// Maximum width of a bar.
const MAX_BAR_WIDTH: usize = 40;

/// Draws the shares of devices and countries.
fn draw_shares(views: &ProfileViews, screen: &Screen) -> String {
    let mut drawn = String::new();
    let drawings = [("devices", &views.devices), ("countries", &views.countries)];
    let drawings = drawings.map(|(title, parts)| (title, largest(parts)));
    // Use the same scale for devices and countries. A full bar is 100 %.
    let columns = drawings.iter().map(|(_, parts)| {
        let (name_width, number_width) = widths(parts);
        let beside = name_width + number_width + "  100.0 %    ".len();
        screen.width.saturating_sub(beside).clamp(1, MAX_BAR_WIDTH)
    });
    let columns = columns.min().unwrap_or(MAX_BAR_WIDTH);
    for (title, parts) in drawings.iter().filter(|(_, parts)| !parts.is_empty()) {
        let title = screen.styled(BOLD, title);
        drawn += &format!("\n{title}\n{}", draw_parts(parts, columns));
    }
    drawn
}

/// Returns the widths of the names and of the numbers.
fn widths(parts: &[(String, u64)]) -> (usize, usize) {
    let names = parts.iter().map(|(name, _)| name);
    let numbers = parts.iter().map(|(_, views)| with_separators(*views));
    (max_width(names), max_width(numbers))
}

fn draw_parts(parts: &[(String, u64)], columns: usize) -> String {
    let sum = parts.iter().map(|(_, views)| u128::from(*views)).sum();
    let all = u64::try_from(sum).unwrap_or(u64::MAX);
    let (name_width, number_width) = widths(parts);
    let line = |(name, views): &(String, u64)| {
        format!(
            "{}  {}  {}  {}",
            pad_right(name, name_width),
            pad_left(&percent(*views, sum), "100.0 %".len()),
            pad_left(&with_separators(*views), number_width),
            bar(*views, all, columns),
        )
    };
    let lines = parts.iter().map(line);
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns the largest parts by name, and the rest as one.
fn largest(parts: &[(String, u64)]) -> Vec<(String, u64)> {
    let mut parts = parts.to_vec();
    parts.sort_by_key(|(_, views)| std::cmp::Reverse(*views));
    if parts.len() > MAX_NAMED + 1 {
        let rest = parts.split_off(MAX_NAMED);
        let views = rest.iter().map(|(_, views)| *views);
        let views = views.fold(0, u64::saturating_add);
        parts.push((format!("{} others", rest.len()), views));
    }
    parts
}

#[cfg(test)]
fn sample(handle: &str, daily: &[u64]) -> ProfileViews {
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
    use expect_test::expect;
    use profile_sdk::{Handle, UserStats};
    use serde_json::json;

    use super::{
        Daily, MAX_BAR_WIDTH, Period, ProfileViews, Screen, bar, date, draw, draw_parts, largest,
        sample, sample_days,
    };

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

    fn screen(width: usize) -> Screen {
        Screen {
            width,
            ..Screen::plain()
        }
    }

    #[test]
    fn every_value_above_zero_is_visible() {
        assert_eq!(bar(0, 9, 8), "");
        assert_eq!(bar(1, 9, 8), "▉");
        assert_eq!(bar(1, 1_000_000, 8), "▏");
        assert_eq!(bar(9, 9, 8), "████████");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "███");
        assert_eq!(bar(0, 0, 3), "");
    }

    #[test]
    fn draws_one_line_per_day() {
        let views = ProfileViews {
            devices: vec![("desktop".to_owned(), 6), ("mobile".to_owned(), 4)],
            countries: vec![("DE".to_owned(), 1), ("US".to_owned(), 9_999)],
            ..sample("demo", &[9, 1, 0, 4])
        };
        expect![[r#"
            demo  14 views in 4 days, 43,615 in all

            2026-01-01  ██████████████████████████████████████████████ 9
            2026-01-02  █████ 1
            2026-01-03  0
            2026-01-04  ████████████████████▍ 4

            devices
            desktop   60.0 %  6  ███████████████████████▍
            mobile    40.0 %  4  ███████████████▌

            countries
            US  100.0 %  9,999  ██████████████████████████████████████▉
            DE   <0.1 %      1  ▏
        "#]]
        .assert_eq(&draw(&views, &screen(60)));
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let views = sample("demo", &[3, 18, 1_000]);
        for width in 20..120 {
            let drawn = draw(&views, &screen(width));
            let rows = drawn.lines().filter(|line| line.starts_with("2026"));
            assert!(
                rows.map(|line| line.chars().count())
                    .all(|columns| columns <= width)
            );
        }
    }

    #[test]
    fn reports_missing_daily_statistics() {
        expect![[r#"
            demo  43,615 views in all

            No daily statistics available.
        "#]]
        .assert_eq(&draw(&sample("demo", &[]), &screen(60)));
    }

    #[test]
    fn sums_up_the_rest_of_many_parts() {
        let parts: Vec<_> = (0..14)
            .map(|index| (format!("C{index}"), index * 10))
            .collect();
        expect![[r#"
            C13        14.3 %  130  █████▋
            C12        13.2 %  120  █████▎
            C11        12.1 %  110  ████▊
            C10        11.0 %  100  ████▍
            C9          9.9 %   90  ███▉
            C8          8.8 %   80  ███▌
            C7          7.7 %   70  ███
            C6          6.6 %   60  ██▋
            C5          5.5 %   50  ██▏
            C4          4.4 %   40  █▊
            4 others    6.6 %   60  ██▋
        "#]]
        .assert_eq(&draw_parts(&largest(&parts), MAX_BAR_WIDTH));
    }
}

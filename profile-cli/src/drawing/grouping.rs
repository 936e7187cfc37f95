//! Groups days into weeks or months if there are too many for one line each.

use std::collections::BTreeMap;

use jiff::civil::{Date, ISOWeekDate};

use super::views::{ProfileViews, dates};

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
        let mut lines = BTreeMap::new();
        let mut current = None;
        for &date in dates {
            let line = match (self, week(date)) {
                (Self::Day, _) | (_, None) => date,
                (Self::Month, Some(_)) => &date[..7],
                (Self::Week, Some(number)) => match current {
                    Some((of_line, line)) if of_line == number => line,
                    _ => {
                        current = Some((number, date));
                        date
                    }
                },
            };
            lines.insert(date, line);
        }
        lines
    }
}

/// Groups views by the shortest period that needs at most `MAX_LINES` lines, or by month.
pub(super) fn group(views: &[ProfileViews]) -> (Period, Vec<ProfileViews>) {
    let dates: Vec<_> = dates(views).into_iter().collect();
    let fits = |unit: &Period| {
        let lines = unit.lines(&dates);
        let mut lines: Vec<_> = lines.values().collect();
        lines.dedup();
        lines.len() <= MAX_LINES
    };
    let unit = [Period::Day, Period::Week].into_iter().find(fits);
    let unit = unit.unwrap_or(Period::Month);
    let lines = unit.lines(&dates);
    let grouped = views.iter().map(|views| ProfileViews {
        daily: on_lines(&views.daily, &lines),
        ..views.clone()
    });
    (unit, grouped.collect())
}

fn on_lines(daily: &BTreeMap<String, u64>, lines: &BTreeMap<&str, &str>) -> BTreeMap<String, u64> {
    let mut grouped = BTreeMap::new();
    for (date, views) in daily {
        let line = lines.get(date.as_str()).copied().unwrap_or(date);
        let sum: &mut u64 = grouped.entry(line.to_owned()).or_default();
        *sum = sum.saturating_add(*views);
    }
    grouped
}

/// Returns the ISO week of the date, which starts on Monday, or `None` if the text is not
/// YYYY-MM-DD.
fn week(date: &str) -> Option<(i16, i8)> {
    let date: Date = date
        .parse()
        .ok()
        .filter(|_| date.len() == "YYYY-MM-DD".len())?;
    let week = ISOWeekDate::from(date);
    Some((week.year(), week.week()))
}

#[cfg(test)]
mod tests {
    use super::super::views::{ProfileViews, sample};
    use super::{Period, group, week};

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

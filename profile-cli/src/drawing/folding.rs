//! Days put together to weeks or months, where there are too many to read one by one.

use std::collections::BTreeMap;

use super::views::{Views, dates};

/// The lines that can be read at a glance: those of a month of days.
const MOST_LINES: usize = 31;

/// What a line of a drawing stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
}

impl Unit {
    /// What is said of the bars, unless they are of days.
    pub(super) fn legend(self) -> Option<&'static str> {
        match self {
            Self::Day => None,
            Self::Week => Some("each bar is one week, from the date shown to Sunday"),
            Self::Month => Some("each bar is one month; the first and last may be incomplete"),
        }
    }

    /// For each date the first line that it belongs to; what is no date has its own.
    fn lines<'a>(self, dates: &[&'a str]) -> BTreeMap<&'a str, &'a str> {
        let mut lines = BTreeMap::new();
        let mut week = None;
        for &date in dates {
            let line = match (self, day_number(date)) {
                (Self::Day, _) | (_, None) => date,
                (Self::Month, Some(_)) => &date[..7],
                (Self::Week, Some(day)) => {
                    let number = week_number(day);
                    match week {
                        Some((of_line, line)) if of_line == number => line,
                        _ => {
                            week = Some((number, date));
                            date
                        }
                    }
                }
            };
            lines.insert(date, line);
        }
        lines
    }
}

/// The same views on as few lines as can be read, and what each line stands for.
pub(super) fn folded(views: &[Views]) -> (Unit, Vec<Views>) {
    let dates: Vec<_> = dates(views).into_iter().collect();
    let fits = |unit: &Unit| {
        let lines = unit.lines(&dates);
        let mut lines: Vec<_> = lines.values().collect();
        lines.dedup();
        lines.len() <= MOST_LINES
    };
    let unit = [Unit::Day, Unit::Week].into_iter().find(fits);
    let unit = unit.unwrap_or(Unit::Month);
    let lines = unit.lines(&dates);
    let folded = views.iter().map(|views| Views {
        daily: on_lines(&views.daily, &lines),
        ..views.clone()
    });
    (unit, folded.collect())
}

fn on_lines(daily: &BTreeMap<String, u64>, lines: &BTreeMap<&str, &str>) -> BTreeMap<String, u64> {
    let mut folded = BTreeMap::new();
    for (date, views) in daily {
        let line = lines.get(date.as_str()).copied().unwrap_or(date);
        let sum: &mut u64 = folded.entry(line.to_owned()).or_default();
        *sum = sum.saturating_add(*views);
    }
    folded
}

/// Weeks begin on Mondays, and day 0 is a Wednesday.
fn week_number(day: i64) -> i64 {
    (day + 2).div_euclid(7)
}

/// Days since the 1st of March of the year 0; none for what is not written as YYYY-MM-DD.
fn day_number(date: &str) -> Option<i64> {
    let parts: Vec<_> = date.split('-').collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let year: i64 = year.parse().ok()?;
    let month: i64 = month
        .parse()
        .ok()
        .filter(|month| (1..=12).contains(month))?;
    let day: i64 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
    // A year that begins in March ends with the day that some years have more.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + (153 * month + 2) / 5 + day - 1)
}

#[cfg(test)]
mod tests {
    use super::super::views::{Views, sample};
    use super::{Unit, day_number, folded, week_number};

    #[test]
    fn days_are_counted_over_every_boundary() {
        for (earlier, later, days) in [
            ("2026-01-31", "2026-02-01", 1),
            ("2026-02-28", "2026-03-01", 1),
            ("2024-02-28", "2024-03-01", 2),
            ("1900-02-28", "1900-03-01", 1),
            ("2000-02-28", "2000-03-01", 2),
            ("2025-12-31", "2026-01-01", 1),
            ("2025-01-01", "2026-01-01", 365),
        ] {
            let number = |date| day_number(date).unwrap();
            assert_eq!(number(later) - number(earlier), days, "{earlier}");
        }
        for text in [
            "",
            "2026-13-01",
            "2026-1-01",
            "26-01-01",
            "today",
            "2026-01-01-01",
        ] {
            assert_eq!(day_number(text), None, "{text}");
        }
    }

    #[test]
    fn a_week_begins_on_monday() {
        let week = |date| week_number(day_number(date).unwrap());
        // Both are known: the 5th of January 2026 and the 1st of March 2021 were Mondays.
        for (sunday, monday) in [("2026-01-04", "2026-01-05"), ("2021-02-28", "2021-03-01")] {
            assert_eq!(week(sunday) + 1, week(monday));
        }
        assert_eq!(week("2026-01-05"), week("2026-01-11"));
    }

    #[track_caller]
    fn check(days: usize, expected: Unit, first: &[(&str, u64)]) {
        let (unit, views) = folded(&[sample("demo", &vec![1; days])]);
        assert_eq!(unit, expected);
        let lines: Vec<_> = views[0].daily.iter().collect();
        let lines = lines
            .into_iter()
            .map(|(line, count)| (line.as_str(), *count));
        let lines: Vec<_> = lines.take(first.len()).collect();
        assert_eq!(lines, first);
    }

    #[test]
    fn the_finest_that_can_be_read_is_taken() {
        check(31, Unit::Day, &[("2026-01-01", 1)]);
        // The sample's months have 28 days.
        check(32, Unit::Week, &[("2026-01-01", 4), ("2026-01-05", 7)]);
        check(300, Unit::Month, &[("2026-01", 28), ("2026-02", 28)]);
    }

    #[test]
    fn profiles_share_their_lines() {
        let mut later = sample("grace", &[1; 40]);
        later.daily.pop_first();
        let (_, views) = folded(&[sample("demo", &[1; 40]), later]);
        assert_eq!(views[0].daily["2026-01-01"], 4);
        assert_eq!(views[1].daily["2026-01-01"], 3);
    }

    #[test]
    fn what_is_no_date_stays_on_a_line_of_its_own() {
        let daily = (0..40).map(|day| (format!("day {day:02}"), 1)).collect();
        let odd = Views {
            daily,
            ..sample("demo", &[])
        };
        let (_, views) = folded(&[odd]);
        assert_eq!(views[0].daily.len(), 40);
    }
}

//! Daily views as a sparkline.

use jiff::ToSpan as _;
use jiff::civil::Date;
use profile_sdk::Days;

use super::bar::color;
use super::text::{DIM, max_width, pad_right, with_separators};
use super::views::{ProfileViews, dates, max_views};
use crate::terminal::Screen;

/// Blocks from one eighth to full height.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws one character per day, with the same scale for all profiles. Long lines are wrapped.
pub(super) fn draw(views: &[ProfileViews], screen: &Screen) -> String {
    let dates = every_day(dates(views).into_iter().map(str::to_owned).collect());
    let max_views = max_views(views);
    let date_width = max_width(dates.iter().map(String::as_str));
    let columns = screen.width.saturating_sub(2 * (date_width + 2)).max(1);
    let mut drawn = String::new();
    for (index, views) in views.iter().enumerate() {
        drawn += &views.heading(screen);
        for chunk in dates.chunks(columns) {
            let counts = chunk.iter().map(|date| views.daily.get(date));
            let line: String = counts
                .map(|count| height(count.copied(), max_views))
                .collect();
            let line = pad_right(&line, dates.len().min(columns));
            let first = chunk.first().map_or("", String::as_str);
            let last = chunk.last().map_or("", String::as_str);
            drawn += &format!(
                "{}  {}  {}\n",
                screen.styled(DIM, &pad_right(first, date_width)),
                screen.styled(color(index), &line),
                screen.styled(DIM, last),
            );
        }
    }
    if views.len() > 1 {
        let scale = format!(
            "same scale for all: █ is {} views a day",
            with_separators(max_views)
        );
        drawn += &format!("{}\n", screen.styled(DIM, &scale));
    }
    drawn
}

/// Adds the days that are missing between the first and the last date, unless the dates are not days
/// of a period that can be requested.
fn every_day(dates: Vec<String>) -> Vec<String> {
    let parsed: Result<Vec<Date>, _> = dates.iter().map(|date| date.parse()).collect();
    let (Ok(Some(first)), Ok(Some(last))) = (
        parsed.as_ref().map(|days| days.iter().min()),
        parsed.as_ref().map(|days| days.iter().max()),
    ) else {
        return dates;
    };
    let days = first.series(1.day()).take_while(|day| day <= last);
    let days: Vec<_> = days.take(usize::from(Days::MAX_OWN) + 1).collect();
    match days.last() == Some(last) {
        true => days.iter().map(Date::to_string).collect(),
        false => dates,
    }
}

/// Returns the character for a day: a space if it is missing, and the lowest block for 0.
fn height(count: Option<u64>, max_views: u64) -> char {
    match count {
        None => ' ',
        Some(0) => HEIGHTS[0],
        Some(count) => {
            let steps = u128::from(count) * 7 / u128::from(max_views.max(1));
            HEIGHTS[usize::try_from(steps).unwrap_or(7).clamp(1, 7)]
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::views::sample;
    use super::{Screen, draw};

    #[test]
    fn profiles_share_a_scale() {
        let views = [
            sample("demo", &[9, 1, 0, 4, 5]),
            sample("grace", &[3, 18, 6]),
        ];
        expect![[r#"
            demo  19 views in 5 days, 43,615 in all
            2026-01-01  ▄▂▁▂▂  2026-01-05
            grace  27 views in 3 days, 43,615 in all
            2026-01-01  ▂█▃    2026-01-05
            same scale for all: █ is 18 views a day
        "#]]
        .assert_eq(&draw(&views, &Screen::plain()));
    }

    #[test]
    fn a_missing_day_is_a_gap() {
        let mut views = sample("demo", &[9, 0, 5, 5]);
        views.daily.remove("2026-01-03");
        let drawn = draw(&[views], &Screen::plain());
        assert!(drawn.contains("2026-01-01  █▁ ▄  2026-01-04"), "{drawn}");
        let mut hostile = sample("demo", &[9, 0]);
        hostile.daily.insert("9999-12-31".to_owned(), 1);
        assert!(draw(&[hostile], &Screen::plain()).len() < 200);
    }

    #[test]
    fn wraps_long_lines() {
        let daily: Vec<u64> = (0..90).collect();
        let screen = Screen {
            width: 60,
            ..Screen::plain()
        };
        expect![[r#"
            demo  4,005 views in 90 days, 43,615 in all
            2026-01-01  ▁▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▃▃   ▃▃▃▃▃  2026-02-05
            2026-02-06  ▃▃▃▃▃▃▄▄▄▄▄▄▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆  2026-03-13
            2026-03-14  ▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇   ▇▇▇▇▇█              2026-04-06
        "#]]
        .assert_eq(&draw(&[sample("demo", &daily)], &screen));
    }
}

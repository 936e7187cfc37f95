//! Views as charts: horizontal bars, with the shares of devices and countries below, or a sparkline.

use anstyle::{AnsiColor, Style};
use jiff::ToSpan as _;
use jiff::civil::Date;
use profile_sdk::Days;

use super::text::{BOLD, DIM, MAX_WIDTH, max_width, pad_left, pad_right, percent, with_separators};
use super::views::{ProfileViews, dates, group, max_views};
use crate::terminal::Screen;

/// Columns between the date and the bar.
const GAP: usize = 2;

/// Maximum number of bars below a summary. In a longer chart of one profile, it comes last, where it
/// stays visible.
const MAX_BARS: usize = 14;

/// Draws one bar per day, week or month, with the same scale for all profiles.
pub(super) fn draw_bars(views: &[ProfileViews], screen: &Screen) -> String {
    let (unit, bars) = group(views);
    let legend = unit.legend().map(|legend| screen.styled(DIM, legend));
    let legend = legend.map(|legend| legend + "\n").unwrap_or_default();
    let mut drawn = String::new();
    let is_long = dates(&bars).len() > MAX_BARS && views.len() == 1;
    for (index, (one, one_bars)) in views.iter().zip(&bars).enumerate() {
        if index > 0 {
            drawn.push('\n');
        }
        let heading = one.heading(screen);
        match is_long {
            true => drawn += &legend,
            false => drawn += &format!("{heading}{legend}\n"),
        }
        drawn += &draw_chart(one_bars, &bars, screen);
        drawn += &draw_shares(one, screen);
        if is_long {
            drawn += &format!("\n{heading}");
        }
    }
    drawn
}

/// Draws the bars of one profile, with the dates and the scale that all share.
fn draw_chart(one: &ProfileViews, all: &[ProfileViews], screen: &Screen) -> String {
    let (dates, max_views) = (dates(all), max_views(all));
    let date_width = max_width(&dates);
    let beside = date_width + GAP + with_separators(max_views).len() + 1;
    let width = screen.width.min(MAX_WIDTH);
    let bar_width = width.saturating_sub(beside).max(1);
    let mut drawn = String::new();
    for &date in &dates {
        let mut line = screen.styled(DIM, &pad_right(date, date_width));
        if let Some(&count) = one.daily.get(date) {
            let bar = bar(count, max_views, bar_width);
            let space = if bar.is_empty() { "" } else { " " };
            let bar = screen.styled(color(0), &bar);
            line += &format!("{:GAP$}{bar}{space}{}", "", with_separators(count));
        }
        drawn += &format!("{}\n", line.trim_end());
    }
    if dates.is_empty() {
        drawn += "No daily statistics available.\n";
    }
    drawn
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

/// Returns a color that is readable on light and dark terminals.
fn color(index: usize) -> Style {
    use AnsiColor::{Blue, Cyan, Green, Magenta};
    let colors = [Blue, Magenta, Cyan, Green];
    Style::new().fg_color(Some(colors[index % colors.len()].into()))
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
        drawn += &format!("\n{title}\n{}", draw_parts(parts, columns, screen));
    }
    drawn
}

/// Returns the widths of the names and of the numbers.
fn widths(parts: &[(String, u64)]) -> (usize, usize) {
    let names = parts.iter().map(|(name, _)| name);
    let numbers = parts.iter().map(|(_, views)| with_separators(*views));
    (max_width(names), max_width(numbers))
}

fn draw_parts(parts: &[(String, u64)], columns: usize, screen: &Screen) -> String {
    let sum = parts.iter().map(|(_, views)| u128::from(*views)).sum();
    let all = u64::try_from(sum).unwrap_or(u64::MAX);
    let (name_width, number_width) = widths(parts);
    let line = |(name, views): &(String, u64)| {
        let bar = bar(*views, all, columns);
        format!(
            "{}  {}  {}  {}",
            pad_right(name, name_width),
            pad_left(&percent(*views, sum), "100.0 %".len()),
            pad_left(&with_separators(*views), number_width),
            screen.styled(color(0), &bar),
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

/// Blocks from one eighth to full height.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws one character per day, with the same scale for all profiles. Long lines are wrapped.
pub(super) fn draw_sparklines(views: &[ProfileViews], screen: &Screen) -> String {
    let dates = every_day(dates(views).into_iter().map(str::to_owned).collect());
    let max_views = max_views(views);
    let date_width = max_width(&dates);
    let columns = screen.width.saturating_sub(2 * (date_width + 2)).max(1);
    let mut drawn = String::new();
    for (index, views) in views.iter().enumerate() {
        drawn += &views.heading(screen);
        for chunk in dates.chunks(columns) {
            let counts = chunk.iter().map(|date| views.daily.get(date).copied());
            let heights = counts.map(|count| height(count, max_views));
            let line = pad_right(&heights.collect::<String>(), dates.len().min(columns));
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
        let max_views = with_separators(max_views);
        let scale = format!("same scale for all: █ is {max_views} views a day");
        drawn += &format!("{}\n", screen.styled(DIM, &scale));
    }
    drawn
}

/// Adds the days that are missing between the first and the last date, unless the dates are not days
/// of a period that can be requested.
fn every_day(dates: Vec<String>) -> Vec<String> {
    let parsed: Result<Vec<Date>, _> = dates.iter().map(|date| date.parse()).collect();
    let days = parsed.unwrap_or_default();
    let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else {
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

    use super::{MAX_BAR_WIDTH, Screen, bar, draw_bars, draw_parts, draw_sparklines, largest};
    use crate::drawing::views::{ProfileViews, sample};

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
        .assert_eq(&draw_bars(&[views], &screen(60)));
    }

    #[test]
    fn bars_share_a_scale() {
        let views = [sample("demo", &[9, 1, 0]), sample("grace", &[3, 18, 1_000])];
        expect![[r#"
            demo  10 views in 3 days, 43,615 in all

            2026-01-01  ▏ 9
            2026-01-02  ▏ 1
            2026-01-03  0

            grace  1,021 views in 3 days, 43,615 in
                   all

            2026-01-01  ▏ 3
            2026-01-02  ▍ 18
            2026-01-03  ██████████████████████ 1,000
        "#]]
        .assert_eq(&draw_bars(&views, &screen(40)));
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let views = [sample("demo", &[9, 1, 0]), sample("grace", &[3, 18, 1_000])];
        for width in 20..120 {
            let drawn = draw_bars(&views, &screen(width));
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
        .assert_eq(&draw_bars(&[sample("demo", &[])], &screen(60)));
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
        .assert_eq(&draw_parts(
            &largest(&parts),
            MAX_BAR_WIDTH,
            &Screen::plain(),
        ));
    }

    #[test]
    fn sparklines_share_a_scale() {
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
        .assert_eq(&draw_sparklines(&views, &Screen::plain()));
    }

    #[test]
    fn a_missing_day_is_a_gap() {
        let mut views = sample("demo", &[9, 0, 5, 5]);
        views.daily.remove("2026-01-03");
        let drawn = draw_sparklines(&[views], &Screen::plain());
        assert!(drawn.contains("2026-01-01  █▁ ▄  2026-01-04"), "{drawn}");
        let mut hostile = sample("demo", &[9, 0]);
        hostile.daily.insert("9999-12-31".to_owned(), 1);
        assert!(draw_sparklines(&[hostile], &Screen::plain()).len() < 200);
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
        .assert_eq(&draw_sparklines(&[sample("demo", &daily)], &screen));
    }
}

//! Views as horizontal bars, with the shares of devices and countries below.

use super::text::{BOLD, DIM, MAX_WIDTH, max_width, pad_left, pad_right, percent, with_separators};
use super::views::{Daily, ProfileViews};
use crate::terminal::Screen;

/// Columns between the date and the bar.
const GAP: usize = 2;

/// Maximum number of bars below a summary. In a longer chart, it comes last, where it stays visible.
const MAX_BELOW_SUMMARY: usize = 14;

/// Draws one bar per day, week or month.
pub(super) fn draw_bars(views: &ProfileViews, screen: &Screen) -> String {
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
mod tests {
    use expect_test::expect;

    use super::{MAX_BAR_WIDTH, Screen, bar, draw_bars, draw_parts, largest};
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
        .assert_eq(&draw_bars(&views, &screen(60)));
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let views = sample("demo", &[3, 18, 1_000]);
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
        .assert_eq(&draw_bars(&sample("demo", &[]), &screen(60)));
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

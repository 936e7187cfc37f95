//! The shares of devices and countries in the views.

use super::bar::{bar, color};
use super::text::{BOLD, max_width, pad_left, pad_right, percent, with_separators};
use super::views::ProfileViews;
use crate::terminal::Screen;

/// Maximum number of parts drawn by name; the rest are summed up as "others".
const MAX_NAMED: usize = 10;

/// Maximum width of a bar.
const MAX_BAR_WIDTH: usize = 40;

/// Draws the shares of devices and countries.
pub(super) fn draw(views: &ProfileViews, screen: &Screen) -> String {
    let mut drawn = String::new();
    let drawings = [("devices", &views.devices), ("countries", &views.countries)];
    let drawings = drawings.map(|(title, parts)| (title, largest(parts)));
    // Use the same scale for devices and countries.
    let columns = drawings.iter().map(|(_, parts)| columns_for(parts, screen));
    let columns = columns.min().unwrap_or(MAX_BAR_WIDTH);
    for (title, parts) in &drawings {
        if parts.is_empty() {
            continue;
        }
        let title = screen.styled(BOLD, title);
        drawn += &format!("\n{title}\n{}", draw_parts(parts, columns, screen));
    }
    drawn
}

/// Returns the widths of the names and of the numbers.
fn widths(parts: &[(String, u64)]) -> (usize, usize) {
    let numbers = parts.iter().map(|(_, views)| with_separators(*views));
    let numbers: Vec<_> = numbers.collect();
    let name_width = max_width(parts.iter().map(|(name, _)| name.as_str()));
    (name_width, max_width(numbers.iter().map(String::as_str)))
}

/// Returns the width that is left for bars beside these parts. A full bar is 100 %.
fn columns_for(parts: &[(String, u64)], screen: &Screen) -> usize {
    let (name_width, number_width) = widths(parts);
    let beside = name_width + number_width + "  100.0 %    ".len();
    screen.width.saturating_sub(beside).clamp(1, MAX_BAR_WIDTH)
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
        let views = rest
            .iter()
            .fold(0, |sum: u64, (_, views)| sum.saturating_add(*views));
        parts.push((format!("{} others", rest.len()), views));
    }
    parts
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{MAX_BAR_WIDTH, Screen, draw_parts, largest};

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
}

//! Daily views as a line of small columns.

use super::bars::color;
use super::text::{BOLD, DIM, filled, thousands, widest};
use super::views::{Views, dates, most};
use crate::terminal::screen::Screen;

/// Columns of eight heights.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws a character for each day, every profile against the same scale; a line that would be too
/// long goes on below.
pub(super) fn draw(views: &[Views], screen: &Screen) -> String {
    let dates: Vec<_> = dates(views).into_iter().collect();
    let most = most(views);
    let date_width = widest(dates.iter().copied());
    let columns = screen.width.saturating_sub(2 * (date_width + 2)).max(1);
    let mut drawn = String::new();
    for (index, views) in views.iter().enumerate() {
        let handle = screen.styled(BOLD, &views.handle);
        drawn += &format!("{handle}  {}\n", views.summary());
        for chunk in dates.chunks(columns) {
            let counts = chunk.iter().map(|date| views.daily.get(*date));
            let line: String = counts.map(|count| height(count.copied(), most)).collect();
            let line = filled(&line, dates.len().min(columns));
            let first = chunk.first().copied().unwrap_or_default();
            let last = chunk.last().copied().unwrap_or_default();
            drawn += &format!(
                "{}  {}  {}\n",
                screen.styled(DIM, &filled(first, date_width)),
                screen.styled(color(index), &line),
                screen.styled(DIM, last),
            );
        }
    }
    if views.len() > 1 {
        let scale = format!("same scale for all: █ is {} views a day", thousands(most));
        drawn += &format!("{}\n", screen.styled(DIM, &scale));
    }
    drawn
}

/// A day's column. What is above 0 can be seen; 0 and an unknown number are an empty place.
fn height(count: Option<u64>, most: u64) -> char {
    match count {
        None | Some(0) => ' ',
        Some(count) => {
            let eighths = u128::from(count) * 8 / u128::from(most.max(1));
            HEIGHTS[usize::try_from(eighths).unwrap_or(8).clamp(1, 8) - 1]
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
            2026-01-01  ▄▁ ▁▂  2026-01-05
            grace  27 views in 3 days, 43,615 in all
            2026-01-01  ▁█▂    2026-01-05
            same scale for all: █ is 18 views a day
        "#]]
        .assert_eq(&draw(&views, &Screen::plain()));
    }

    #[test]
    fn long_lines_go_on_below() {
        let daily: Vec<u64> = (0..90).collect();
        let screen = Screen {
            width: 60,
            ..Screen::plain()
        };
        expect![[r#"
            demo  4,005 views in 90 days, 43,615 in all
            2026-01-01   ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▂▂▂▂▂▂▂▂▂▂▂▃▃  2026-02-08
            2026-02-09  ▃▃▃▃▃▃▃▃▃▄▄▄▄▄▄▄▄▄▄▄▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆  2026-03-16
            2026-03-17  ▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇█                    2026-04-06
        "#]]
        .assert_eq(&draw(&[sample("demo", &daily)], &screen));
    }
}

//! Daily views as a sparkline.

use super::bar::color;
use super::text::{DIM, max_width, pad_right, with_separators};
use super::views::{ProfileViews, dates, max_views};
use crate::terminal::screen::Screen;

/// Blocks from one eighth to full height.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws one character per day, with the same scale for all profiles. Long lines are wrapped.
pub(super) fn draw(views: &[ProfileViews], screen: &Screen) -> String {
    let dates: Vec<_> = dates(views).into_iter().collect();
    let max_views = max_views(views);
    let date_width = max_width(dates.iter().copied());
    let columns = screen.width.saturating_sub(2 * (date_width + 2)).max(1);
    let mut drawn = String::new();
    for (index, views) in views.iter().enumerate() {
        drawn += &views.heading(screen);
        for chunk in dates.chunks(columns) {
            let counts = chunk.iter().map(|date| views.daily.get(*date));
            let line: String = counts
                .map(|count| height(count.copied(), max_views))
                .collect();
            let line = pad_right(&line, dates.len().min(columns));
            let first = chunk.first().copied().unwrap_or_default();
            let last = chunk.last().copied().unwrap_or_default();
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

/// Returns the character for a day. Any number above 0 is visible; 0 and unknown are spaces.
fn height(count: Option<u64>, max_views: u64) -> char {
    match count {
        None | Some(0) => ' ',
        Some(count) => {
            let eighths = u128::from(count) * 8 / u128::from(max_views.max(1));
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
    fn wraps_long_lines() {
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

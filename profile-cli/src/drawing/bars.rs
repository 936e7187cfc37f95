//! Daily views as horizontal bars, and the shares of devices and countries below.

use super::bar::{bar, color};
use super::grouping::group;
use super::shares;
use super::text::{DIM, MAX_WIDTH, max_width, pad_right, with_separators};
use super::views::{ProfileViews, dates, max_views};
use crate::terminal::Screen;

/// Columns between the date and the bar.
const GAP: usize = 2;

/// Maximum number of bars below a summary. In a longer chart of one profile, it comes last, where it
/// stays visible.
const MAX_BARS: usize = 14;

/// Draws one bar per day, week or month, with the same scale for all profiles.
pub(super) fn draw(views: &[ProfileViews], screen: &Screen) -> String {
    let (unit, bars) = group(views);
    let chart = Chart::new(&bars, screen);
    let legend = unit.legend().map(|legend| screen.styled(DIM, legend));
    let legend = legend.map(|legend| legend + "\n").unwrap_or_default();
    let mut drawn = String::new();
    for (index, (one, bars)) in views.iter().zip(&bars).enumerate() {
        if index > 0 {
            drawn.push('\n');
        }
        let is_long = chart.dates.len() > MAX_BARS && views.len() == 1;
        let heading = one.heading(screen);
        match is_long {
            true => drawn += &legend,
            false => drawn += &format!("{heading}{legend}\n"),
        }
        drawn += &chart.draw(bars);
        drawn += &shares::draw(one, screen);
        if is_long {
            drawn += &format!("\n{heading}");
        }
    }
    drawn
}

/// The dates and the scale that all bars share.
struct Chart<'a> {
    dates: Vec<&'a str>,
    max_views: u64,
    date_width: usize,
    number_width: usize,
    screen: &'a Screen,
}

impl<'a> Chart<'a> {
    fn new(views: &'a [ProfileViews], screen: &'a Screen) -> Self {
        let dates: Vec<_> = dates(views).into_iter().collect();
        let max_views = max_views(views);
        Self {
            date_width: max_width(dates.iter().copied()),
            number_width: with_separators(max_views).len(),
            dates,
            max_views,
            screen,
        }
    }

    fn draw(&self, views: &ProfileViews) -> String {
        let beside = self.date_width + GAP + self.number_width + 1;
        let width = self.screen.width.min(MAX_WIDTH);
        let bar_width = width.saturating_sub(beside).max(1);
        let mut drawn = String::new();
        for &date in &self.dates {
            let mut line = self.screen.styled(DIM, &pad_right(date, self.date_width));
            if let Some(&count) = views.daily.get(date) {
                let bar = bar(count, self.max_views, bar_width);
                let space = if bar.is_empty() { "" } else { " " };
                let bar = self.screen.styled(color(0), &bar);
                line += &format!("{:GAP$}{bar}{space}{}", "", with_separators(count));
            }
            drawn += &format!("{}\n", line.trim_end());
        }
        if self.dates.is_empty() {
            drawn += "No daily statistics available.\n";
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::views::{ProfileViews, sample};
    use super::{Screen, bar, draw};

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
        .assert_eq(&draw(&[views], &screen(60)));
    }

    #[test]
    fn profiles_share_a_scale() {
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
        .assert_eq(&draw(&views, &screen(40)));
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let views = [sample("demo", &[9, 1, 0]), sample("grace", &[3, 18, 1_000])];
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
        .assert_eq(&draw(&[sample("demo", &[])], &screen(60)));
    }
}

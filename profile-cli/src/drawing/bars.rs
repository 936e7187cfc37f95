//! Views as horizontal bars, and the shares of devices and countries below.

use anstyle::{AnsiColor, Style};

use super::folding::folded;
use super::shares;
use super::text::{BOLD, DIM, filled, thousands, widest};
use super::views::{Views, dates, most};
use crate::terminal::screen::Screen;

/// What stands between two columns.
const GAP: usize = 2;

/// The least columns that a bar and its number are drawn side by side with another's.
const LEAST_CELL: usize = 20;

/// Parts of a full block, from an eighth up.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Draws the days from the first to the last, or the weeks or months of many, and every profile
/// against the same scale: side by side where the screen is wide enough, else below each other.
pub(super) fn draw(views: &[Views], screen: &Screen) -> String {
    let (unit, bars) = folded(views);
    let chart = Chart::new(&bars, screen);
    let legend = unit.legend().map(|legend| screen.styled(DIM, legend));
    let legend = legend.map(|legend| legend + "\n").unwrap_or_default();
    let summary = |views: &Views| {
        let handle = screen.styled(BOLD, &views.handle);
        format!("{handle}  {}\n", views.summary())
    };
    let mut drawn = String::new();
    if views.len() > 1 && chart.cell(views.len()) >= LEAST_CELL {
        drawn.extend(views.iter().map(summary));
        drawn += &format!("{legend}\n{}{}", chart.names(&bars), chart.draw(&bars));
        for views in views {
            drawn += &shares::draw(views, true, screen);
        }
        return drawn;
    }
    for (index, one) in views.iter().enumerate() {
        if index > 0 {
            drawn.push('\n');
        }
        drawn += &format!("{}{legend}\n", summary(one));
        drawn += &chart.draw(&bars[index..=index]);
        drawn += &shares::draw(one, false, screen);
    }
    drawn
}

/// A bar of this many columns at most. What is above 0 can be seen; 0 is no bar.
pub(super) fn bar(value: u64, most: u64, columns: usize) -> String {
    if value == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(value) * (columns as u128 * 8) / u128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(columns * 8).max(1);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8 - 1]);
    }
    bar
}

/// The scale that all bars share.
struct Chart<'a> {
    dates: Vec<&'a str>,
    most: u64,
    date_width: usize,
    number_width: usize,
    screen: &'a Screen,
}

impl<'a> Chart<'a> {
    fn new(views: &'a [Views], screen: &'a Screen) -> Self {
        let dates: Vec<_> = dates(views).into_iter().collect();
        let most = most(views);
        Self {
            date_width: widest(dates.iter().copied()),
            number_width: thousands(most).len(),
            dates,
            most,
            screen,
        }
    }

    /// The columns of a bar with its number, with so many beside each other.
    fn cell(&self, count: usize) -> usize {
        let free = self.screen.width.saturating_sub(self.date_width);
        (free / count).saturating_sub(GAP)
    }

    /// The handles above their bars.
    fn names(&self, views: &[Views]) -> String {
        let cell = self.cell(views.len());
        let mut line = " ".repeat(self.date_width);
        for (index, views) in views.iter().enumerate() {
            let name = filled(&views.handle, cell);
            line += &format!("{:GAP$}{}", "", self.screen.styled(color(index), &name));
        }
        format!("{}\n", line.trim_end())
    }

    fn draw(&self, views: &[Views]) -> String {
        let cell = self.cell(views.len());
        let bar_width = cell.saturating_sub(self.number_width + 1).max(1);
        let mut drawn = String::new();
        for &date in &self.dates {
            let mut line = self.screen.styled(DIM, &filled(date, self.date_width));
            for (index, views) in views.iter().enumerate() {
                let Some(&count) = views.daily.get(date) else {
                    line += &" ".repeat(GAP + cell);
                    continue;
                };
                let bar = bar(count, self.most, bar_width);
                let number = thousands(count);
                let text = match bar.is_empty() {
                    true => number,
                    false => format!("{bar} {number}"),
                };
                let rest = filled(&text, cell);
                let rest = rest.strip_prefix(&bar).unwrap_or(&rest);
                line += &format!(
                    "{:GAP$}{}{rest}",
                    "",
                    self.screen.styled(color(index), &bar)
                );
            }
            drawn += &format!("{}\n", line.trim_end());
        }
        if self.dates.is_empty() {
            drawn += "No daily statistics available.\n";
        }
        drawn
    }
}

/// Colours that can be told apart on a light and on a dark terminal.
pub(super) fn color(index: usize) -> Style {
    let colors = [
        AnsiColor::Blue,
        AnsiColor::Magenta,
        AnsiColor::Cyan,
        AnsiColor::Green,
    ];
    Style::new().fg_color(Some(colors[index % colors.len()].into()))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::views::{Views, sample};
    use super::{Screen, bar, draw};

    fn screen(width: usize) -> Screen {
        Screen {
            width,
            ..Screen::plain()
        }
    }

    #[test]
    fn whatever_is_above_nothing_can_be_seen() {
        assert_eq!(bar(0, 9, 8), "");
        assert_eq!(bar(1, 9, 8), "▉");
        assert_eq!(bar(1, 1_000_000, 8), "▏");
        assert_eq!(bar(9, 9, 8), "████████");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "███");
        assert_eq!(bar(0, 0, 3), "");
    }

    #[test]
    fn one_profile_has_a_line_for_each_day() {
        let views = Views {
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
    fn several_profiles_share_a_scale() {
        let views = [sample("demo", &[9, 1, 0]), sample("grace", &[3, 18, 1_000])];
        expect![[r#"
            demo  10 views in 3 days, 43,615 in all
            grace  1,021 views in 3 days, 43,615 in all

                        demo                               grace
            2026-01-01  ▏ 9                                ▏ 3
            2026-01-02  ▏ 1                                ▍ 18
            2026-01-03  0                                  ███████████████████████████ 1,000
        "#]]
        .assert_eq(&draw(&views, &screen(80)));
        expect![[r#"
            demo  10 views in 3 days, 43,615 in all

            2026-01-01  ▏ 9
            2026-01-02  ▏ 1
            2026-01-03  0

            grace  1,021 views in 3 days, 43,615 in all

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
    fn no_days_are_told_of() {
        expect![[r#"
            demo  43,615 views in all

            No daily statistics available.
        "#]]
        .assert_eq(&draw(&[sample("demo", &[])], &screen(60)));
    }
}

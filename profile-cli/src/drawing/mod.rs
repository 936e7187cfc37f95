//! Drawings of results for people. Each is a pure function of its data and the screen. Badges and figures, in aligned
//! columns, are drawn here.

mod card;
mod changes;
pub(crate) mod text;
mod views;

use profile_sdk::{Badge, Profile};
use serde_json::Value;

use crate::terminal::Screen;
use text::{BOLD, DIM, max_width, one_line, pad_left, pad_right, swatch, with_separators, wrap};

pub(crate) use card::{Contrast, rate, scope_names, text_and_background};
pub(crate) use changes::Change;
pub(crate) use views::{Period, ProfileViews, daily};

/// The data of a drawing.
#[derive(Debug, Clone)]
pub(crate) enum Drawing {
    /// A profile with the fields that its owner sees.
    Card(Box<Profile>),
    Badges(Vec<Badge>),
    /// Names and numbers.
    Figures(Vec<(String, Value)>),
    /// Views of a profile, with a bar per day, week or month.
    Bars(Box<ProfileViews>),
    /// Changes, and the text below them.
    Changes {
        changes: Vec<Change>,
        below: String,
    },
}

impl Drawing {
    /// Renders the drawing in lines that fit the screen.
    pub(crate) fn draw(&self, screen: &Screen) -> String {
        match self {
            Self::Card(profile) => card::draw(profile, screen),
            Self::Badges(badges) => draw_badges(badges, screen),
            Self::Figures(figures) => draw_figures(figures, screen),
            Self::Bars(views) => views::draw(views, screen),
            Self::Changes { changes, below } => changes::draw(changes, below, screen),
        }
    }
}

const INDENT: &str = "   ";

/// Draws each badge on a line, with its description below.
fn draw_badges(badges: &[Badge], screen: &Screen) -> String {
    if badges.is_empty() {
        return "There are no badges.\n".to_owned();
    }
    let name_width = max_width(badges.iter().map(|badge| one_line(&badge.name)));
    let id_width = max_width(badges.iter().map(|badge| one_line(&badge.id)));
    let mut drawn = String::new();
    for badge in badges {
        let color = badge.color.as_deref().unwrap_or_default();
        let kind = badge.kind.as_ref().map(|kind| one_line(kind.as_str()));
        let line = format!(
            "{}{}  {}  {}  {}",
            swatch(color, screen),
            screen.styled(BOLD, &pad_right(&one_line(&badge.name), name_width)),
            pad_right(&one_line(&badge.id), id_width),
            pad_right(&one_line(color), "#rrggbb".len()),
            kind.unwrap_or_default(),
        );
        drawn += &format!("{}\n", line.trim_end());
        let description = badge.description.as_deref().unwrap_or_default();
        for line in wrap(description, screen.width.saturating_sub(INDENT.len())) {
            if !line.is_empty() {
                drawn += &format!("{INDENT}{}\n", screen.styled(DIM, &line));
            }
        }
    }
    drawn
}

/// Draws the names in one column and the numbers, right-aligned, in the next. Other values are text.
fn draw_figures(figures: &[(String, Value)], screen: &Screen) -> String {
    let name_width = max_width(figures.iter().map(|(name, _)| one_line(name)));
    let count = |value: &Value| value.as_u64().map(with_separators);
    let count_width = max_width(figures.iter().filter_map(|(_, value)| count(value)));
    let lines = figures.iter().map(|(name, value)| {
        let name = screen.styled(BOLD, &pad_right(&one_line(name), name_width));
        let count = count(value).map(|count| pad_left(&count, count_width));
        let shown = count.unwrap_or_else(|| one_line(&value.to_string()));
        format!("{name}  {shown}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use profile_sdk::Badge;
    use serde_json::json;

    use super::{Screen, draw_badges, draw_figures};

    fn badges() -> Vec<Badge> {
        serde_json::from_str(
            r##"[
            {"id": "early", "name": "Early bird", "color": "#f59e0b", "kind": "auto",
             "description": "Joined in the first year of the service"},
            {"id": "日本", "name": "J", "color": "odd\u001b"}
        ]"##,
        )
        .unwrap()
    }

    #[test]
    fn columns_are_aligned() {
        let screen = Screen {
            width: 30,
            ..Screen::plain()
        };
        expect![[r#"
            Early bird  early  #f59e0b  auto
               Joined in the first year of
               the service
            J           日本   odd
        "#]]
        .assert_eq(&draw_badges(&badges(), &screen));
    }

    #[test]
    fn draws_swatches_if_the_screen_has_colors() {
        let screen = Screen {
            palette: Some(crate::terminal::Palette::Full),
            ..Screen::plain()
        };
        expect![[r#"
            ESC[48;2;245;158;11m  ESC[0m ESC[1mEarly birdESC[0m  early  #f59e0b  auto
               ESC[2mJoined in the first year of the serviceESC[0m
        "#]]
        .assert_eq(&draw_badges(&badges()[..1], &screen).replace('\x1b', "ESC"));
    }

    #[test]
    fn aligns_numbers_to_the_right() {
        let figures = [
            ("views".to_owned(), json!(43_615)),
            ("likes".to_owned(), json!(7)),
            ("social".to_owned(), json!("plenty")),
        ];
        assert_eq!(
            draw_figures(&figures, &Screen::plain()),
            "views   43,615\nlikes        7\nsocial  \"plenty\"\n"
        );
    }
}

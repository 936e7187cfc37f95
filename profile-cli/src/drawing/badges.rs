//! Badges with their colors.

use profile_sdk::Badge;

use super::text::{BOLD, DIM, max_width, one_line, pad_right, swatch, wrap};
use crate::terminal::Screen;

const INDENT: &str = "   ";

/// Draws each badge on a line, with its description below.
pub(super) fn draw(badges: &[Badge], screen: &Screen) -> String {
    if badges.is_empty() {
        return "There are no badges.\n".to_owned();
    }
    let names: Vec<_> = badges.iter().map(|badge| one_line(&badge.name)).collect();
    let ids: Vec<_> = badges.iter().map(|badge| one_line(&badge.id)).collect();
    let name_width = max_width(names.iter().map(String::as_str));
    let id_width = max_width(ids.iter().map(String::as_str));
    let mut drawn = String::new();
    for ((badge, name), id) in badges.iter().zip(&names).zip(&ids) {
        let color = badge.color.as_deref().unwrap_or_default();
        let kind = badge.kind.as_ref().map(|kind| one_line(kind.as_str()));
        let line = format!(
            "{}{}  {}  {}  {}",
            swatch(color, screen),
            screen.styled(BOLD, &pad_right(name, name_width)),
            pad_right(id, id_width),
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

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use profile_sdk::Badge;

    use super::{Screen, draw};

    fn badges() -> Vec<Badge> {
        serde_json::from_str(
            r##"[
                {"id": "early", "name": "Early bird", "color": "#f59e0b", "kind": "auto",
                 "description": "Joined in the first year of the service"},
                {"id": "日本", "name": "J", "color": "odd\u001b[31m"}
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
        .assert_eq(&draw(&badges(), &screen));
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
        .assert_eq(&draw(&badges()[..1], &screen).replace('\x1b', "ESC"));
    }
}

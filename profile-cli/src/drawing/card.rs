//! A profile as a card, and the contrast of its text on its background.

use std::fmt;

use anstyle::Style;
use jiff::civil::Date;
use profile_sdk::{Color, FieldKind, Link, Post, Profile, ProfileField, RateLimit, Scope, Scopes};
use serde_json::Value;

use super::text::{
    BOLD, DIM, MAX_WIDTH, one_line, pad_right, swatch, width, with_separators, wrap,
};
use crate::terminal::Screen;

/// Width of the column of field names.
const NAME_WIDTH: usize = 12;

/// Draws the name and the bio, followed by the other fields.
pub(super) fn draw(profile: &Profile, screen: &Screen) -> String {
    let columns = screen.width.min(MAX_WIDTH);
    let mut card = Card {
        screen,
        value_width: columns.saturating_sub(NAME_WIDTH).max(10),
        drawn: String::new(),
    };
    card.heading(profile, columns);
    card.texts(profile);
    card.colors(profile);
    card.lists(profile);
    card.key(profile);
    card.drawn
}

struct Card<'a> {
    screen: &'a Screen,
    value_width: usize,
    drawn: String,
}

impl Card<'_> {
    fn heading(&mut self, profile: &Profile, columns: usize) {
        let name = profile.display_name.as_deref().map(one_line);
        let name = name.filter(|name| !name.trim().is_empty());
        let handle = profile.handle.as_ref();
        let handle = handle.map(|handle| format!("@{}", one_line(handle.as_str())));
        let heading = match (name, handle) {
            (Some(name), Some(handle)) => {
                let handle = self.screen.styled(DIM, &handle);
                format!("{}  {handle}", self.screen.styled(BOLD, &name))
            }
            (name, handle) => {
                let name = name.or(handle).unwrap_or_else(|| "Your profile".to_owned());
                self.screen.styled(BOLD, &name)
            }
        };
        let accent = Color::new(profile.accent_color.as_deref().unwrap_or_default());
        let style = accent.map_or(DIM, |accent| {
            Style::new().fg_color(self.screen.nearest(accent.rgb()))
        });
        let rule = self.screen.styled(style, &"─".repeat(columns));
        self.drawn += &format!("{heading}\n{rule}\n");
        let bio = profile.bio.as_deref().unwrap_or_default();
        if !bio.is_empty() {
            self.drawn += &format!("{}\n\n", wrap(bio, columns).join("\n"));
        }
    }

    fn texts(&mut self, profile: &Profile) {
        for field in ProfileField::ALL {
            let is_in_heading = matches!(field, ProfileField::DisplayName | ProfileField::Bio);
            if !is_in_heading && field.kind() != FieldKind::Color {
                self.text(field.description(), profile.get(*field));
            }
        }
        self.text("email", profile.email.as_deref());
        if let Some(visible) = &profile.api_visible {
            let visible = match visible.as_bool() {
                Some(true) => "shown".to_owned(),
                Some(false) => "hidden".to_owned(),
                None => visible.raw().to_string(),
            };
            self.text("in the API", Some(&visible));
        }
    }

    fn colors(&mut self, profile: &Profile) {
        let colors = ProfileField::ALL.iter();
        for field in colors.filter(|field| field.kind() == FieldKind::Color) {
            if let Some(color) = profile.get(*field) {
                let swatch = swatch(color, self.screen);
                let name = field.description().trim_end_matches(" color");
                self.lines(name, &[format!("{swatch}{}", one_line(color))]);
            }
        }
        let Some(colors) = text_and_background(|field| profile.get(field)) else {
            return;
        };
        let nearest = |color: &Color| self.screen.nearest(color.rgb());
        let [text, background] = colors.each_ref().map(nearest);
        let contrast = Contrast::of(colors);
        let mut line = contrast.to_string();
        if self.screen.palette.is_some() {
            let style = Style::new().fg_color(text).bg_color(background);
            line += &format!("  {}", self.screen.styled(style, " text on background "));
        }
        let mut lines = vec![line];
        if !contrast.is_readable() {
            lines.push(format!("hard to read, below {MIN_READABLE}:1"));
        }
        self.lines("contrast", &lines);
    }

    fn lists(&mut self, profile: &Profile) {
        if let Some(links) = &profile.links {
            let titles = links.iter().map(|link| width(&title(link)));
            let short = titles.filter(|width| *width <= self.value_width / 3);
            let title_width = short.max().unwrap_or_default();
            let lines = links.iter().flat_map(|link| self.link(link, title_width));
            let lines: Vec<_> = lines.collect();
            self.lines_or_none("links", &lines);
        }
        if let Some(posts) = &profile.posts {
            let lines: Vec<_> = posts.iter().flat_map(|post| self.post(post)).collect();
            self.lines_or_none("posts", &lines);
        }
        if let Some(badges) = &profile.badges {
            let lines = badges.iter().map(|badge| {
                let swatch = swatch(badge.color.as_deref().unwrap_or_default(), self.screen);
                format!("{swatch}{}", one_line(&badge.name))
            });
            self.lines_or_none("badges", &lines.collect::<Vec<_>>());
        }
    }

    /// Returns a link on one line if it fits. URLs are never broken, so that they can be copied.
    fn link(&self, link: &Link, title_width: usize) -> Vec<String> {
        let url = one_line(link.url.as_deref().unwrap_or_default());
        let title = title(link);
        let fits =
            width(&title) <= title_width && title_width + 2 + width(&url) <= self.value_width;
        if fits {
            return vec![format!("{}  {url}", pad_right(&title, title_width))];
        }
        let mut lines = wrap(&title, self.value_width);
        lines.push(format!("  {url}"));
        lines
    }

    /// Returns the text of a post beside its date, if the service sends one.
    fn post(&self, post: &Post) -> Vec<String> {
        let created_at = post.extra.get("created_at").and_then(Value::as_str);
        let date = created_at.and_then(|time| time.get(.."YYYY-MM-DD".len()));
        let date = date.filter(|date| date.parse::<Date>().is_ok());
        let mark = date.map_or("· ".to_owned(), |date| format!("{date}  "));
        let indent = " ".repeat(width(&mark));
        let body = post.body.as_deref().unwrap_or_default();
        let lines = wrap(body, self.value_width.saturating_sub(indent.len()));
        let marks = [mark].into_iter().chain(std::iter::repeat(indent));
        let lines = marks.zip(lines).map(|(mark, line)| mark + &line);
        lines.collect()
    }

    fn key(&mut self, profile: &Profile) {
        let Some(key) = &profile.key else { return };
        let scopes = key.scopes.as_ref();
        let scopes = scopes.map(|scopes| scope_names(scopes).join(", "));
        if scopes.is_some() || key.rate_limit.is_some() {
            self.drawn.push('\n');
        }
        self.text("key scopes", scopes.as_deref());
        let rate_limit = key.rate_limit.as_ref().map(rate);
        self.text("rate limit", rate_limit.as_deref());
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.lines(name, &wrap(value, self.value_width));
        }
    }

    fn lines_or_none(&mut self, name: &str, lines: &[String]) {
        self.drawn.push('\n');
        match lines {
            [] => self.lines(name, &["none".to_owned()]),
            _ => self.lines(name, lines),
        }
    }

    /// Draws the lines, with the name beside the first.
    fn lines(&mut self, name: &str, lines: &[String]) {
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let name = self.screen.styled(DIM, &pad_right(name, NAME_WIDTH));
            let line = format!("{name}{line}");
            self.drawn += &format!("{}\n", line.trim_end());
        }
    }
}

pub(crate) fn scope_names(scopes: &Scopes) -> Vec<&str> {
    scopes.iter().map(Scope::as_str).collect()
}

/// Returns the rate limit in words.
pub(crate) fn rate(limit: &RateLimit) -> String {
    let requests = limit.limit().map(with_separators);
    match (requests, limit.window_seconds()) {
        (Some(requests), Some(60)) => format!("{requests} requests a minute"),
        (Some(requests), Some(window)) => {
            format!("{requests} requests in {} seconds", with_separators(window))
        }
        // The unit is unknown, so the raw value is shown.
        _ => match limit.raw().as_str() {
            Some(text) => text.to_owned(),
            None => limit.raw().to_string(),
        },
    }
}

fn title(link: &Link) -> String {
    one_line(link.title.as_deref().unwrap_or_default())
}

/// Returns the colors of the text and of the background in fields with these values, if both are known.
pub(crate) fn text_and_background<'a>(
    value: impl Fn(ProfileField) -> Option<&'a str>,
) -> Option<[Color; 2]> {
    let color = |field| Color::new(value(field)?).ok();
    Some([
        color(ProfileField::TextColor)?,
        color(ProfileField::BackgroundColor)?,
    ])
}

/// Minimum contrast for text of normal size in the Web Content Accessibility Guidelines (WCAG 2.2,
/// criterion 1.4.3).
const MIN_READABLE: f64 = 4.5;

/// The contrast ratio of two colors, from 1 to 21.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contrast(f64);

impl Contrast {
    /// Returns the contrast of two colors, in either order.
    pub(crate) fn of(colors: [Color; 2]) -> Self {
        let [one, other] = colors.map(|color| luminance(color.rgb()));
        Self((one.max(other) + 0.05) / (one.min(other) + 0.05))
    }

    fn is_readable(self) -> bool {
        self.0 >= MIN_READABLE
    }

    /// Returns a warning if the text is hard to read.
    pub(crate) fn warning(self) -> Option<String> {
        (!self.is_readable()).then(|| {
            format!(
                "the contrast of text_color on background_color is {self}; \
                 text below {MIN_READABLE}:1 is hard to read"
            )
        })
    }
}

impl fmt::Display for Contrast {
    /// Rounds down to a tenth, so that a contrast just below the minimum does not look sufficient.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:1", (self.0 * 10.0 + 1e-9).floor() / 10.0)
    }
}

/// Returns the relative luminance, from 0 for black to 1 for white.
fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|part| {
        let part = f64::from(part) / 255.0;
        match part <= 0.04045 {
            true => part / 12.92,
            false => ((part + 0.055) / 1.055).powf(2.4),
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use profile_sdk::Profile;

    use super::{Contrast, Screen, draw};

    const PROFILE: &str = r##"{
        "handle": "demo", "display_name": "Demo 日本 Person",
        "bio": "I live inside a mock server, and this line is so long that it has to be wrapped somewhere.\r\nEdit me 👩‍🚀.\u001b",
        "location": "127.0.0.1", "email": "demo@example.com", "api_visible": 1,
        "accent_color": "#2563eb", "text_color": "#777777", "background_color": "#ffffff",
        "links": [
            {"id": "1", "title": "Homepage", "url": "https://example.com/demo"},
            {"id": "2", "title": "A title that takes more than its part of the line", "url": "https://example.com/demo/code/that/is/longer/than/the/card/is/wide/and/whole"}
        ],
        "posts": [{"id": "3", "body": "Hello\nfrom the mock server!"}],
        "badges": [{"id": "early", "name": "Early bird", "color": "#f59e0b"}],
        "key": {"scopes": ["profile:write", "analytics:read", "links:write", "social:write"],
                "rate_limit": {"limit": 1000000, "window_seconds": 60}}
    }"##;

    fn drawn(json: &str, width: usize, color: bool) -> String {
        let profile: Profile = serde_json::from_str(json).unwrap();
        let screen = Screen {
            width,
            palette: color.then_some(crate::terminal::Palette::Full),
            ..Screen::plain()
        };
        draw(&profile, &screen)
    }

    #[track_caller]
    fn check(json: &str, width: usize, color: bool, expected: &Expect) {
        expected.assert_eq(&drawn(json, width, color).replace('\x1b', "ESC"));
    }

    #[test]
    fn wraps_at_the_width_of_the_screen() {
        check(
            PROFILE,
            60,
            false,
            &expect![[r#"
                Demo 日本 Person  @demo
                ────────────────────────────────────────────────────────────
                I live inside a mock server, and this line is so long that
                it has to be wrapped somewhere.
                Edit me 👩‍🚀.

                location    127.0.0.1
                email       demo@example.com
                in the API  shown
                accent      #2563eb
                text        #777777
                background  #ffffff
                contrast    4.4:1
                            hard to read, below 4.5:1

                links       Homepage  https://example.com/demo
                            A title that takes more than its part of the
                            line
                              https://example.com/demo/code/that/is/longer/than/the/card/is/wide/and/whole

                posts       · Hello
                              from the mock server!

                badges      Early bird

                key scopes  profile:write, analytics:read, links:write,
                            social:write
                rate limit  1,000,000 requests a minute
            "#]],
        );
    }

    #[test]
    fn a_wider_screen_needs_fewer_line_breaks() {
        let card = drawn(PROFILE, 100, false);
        assert!(card.contains(&format!("\n{}\n", "─".repeat(100))), "{card}");
        for whole in [
            "so long that it has to be wrapped somewhere.\n",
            "A title that takes more than its part of the line\n",
            "links:write, social:write\n",
        ] {
            assert!(card.contains(whole), "{card}");
        }
    }

    #[test]
    fn draws_swatches_if_the_screen_has_colors() {
        let json = r##"{"display_name": "Ada", "accent_color": "#2563eb",
            "text_color": "#000000", "background_color": "#ffffff",
            "badges": [{"id": "e", "name": "Early", "color": "#f59e0b"}]}"##;
        check(
            json,
            20,
            true,
            &expect![[r#"
            ESC[1mAdaESC[0m
            ESC[38;2;37;99;235m────────────────────ESC[0m
            ESC[2maccent      ESC[0mESC[48;2;37;99;235m  ESC[0m #2563eb
            ESC[2mtext        ESC[0mESC[48;2;0;0;0m  ESC[0m #000000
            ESC[2mbackground  ESC[0mESC[48;2;255;255;255m  ESC[0m #ffffff
            ESC[2mcontrast    ESC[0m21:1  ESC[38;2;0;0;0mESC[48;2;255;255;255m text on background ESC[0m

            ESC[2mbadges      ESC[0mESC[48;2;245;158;11m  ESC[0m Early
        "#]],
        );
    }

    #[test]
    fn omits_absent_fields() {
        check(
            "{}",
            20,
            false,
            &expect![[r#"
            Your profile
            ────────────────────
        "#]],
        );
        let odd = r#"{"display_name": "", "bio": "", "accent_color": "red", "links": [],
            "posts": [{}], "api_visible": "maybe", "key": {"rate_limit": "100 per hour"}}"#;
        check(
            odd,
            40,
            false,
            &expect![[r#"
            Your profile
            ────────────────────────────────────────
            in the API  "maybe"
            accent      red

            links       none

            posts       ·

            rate limit  100 per hour
        "#]],
        );
    }

    #[track_caller]
    fn check_contrast(text: &str, background: &str, expected: &str, is_readable: bool) {
        let contrast = Contrast::of([text, background].map(|color| color.parse().unwrap()));
        assert_eq!(contrast.to_string(), expected);
        assert_eq!(contrast.is_readable(), is_readable);
        assert_eq!(contrast.warning().is_none(), is_readable);
    }

    #[test]
    fn computes_the_ratio_of_the_guidelines() {
        check_contrast("#000000", "#ffffff", "21:1", true);
        check_contrast("#ffffff", "#000000", "21:1", true);
        check_contrast("#123456", "#123456", "1:1", false);
        check_contrast("#ff0000", "#ffffff", "3.9:1", false);
    }

    #[test]
    fn rounds_down_just_below_the_minimum() {
        check_contrast("#767676", "#ffffff", "4.5:1", true);
        check_contrast("#777777", "#ffffff", "4.4:1", false);
    }
}

//! The client and the service have the same limits.

use std::cell::RefCell;

use mock_server::{Request, World, handle};
use profile_sdk::{Bio, Color, Days, DisplayName, Location};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::select;
use serde_json::json;

use crate::cases::for_all;

/// Characters of different lengths in bytes, code units and scalar values.
const PIECES: [&str; 6] = ["x", "é", "e\u{301}", "🦀", "👩‍👩‍👧", "\u{2028}"];

/// The service, called without the checks of the client.
struct Service {
    world: World,
}

impl Service {
    fn new() -> Self {
        Self {
            world: World::default(),
        }
    }

    #[track_caller]
    fn accepts_field(&mut self, field: &str, value: &str) -> bool {
        let body = json!({field: value}).to_string();
        let request = Request::new("PATCH", "/api/v1/me/profile")
            .header("content-type", "application/json")
            .body(body);
        self.accepts(request)
    }

    #[track_caller]
    fn accepts_days(&mut self, handle: &str, days: u16) -> bool {
        let target = format!("/api/v1/users/{handle}/stats?days={days}");
        self.accepts(Request::new("GET", &target))
    }

    #[track_caller]
    fn accepts(&mut self, request: Request) -> bool {
        let bearer = format!("Bearer {}", self.world.keys().all);
        let request = request.header("authorization", bearer);
        match handle(&mut self.world, &request).status {
            200 => true,
            422 => false,
            status => panic!("{status} for {request:?}"),
        }
    }
}

/// Returns texts of `max - 2` to `max + 2` characters.
fn texts_around(max: usize) -> impl Iterator<Item = String> {
    PIECES.into_iter().flat_map(move |piece| {
        (max - 2..=max + 2).map(move |length| piece.chars().cycle().take(length).collect())
    })
}

#[test]
pub(crate) fn text_limits_match() {
    let mut service = Service::new();
    for text in texts_around(DisplayName::MAX_CHARACTERS) {
        let client = DisplayName::new(text.as_str()).is_ok();
        let service_result = service.accepts_field("display_name", &text);
        assert_eq!(client, service_result, "{text:?}");
    }
    for text in texts_around(Location::MAX_CHARACTERS) {
        let client = Location::new(text.as_str()).is_ok();
        let service_result = service.accepts_field("location", &text);
        assert_eq!(client, service_result, "{text:?}");
    }
    for text in texts_around(Bio::MAX_CHARACTERS) {
        let client = Bio::new(text.as_str()).is_ok();
        assert_eq!(client, service.accepts_field("bio", &text), "{text:?}");
    }
}

/// Generates texts of `min` to `max` pieces, with many characters that are easily miscounted.
fn any_text(min: usize, max: usize) -> impl Strategy<Value = String> {
    let line_breaks = [
        "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}",
    ];
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        3 => select(&PIECES[..]).prop_map(String::from),
        1 => select(&["\u{301}", "\u{200d}", "\u{fe0f}", "\u{feff}", "\u{0}"][..]).prop_map(String::from),
        1 => select(line_breaks.to_vec()).prop_map(String::from),
    ];
    vec(piece, min..=max).prop_map(|pieces| pieces.concat())
}

/// Generates texts with a number of line breaks near the limit.
fn any_lines() -> impl Strategy<Value = String> {
    let line = select(&["", "", "x", "🦀\u{2028}"][..]);
    let end = select(&["\n", "\r", "\r\n", "\u{85}\n"][..]);
    vec((line, end), 5..13).prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, end)| [line, end])
            .collect()
    })
}

#[test]
pub(crate) fn text_limits_match_for_random_texts() {
    let service = RefCell::new(Service::new());
    let accepts = |field: &str, text: &str| service.borrow_mut().accepts_field(field, text);
    for_all(300, &any_text(20, 34), |text| {
        let client = DisplayName::new(text.as_str()).is_ok();
        assert_eq!(client, accepts("display_name", &text));
    });
    for_all(300, &any_text(25, 42), |text| {
        let client = Location::new(text.as_str()).is_ok();
        assert_eq!(client, accepts("location", &text));
    });
    for texts in [any_text(200, 302).boxed(), any_lines().boxed()] {
        for_all(300, &texts, |text| {
            let client = Bio::new(text.as_str()).is_ok();
            assert_eq!(client, accepts("bio", &text));
        });
    }
}

#[test]
pub(crate) fn line_limits_match() {
    let mut service = Service::new();
    let breaks = [
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "\r\r\n",
        "x\n",
        "\u{2028}\n",
        "\u{85}\r",
        "\u{b}\u{c}\n",
    ];
    for unit in breaks {
        for count in 1..=Bio::MAX_LINES + 1 {
            for end in ["", "x"] {
                let text = unit.repeat(count) + end;
                let client = Bio::new(text.as_str()).is_ok();
                assert_eq!(client, service.accepts_field("bio", &text), "{text:?}");
            }
        }
    }
}

#[test]
pub(crate) fn color_formats_match() {
    let mut service = Service::new();
    for text in [
        "#ff8800",
        "#FF8800",
        "#fF8800",
        "ff8800",
        "#ff880",
        "#ff88000",
        "#f80",
        "#gg8800",
        "",
        "#",
        " #ff8800",
        "#ff8800\n",
        "#ff88é0",
        "red",
        "#+f8800",
        "##f8800",
    ] {
        for field in ["accent_color", "text_color", "background_color"] {
            let client = Color::new(text).is_ok();
            assert_eq!(client, service.accepts_field(field, text), "{text:?}");
        }
    }
}

#[test]
pub(crate) fn day_limits_match() {
    let mut service = Service::new();
    for days in [0, 1, 30, 31, 365, 366, u16::MAX] {
        for (handle, client) in [
            ("demo", Days::new(days).is_ok()),
            ("grace", Days::for_other_profile(days).is_ok()),
        ] {
            assert_eq!(
                client,
                service.accepts_days(handle, days),
                "{handle} {days}"
            );
        }
    }
}

//! The client draws each limit where the service draws it, told by texts on both sides of it.

use std::cell::RefCell;

use mock_server::{Request, World, handle};
use profile_sdk::{Bio, Color, Days, DisplayName, Location};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::select;
use serde_json::json;

use crate::cases::for_all;

/// What a text near a limit may be made of: one and more bytes, code units and scalar values.
const PIECES: [&str; 6] = ["x", "é", "e\u{301}", "🦀", "👩‍👩‍👧", "\u{2028}"];

/// The service itself, asked past the client's checks.
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
    fn takes_field(&mut self, field: &str, value: &str) -> bool {
        let body = json!({field: value}).to_string();
        let request = Request::new("PATCH", "/api/v1/me/profile")
            .header("content-type", "application/json")
            .body(body);
        self.takes(request)
    }

    #[track_caller]
    fn takes_days(&mut self, handle: &str, days: u16) -> bool {
        let target = format!("/api/v1/users/{handle}/stats?days={days}");
        self.takes(Request::new("GET", &target))
    }

    #[track_caller]
    fn takes(&mut self, request: Request) -> bool {
        let bearer = format!("Bearer {}", self.world.keys().all);
        let request = request.header("authorization", bearer);
        match handle(&mut self.world, &request).status {
            200 => true,
            422 => false,
            status => panic!("{status} for {request:?}"),
        }
    }
}

/// Texts of `most - 2` to `most + 2` characters.
fn texts_around(most: usize) -> impl Iterator<Item = String> {
    PIECES.into_iter().flat_map(move |piece| {
        (most - 2..=most + 2).map(move |length| piece.chars().cycle().take(length).collect())
    })
}

#[test]
pub(crate) fn texts_are_measured_alike() {
    let mut service = Service::new();
    for text in texts_around(DisplayName::MAX_CHARACTERS) {
        let ours = DisplayName::new(text.as_str()).is_ok();
        let theirs = service.takes_field("display_name", &text);
        assert_eq!(ours, theirs, "{text:?}");
    }
    for text in texts_around(Location::MAX_CHARACTERS) {
        let ours = Location::new(text.as_str()).is_ok();
        let theirs = service.takes_field("location", &text);
        assert_eq!(ours, theirs, "{text:?}");
    }
    for text in texts_around(Bio::MAX_CHARACTERS) {
        let ours = Bio::new(text.as_str()).is_ok();
        assert_eq!(ours, service.takes_field("bio", &text), "{text:?}");
    }
}

/// Random texts of `fewest` to `most` pieces, rich in what is easily counted wrong.
fn any_text(fewest: usize, most: usize) -> impl Strategy<Value = String> {
    let line_breaks = [
        "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}",
    ];
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        3 => select(&PIECES[..]).prop_map(String::from),
        1 => select(&["\u{301}", "\u{200d}", "\u{fe0f}", "\u{feff}", "\u{0}"][..]).prop_map(String::from),
        1 => select(line_breaks.to_vec()).prop_map(String::from),
    ];
    vec(piece, fewest..=most).prop_map(|pieces| pieces.concat())
}

/// Random texts of about so many line breaks.
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
pub(crate) fn random_texts_are_measured_alike() {
    let service = RefCell::new(Service::new());
    let takes = |field: &str, text: &str| service.borrow_mut().takes_field(field, text);
    for_all(300, &any_text(20, 34), |text| {
        let ours = DisplayName::new(text.as_str()).is_ok();
        assert_eq!(ours, takes("display_name", &text));
    });
    for_all(300, &any_text(25, 42), |text| {
        let ours = Location::new(text.as_str()).is_ok();
        assert_eq!(ours, takes("location", &text));
    });
    for texts in [any_text(200, 302).boxed(), any_lines().boxed()] {
        for_all(300, &texts, |text| {
            let ours = Bio::new(text.as_str()).is_ok();
            assert_eq!(ours, takes("bio", &text));
        });
    }
}

#[test]
pub(crate) fn lines_are_counted_alike() {
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
                let ours = Bio::new(text.as_str()).is_ok();
                assert_eq!(ours, service.takes_field("bio", &text), "{text:?}");
            }
        }
    }
}

#[test]
pub(crate) fn colors_are_read_alike() {
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
            let ours = Color::new(text).is_ok();
            assert_eq!(ours, service.takes_field(field, text), "{text:?}");
        }
    }
}

#[test]
pub(crate) fn days_are_bounded_alike() {
    let mut service = Service::new();
    for days in [0, 1, 30, 31, 365, 366, u16::MAX] {
        for (handle, ours) in [
            ("demo", Days::new(days).is_ok()),
            ("grace", Days::for_other_profile(days).is_ok()),
        ] {
            assert_eq!(ours, service.takes_days(handle, days), "{handle} {days}");
        }
    }
}

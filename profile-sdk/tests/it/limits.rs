//! The client and the service have the same limits.

use std::cell::RefCell;
use std::collections::BTreeSet;

use mock_server::{Request, World, handle};
use profile_sdk::{Bio, Days, ProfileField, ProfileUpdate};
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

    /// Checks that the client accepts a value if and only if the service does.
    #[track_caller]
    fn assert_agrees(&mut self, field: ProfileField, value: &str) {
        let client = ProfileUpdate::new().set(field, value).is_ok();
        let body = json!({field.name(): value}).to_string();
        let request = Request::new("PATCH", "/api/v1/me/profile")
            .header("content-type", "application/json")
            .body(body);
        assert_eq!(client, self.accepts(request), "{field}: {value:?}");
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
fn the_fields_match() {
    let service = serde_json::to_value(mock_server::Profile::default()).unwrap();
    let service: BTreeSet<_> = service.as_object().unwrap().keys().cloned().collect();
    let client = ProfileField::ALL.iter().map(|field| field.to_string());
    assert_eq!(client.collect::<BTreeSet<_>>(), service);
}

#[test]
fn text_limits_match() {
    let mut service = Service::new();
    for field in ProfileField::ALL {
        let max = field.kind().max_characters().into_iter();
        for text in max.flat_map(texts_around) {
            service.assert_agrees(*field, &text);
        }
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
        let lines = lines.into_iter();
        lines.flat_map(|(line, end)| [line, end]).collect()
    })
}

#[test]
fn text_limits_match_for_random_texts() {
    let service = RefCell::new(Service::new());
    for field in ProfileField::ALL {
        let Some(max) = field.kind().max_characters() else {
            continue;
        };
        for texts in [any_text(max * 2 / 3, max + 2).boxed(), any_lines().boxed()] {
            for_all(300, &texts, |text| {
                service.borrow_mut().assert_agrees(*field, &text);
            });
        }
    }
}

#[test]
fn line_limits_match() {
    let mut service = Service::new();
    let breaks = "\n|\r|\r\n|\n\r|\r\r\n|x\n|\u{2028}\n|\u{85}\r|\u{b}\u{c}\n";
    for unit in breaks.split('|') {
        for count in 1..=Bio::MAX_LINES + 1 {
            for end in ["", "x"] {
                let text = unit.repeat(count) + end;
                for field in ProfileField::ALL {
                    service.assert_agrees(*field, &text);
                }
            }
        }
    }
}

#[test]
fn color_formats_match() {
    let mut service = Service::new();
    let texts = "#ff8800|#FF8800|#fF8800|ff8800|#ff880|#ff88000|#f80|#gg8800||#| #ff8800|#ff8800\n|\
                 #ff88é0|#ff88é|#ff88 0|red|#+f8800|##f8800";
    for text in texts.split('|') {
        for field in ProfileField::ALL {
            service.assert_agrees(*field, text);
        }
    }
}

#[test]
fn day_limits_match() {
    let mut service = Service::new();
    for days in [0, 1, 30, 31, 365, 366, u16::MAX] {
        for (handle, client) in [
            ("demo", Days::new(days).is_ok()),
            ("grace", Days::for_other_profile(days).is_ok()),
        ] {
            let service = service.accepts_days(handle, days);
            assert_eq!(client, service, "{handle} {days}");
        }
    }
}

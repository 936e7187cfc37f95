//! `profile show`.

use profile_sdk::{FieldKind, ProfileField};
use serde_json::json;

use crate::program::Fixture;

#[tokio::test]
async fn json_is_the_data_as_the_service_sent_it() {
    let fixture = Fixture::new().await;
    let shown = fixture.run(&["show", "--json"]).json();
    assert_eq!(shown["handle"], "demo");
    assert_eq!(shown["key"]["rate_limit"]["window_seconds"], json!(60));
    assert!(shown["links"][0]["created_at"].is_string());
}

#[tokio::test]
async fn removes_control_characters() {
    let fixture = Fixture::new().await;
    let clear = |world: &mut mock_server::World| {
        let profile = &mut world.account_mut("demo").unwrap().profile;
        profile.display_name = "\u{1b}[31mAda\u{1b}]0;title\u{7}".to_owned();
    };
    fixture.service.update(clear).unwrap();
    let run = fixture.run(&["show", "-o", "table"]);
    assert!(run.stdout().starts_with("[31mAda]0;title"), "{run}");
}

#[tokio::test]
async fn a_table_is_a_card_as_wide_as_the_terminal() {
    let fixture = Fixture::new().await;
    let show = fixture.program(&["show", "-o", "table", "--color", "always"]);
    let show = show.env("COLORTERM", "truecolor").env("COLUMNS", "60");
    let card = show.run();
    assert!(
        card.stdout()
            .contains("\x1b[48;2;37;99;235m  \x1b[0m #2563eb\n"),
        "{card}"
    );
    let show = fixture.program(&["show", "-o", "table"]);
    let card = show.env("COLUMNS", "60").run();
    for line in [
        &*"─".repeat(60),
        "posts       2025-01-15  Hello from the mock server!",
        "rate limit  1,000,000 requests a minute",
    ] {
        assert!(card.stdout().contains(&format!("\n{line}\n")), "{card}");
    }
}

#[tokio::test]
async fn the_card_shows_a_low_contrast() {
    let fixture = Fixture::new().await;
    let set = ["set", "--text-color", "#f9f9f9", "-q"];
    fixture.run(&set).stdout();
    let run = fixture.run(&["show"]);
    assert!(run.stdout().contains("\ncontrast\t1:1\n"), "{run}");
    assert_eq!(run.stderr(), "", "{run}");
    let card = fixture.run(&["show", "--output", "table"]);
    assert!(card.stdout().contains("hard to read"), "{card}");
    assert_eq!(card.stderr(), "", "{card}");
    // Only a change of a color warns.
    let location = fixture.run(&["set", "--location", "L"]);
    assert_eq!(location.stderr(), "", "{location}");
    let color = fixture.run(&["set", "--text-color", "#f9f9f8"]);
    assert!(
        color.stderr().starts_with("warning: the contrast"),
        "{color}"
    );
}

#[tokio::test]
async fn every_field_has_an_option_a_line_and_a_place_on_the_card() {
    let fixture = Fixture::new().await;
    for (index, field) in ProfileField::ALL.iter().enumerate() {
        let value = match field.kind() {
            FieldKind::Color => format!("#00000{index}"),
            _ => format!("value {index}"),
        };
        let option = format!("--{}", field.kebab_name());
        let set = fixture.run(&["set", &option, &value]);
        assert!(
            set.stdout().contains(&format!("{field}\t{value}\n")),
            "{field}: {set}"
        );
        let card = fixture.run(&["show", "-o", "table"]);
        assert!(card.stdout().contains(&value), "{field}: {card}");
        let exported = fixture.run(&["export"]);
        assert!(
            exported
                .stdout()
                .contains(&format!("{field} = \"{value}\"")),
            "{field}"
        );
    }
}

#[tokio::test]
async fn colors_fit_the_terminal() {
    let fixture = Fixture::new().await;
    let shown = |environment: &[(&str, &str)]| {
        let program = fixture.program(&["show", "-o", "table", "--color", "always"]);
        program.envs(environment).run().stdout().to_owned()
    };
    let (full, indexed) = ("[38;2;", "[38;5;");
    let text = shown(&[("COLORTERM", "truecolor"), ("TERM", "xterm")]);
    assert!(text.contains(full) && !text.contains(indexed), "{text}");
    let text = shown(&[("TERM", "xterm-256color")]);
    assert!(!text.contains(full) && text.contains(indexed), "{text}");
    let text = shown(&[("TERM", "xterm")]);
    assert!(
        !text.contains(full) && !text.contains(indexed) && text.contains("\u{1b}["),
        "{text}"
    );
}

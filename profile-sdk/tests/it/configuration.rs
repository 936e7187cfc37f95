//! Checked values as a program's configuration holds them.

use std::fmt::Debug;

use profile_sdk::{ApiKey, Bio, Color, Days, DisplayName, LinkUrl, Location};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What reading this value as a `T` says.
#[track_caller]
fn refusal<T: DeserializeOwned + Debug>(value: Value) -> String {
    serde_json::from_value::<T>(value).unwrap_err().to_string()
}

#[test]
fn every_checked_value_can_be_read() {
    let read: (DisplayName, Bio, Location, Color, Days, LinkUrl, ApiKey) =
        serde_json::from_value(json!(["Ada", "b", "", "#Ff8800", 365, "x:y", "key\n"])).unwrap();
    assert_eq!(
        (read.0.as_str(), read.1.as_str(), read.2.as_str()),
        ("Ada", "b", "")
    );
    assert_eq!(
        (read.3.as_str(), read.4.get(), read.5.as_str()),
        ("#Ff8800", 365, "x:y")
    );
    assert_eq!(read.6, ApiKey::new("key").unwrap());
}

#[test]
fn a_refusal_is_that_of_the_constructor() {
    let long = "x".repeat(301);
    for (refused, expected) in [
        (
            refusal::<DisplayName>(json!(long)),
            DisplayName::new(&long).unwrap_err(),
        ),
        (refusal::<Bio>(json!(long)), Bio::new(&long).unwrap_err()),
        (
            refusal::<Location>(json!(long)),
            Location::new(&long).unwrap_err(),
        ),
        (
            refusal::<Color>(json!("red")),
            Color::new("red").unwrap_err(),
        ),
        (refusal::<Days>(json!(0)), Days::new(0).unwrap_err()),
        (refusal::<Days>(json!(366)), Days::new(366).unwrap_err()),
        (
            refusal::<Days>(json!(-1)),
            "-1".parse::<Days>().unwrap_err(),
        ),
        (
            refusal::<Days>(json!(70_000)),
            "70000".parse::<Days>().unwrap_err(),
        ),
        (
            refusal::<LinkUrl>(json!("here")),
            LinkUrl::new("here").unwrap_err(),
        ),
        (
            refusal::<ApiKey>(json!("hush hush")),
            ApiKey::new("hush hush").unwrap_err(),
        ),
    ] {
        assert_eq!(refused, expected.to_string());
    }
}

#[test]
fn a_key_of_digits_is_not_shown() {
    let refused = refusal::<ApiKey>(json!(4_077_123));
    assert_eq!(refused, "API key is not a string; put it in quotes");
}

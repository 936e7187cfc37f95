//! Validated values in configuration files.

use std::fmt::Debug;

use profile_sdk::{ApiKey, Bio, Color, Days, DisplayName, LinkUrl, Location};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the error of deserializing a value as a `T`.
#[track_caller]
fn error<T: DeserializeOwned + Debug>(value: Value) -> String {
    serde_json::from_value::<T>(value).unwrap_err().to_string()
}

#[test]
fn deserializes_every_validated_value() {
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
fn errors_are_those_of_the_constructor() {
    let long = "x".repeat(Bio::MAX_CHARACTERS + 1);
    for (error, expected) in [
        (
            error::<DisplayName>(json!(long)),
            DisplayName::new(&long).unwrap_err(),
        ),
        (error::<Bio>(json!(long)), Bio::new(&long).unwrap_err()),
        (
            error::<Location>(json!(long)),
            Location::new(&long).unwrap_err(),
        ),
        (error::<Color>(json!("red")), Color::new("red").unwrap_err()),
        (error::<Days>(json!(0)), Days::new(0).unwrap_err()),
        (error::<Days>(json!(366)), Days::new(366).unwrap_err()),
        (
            error::<LinkUrl>(json!("here")),
            LinkUrl::new("here").unwrap_err(),
        ),
        (
            error::<ApiKey>(json!("hush hush")),
            ApiKey::new("hush hush").unwrap_err(),
        ),
    ] {
        assert_eq!(error, expected.to_string());
    }
}

#[test]
fn does_not_show_a_key_of_digits() {
    let error = error::<ApiKey>(json!(4_077_123));
    assert_eq!(error, "API key is not a string; put it in quotes");
}

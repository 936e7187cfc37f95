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
    let texts = [read.0.as_str(), read.1.as_str(), read.2.as_str()];
    assert_eq!(texts, ["Ada", "b", ""]);
    assert_eq!([read.3.as_str(), read.5.as_str()], ["#Ff8800", "x:y"]);
    assert_eq!(read.4.get(), 365);
    assert_eq!(read.6, ApiKey::new("key").unwrap());
}

#[test]
fn errors_are_those_of_the_constructor() {
    let long = "x".repeat(Bio::MAX_CHARACTERS + 1);
    let text = json!(long);
    for (error, expected) in [
        (
            error::<DisplayName>(text.clone()),
            DisplayName::new(&long).err(),
        ),
        (error::<Bio>(text.clone()), Bio::new(&long).err()),
        (error::<Location>(text), Location::new(&long).err()),
        (error::<Color>(json!("red")), Color::new("red").err()),
        (error::<Days>(json!(0)), Days::new(0).err()),
        (error::<Days>(json!(366)), Days::new(366).err()),
        (error::<LinkUrl>(json!("here")), LinkUrl::new("here").err()),
        (
            error::<ApiKey>(json!("hush hush")),
            ApiKey::new("hush hush").err(),
        ),
    ] {
        let expected = expected.unwrap();
        assert_eq!(error, expected.to_string());
    }
}

#[test]
fn does_not_show_a_key_of_digits() {
    let error = error::<ApiKey>(json!(4_077_123));
    assert_eq!(error, "API key is not a string; put it in quotes");
}

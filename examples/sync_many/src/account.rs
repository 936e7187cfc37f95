//! One account: its key, and what its profile is to be.

use std::str::FromStr;

use profile_sdk::{ApiKey, InvalidValue, Profile, ProfileUpdate};
use serde::{Deserialize, Serialize};

/// An account of the list, whose values have all been checked.
#[derive(Debug, Clone)]
pub struct Account {
    /// What the list calls it.
    pub name: String,
    /// Its `Debug` does not show it.
    pub(crate) key: ApiKey,
    pub(crate) fields: Fields,
}

/// The fields of a profile that are to be set, as they stand in the list and in the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bio: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accent_color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_color: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_color: Option<String>,
}

impl Fields {
    /// The edit that sets them; an error for a text that breaks a limit of the specification.
    pub(crate) fn update(&self) -> Result<ProfileUpdate, InvalidValue> {
        let mut update = ProfileUpdate::new();
        update.display_name = parse(self.display_name.as_ref())?;
        update.bio = parse(self.bio.as_ref())?;
        update.location = parse(self.location.as_ref())?;
        update.accent_color = parse(self.accent_color.as_ref())?;
        update.text_color = parse(self.text_color.as_ref())?;
        update.background_color = parse(self.background_color.as_ref())?;
        Ok(update)
    }

    /// Whether the profile has all of them already.
    pub(crate) fn are_in(&self, profile: &Profile) -> bool {
        [
            (&self.display_name, &profile.display_name),
            (&self.bio, &profile.bio),
            (&self.location, &profile.location),
            (&self.accent_color, &profile.accent_color),
            (&self.text_color, &profile.text_color),
            (&self.background_color, &profile.background_color),
        ]
        .into_iter()
        .all(|(wanted, found)| wanted.is_none() || wanted == found)
    }
}

fn parse<T: FromStr>(text: Option<&String>) -> Result<Option<T>, T::Err> {
    text.map(|text| text.parse()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_to_be_set_is_compared() {
        let mut profile = Profile::default();
        profile.bio = Some("Hello".to_owned());
        let fields = |text| serde_json::from_str::<Fields>(text).unwrap();
        assert!(fields(r#"{"bio": "Hello"}"#).are_in(&profile));
        assert!(!fields(r#"{"bio": "Hello", "location": ""}"#).are_in(&profile));
        assert!(!fields(r#"{"bio": "hello"}"#).are_in(&profile));
    }
}

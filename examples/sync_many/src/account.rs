//! One account: its key, and the fields to set.

use std::str::FromStr;

use profile_sdk::{ApiKey, InvalidValue, Profile, ProfileUpdate};
use serde::{Deserialize, Serialize};

/// An account of the list, with validated values.
#[derive(Debug, Clone)]
pub struct Account {
    /// The name in the list.
    pub name: String,
    pub(crate) key: ApiKey,
    pub(crate) fields: Fields,
}

/// The fields of a profile to set, as in the list and in the record.
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
    /// Converts the fields to an update; fails if a value exceeds a limit of the specification.
    pub(crate) fn to_update(&self) -> Result<ProfileUpdate, InvalidValue> {
        let mut update = ProfileUpdate::new();
        update.display_name = parse(self.display_name.as_ref())?;
        update.bio = parse(self.bio.as_ref())?;
        update.location = parse(self.location.as_ref())?;
        update.accent_color = parse(self.accent_color.as_ref())?;
        update.text_color = parse(self.text_color.as_ref())?;
        update.background_color = parse(self.background_color.as_ref())?;
        Ok(update)
    }

    /// Returns `true` if the profile has all of these values.
    pub(crate) fn match_profile(&self, profile: &Profile) -> bool {
        [
            (&self.display_name, &profile.display_name),
            (&self.bio, &profile.bio),
            (&self.location, &profile.location),
            (&self.accent_color, &profile.accent_color),
            (&self.text_color, &profile.text_color),
            (&self.background_color, &profile.background_color),
        ]
        .into_iter()
        .all(|(expected, actual)| expected.is_none() || expected == actual)
    }
}

fn parse<T: FromStr>(value: Option<&String>) -> Result<Option<T>, T::Err> {
    value.map(|value| value.parse()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_only_the_fields_to_set() {
        let mut profile = Profile::default();
        profile.bio = Some("Hello".to_owned());
        let fields = |json| serde_json::from_str::<Fields>(json).unwrap();
        assert!(fields(r#"{"bio": "Hello"}"#).match_profile(&profile));
        assert!(!fields(r#"{"bio": "Hello", "location": ""}"#).match_profile(&profile));
        assert!(!fields(r#"{"bio": "hello"}"#).match_profile(&profile));
    }
}

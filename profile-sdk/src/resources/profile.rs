//! Profiles and `PATCH /me/profile`.

use serde_json::{Map, Value};

use crate::call::Call;
use crate::client::Client;
use crate::decode::response_data::{Resource, ResponseData};
use crate::request::{Operation, Request};
use crate::resources::{Badge, Link, Post, Profile, ProfileField, ProfileUpdate};

impl ResponseData for Profile {
    const LENIENT_FIELDS: &'static [&'static str] =
        &["handle", "links", "posts", "badges", "email", "key"];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }

    fn is_lenient_in_element(list: &str, field: &str) -> bool {
        let fields = match list {
            "links" => Link::LENIENT_FIELDS,
            "posts" => Post::LENIENT_FIELDS,
            "badges" => Badge::OPTIONAL,
            _ => &[],
        };
        fields.contains(&field)
    }

    fn element_extra(&mut self, list: &str, index: usize) -> Option<&mut Map<String, Value>> {
        match list {
            "links" => Some(&mut *self.links.as_mut()?.get_mut(index)?.extra),
            "posts" => Some(&mut *self.posts.as_mut()?.get_mut(index)?.extra),
            "badges" => Some(&mut *self.badges.as_mut()?.get_mut(index)?.extra),
            _ => None,
        }
    }
}

impl Resource for Profile {
    fn is_recognized(&self) -> bool {
        let mut fields = ProfileField::ALL.iter();
        self.handle.is_some() || fields.any(|field| self.get(*field).is_some())
    }
}

impl Client {
    /// `PATCH /me/profile`: edits the profile. Returns the profile, or `None` if the response does
    /// not contain it.
    ///
    /// Requires the scope `profile:write`. For the limits, see [`ProfileField`]. (Specification:
    /// Endpoints, `PATCH /me/profile`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::{Bio, ProfileUpdate};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let update = ProfileUpdate::new().bio(Bio::new("First line\nSecond line")?);
    /// match client.update_profile(&update).await? {
    ///     Some(profile) => println!("the bio is now {:?}", profile.bio),
    ///     None => println!("changed"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_profile(&self, update: &ProfileUpdate) -> Call<Option<Profile>> {
        Call::write(self, Request::new(Operation::UPDATE_PROFILE).json(update))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Profile;
    use crate::decode::read_data;

    #[test]
    fn keeps_unknown_fields() {
        let data = json!({
            "handle": "demo",
            "links": [{"id": 7, "title": "t", "url": "u", "clicks": 3}],
            "posts": [{"id": 2, "body": "b", "likes": 0}],
            "badges": [{"id": "b", "name": "B", "since": "2026"}],
            "key": {"scopes": "links:write", "rate_limit": 5, "name": "laptop"},
            "api_visible": "1",
            "pronouns": {"subject": "she"},
        });
        let body = json!({"data": data}).to_string();
        let profile: Profile = read_data(body.as_bytes()).unwrap();
        assert_eq!(profile.extra["pronouns"], json!({"subject": "she"}));
        assert_eq!(serde_json::to_value(&profile).unwrap(), data);
    }

    #[test]
    fn accepts_any_shape_of_unspecified_fields() {
        for odd in [
            json!(1),
            json!("x"),
            json!({"a": 1}),
            json!([1, "x"]),
            json!(null),
            json!(""),
        ] {
            for field in [
                "handle",
                "links",
                "posts",
                "badges",
                "email",
                "key",
                "api_visible",
            ] {
                let body = json!({"data": {"bio": "b", field: odd}}).to_string();
                let profile: Profile = read_data(body.as_bytes()).unwrap();
                assert_eq!(profile.bio.as_deref(), Some("b"));
                let kept = serde_json::to_value(&profile).unwrap();
                let kept = kept.get(field).unwrap_or(&Value::Null);
                assert_eq!(kept, &odd, "{field}");
            }
        }
    }

    #[test]
    fn rejects_a_bio_of_another_type() {
        let error = read_data::<Profile>(br#"{"data":{"bio":5}}"#).unwrap_err();
        assert!(error.starts_with("data.bio: invalid type"), "{error}");
    }
}

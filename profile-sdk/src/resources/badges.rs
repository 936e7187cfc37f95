//! `GET /badges`.

use super::calls::calls;
use crate::call::Call;
use crate::decode::{ResponseData, read_data};
use crate::json::Body;
use crate::request::{Operation, Request};
use crate::resources::{Extra, responses};
use crate::values::open_enum;

responses! {
    /// A badge. (Specification: Resources, Badge.)
    pub struct Badge {
        /// A short identifier.
        pub id: String,
        /// The display name.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The color, `#rrggbb`.
        pub color: Option<String>,
        /// The kind of the badge.
        pub kind: Option<BadgeKind>,
        /// All other fields, as the service sent them. In a profile, also fields with an unexpected
        /// type, except `id` and `name`.
        #[serde(flatten)]
        pub extra: Extra,
    }
}

impl ResponseData for Vec<Badge> {}

/// In the badges of a profile, whose shape the specification does not define.
impl ResponseData for Badge {
    const LENIENT_FIELDS: &'static [&'static str] = &["description", "color", "kind"];
}

open_enum! {
    /// The kind of a badge.
    ///
    /// The list in the specification is incomplete; unknown kinds are kept by name.
    ///
    /// ```
    /// use profile_sdk::BadgeKind;
    ///
    /// assert_eq!(BadgeKind::from("auto"), BadgeKind::Auto);
    /// assert_eq!(BadgeKind::from("granted").as_str(), "granted");
    /// ```
    BadgeKind {
        Auto = "auto",
    }
}

calls! {
    /// `GET /badges`: returns all badges.
    ///
    /// Does not require a key. The key is sent if the client has one. (Specification: Endpoints,
    /// `GET /badges`.)
    ///
    /// # Errors
    ///
    /// [`Unreadable`](crate::ErrorKind::Unreadable) if a badge lacks `id` or `name`, and
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) if the service requires a key nevertheless; for
    /// others, see [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// for badge in client.badges().await? {
    ///     println!("{}: {}", badge.name, badge.description.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn badges(&self) -> Call<Vec<Badge>> {
        let read = |body: &Body| {
            read_data(body).or_else(|error| match body.data() {
                // As in a profile.
                Ok("null") => Ok(Vec::new()),
                _ => Err(error),
            })
        };
        Call::new(self, Ok(Request::new(Operation::BADGES)), read)
    }
}

//! `GET /me/analytics`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::Call;
use crate::client::Client;
use crate::decode::count;
use crate::decode::response_data::ResponseData;
use crate::request::{Operation, Request};
use crate::resources::extra::Extra;

/// Views, likes and social counts of the key owner's profile.
///
/// The specification does not define the shape of these fields. A [`Metric`] holds what the service
/// sent, with methods that read the usual shapes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Analytics {
    /// The number of profile views.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Metric>,
    /// The number of likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub likes: Option<Metric>,
    /// Social counts, for example followers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub social: Option<Metric>,
    /// All other fields, as the service sent them. If the data is not an object, it is stored here
    /// under the name `data`.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ResponseData for Analytics {
    fn from_unexpected(data: Value) -> Option<Self> {
        let mut analytics = Self::default();
        analytics.extra.insert("data".to_owned(), data);
        Some(analytics)
    }
}

/// A number or an object of numbers, in the shape that the service sent.
///
/// ```
/// use profile_sdk::Metric;
///
/// let flat: Metric = serde_json::from_str("12")?;
/// assert_eq!(flat.total(), Some(12));
/// let social: Metric = serde_json::from_str(r#"{"followers": 3, "following": {"total": 4}}"#)?;
/// assert_eq!(social.total(), None);
/// assert_eq!(social.part("followers").and_then(|metric| metric.total()), Some(3));
/// assert_eq!(social.part("following").and_then(|metric| metric.total()), Some(4));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metric(Value);

impl Metric {
    /// Returns the number, if the metric is one or is an object with a `total` or `count`.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        let named = ["total", "count"]
            .into_iter()
            .find_map(|name| self.0.get(name));
        count::of_value(named.unwrap_or(&self.0))
    }

    /// Returns a part of the metric by name, if it is an object.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<Self> {
        self.0.get(name).cloned().map(Self)
    }

    /// Returns the names and parts of the metric. The iterator is empty if it is not an object.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Self)> {
        let parts = self.0.as_object().into_iter().flatten();
        parts.map(|(name, value)| (name.as_str(), Self(value.clone())))
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }
}

impl Client {
    /// `GET /me/analytics`: returns views, likes and social counts of the key owner's profile.
    ///
    /// Requires the scope `analytics:read`. (Specification: Endpoints, `GET /me/analytics`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
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
    /// let analytics = client.analytics().await?;
    /// if let Some(likes) = analytics.likes.and_then(|likes| likes.total()) {
    ///     println!("{likes} likes");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn analytics(&self) -> Call<Analytics> {
        Call::read(self, Request::new(Operation::ANALYTICS))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Analytics;
    use crate::decode::read_data;

    #[test]
    fn accepts_any_shape() {
        for value in [
            json!(null),
            json!(5),
            json!("none"),
            json!([{"metric": "views", "count": 3}]),
        ] {
            let body = json!({"data": value}).to_string();
            let analytics: Analytics = read_data(body.as_bytes()).unwrap();
            assert_eq!(analytics.extra["data"], value);
        }
        for (value, likes) in [
            (json!("1.2k"), json!(2.0)),
            (json!([1, 2]), json!({"count": 2})),
            (json!(-1), json!({"total": 2})),
            (json!(1.5), json!(2)),
        ] {
            let body =
                json!({"data": {"views": value, "likes": likes, "social": null}}).to_string();
            let analytics: Analytics = read_data(body.as_bytes()).unwrap();
            let views = analytics.views.unwrap();
            assert_eq!((views.total(), views.raw()), (None, &value));
            assert_eq!(analytics.likes.unwrap().total(), Some(2));
            assert_eq!(analytics.social, None);
        }
    }
}

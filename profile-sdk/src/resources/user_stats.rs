//! `GET /users/{handle}/stats`: how often a profile was viewed, and from where.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::response_data::ResponseData;
use crate::{Call, Client, Days, Handle, Operation, Request};

/// View statistics of a profile.
///
/// For another's profile the service may leave out what it gives of the caller's own; the
/// specification does not show which fields, nor what stands in their place. (Specification:
/// Resources, Profile view statistics.)
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UserStats {
    /// All-time views.
    #[serde(
        deserialize_with = "crate::decode::count::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub total_views: Option<u64>,
    /// The window and the views within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
    /// The views of each day of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily: Option<Vec<DailyViews>>,
    /// The views by kind of device, of the caller's own profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Devices>,
    /// The views by country, of the caller's own profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<CountryViews>>,
    /// Every other field, as the service sent it; also `devices` and `countries` where they came in
    /// another shape than ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl ResponseData for UserStats {
    const LENIENT_FIELDS: &'static [&'static str] = &["devices", "countries"];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }
}

/// The window that statistics cover.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Period {
    /// The window used, in days.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub days: u64,
    /// The views within the window.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub views: u64,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The views of one day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DailyViews {
    /// The day, `YYYY-MM-DD`.
    pub date: String,
    /// The views on it.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub views: u64,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The views by kind of device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Devices {
    /// Views from desktop computers.
    #[serde(
        deserialize_with = "crate::decode::count::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub desktop: Option<u64>,
    /// Views from telephones.
    #[serde(
        deserialize_with = "crate::decode::count::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub mobile: Option<u64>,
    /// Views from tablets.
    #[serde(
        deserialize_with = "crate::decode::count::read_optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub tablet: Option<u64>,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The views from one country.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CountryViews {
    /// The country's code, as the service writes it.
    pub code: String,
    /// The views from it.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub views: u64,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Client {
    /// `GET /users/{handle}/stats`: the view statistics of a profile, over a window of days.
    ///
    /// `None` sends no number, and the service takes 30. It gives up to 365 days of the key owner's
    /// own profile and up to 30 of another's. Needs a key; the specification names no scope.
    /// (Specification: Endpoints, `GET /users/{handle}/stats`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::{Days, Handle};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let handle = Handle::new("demo")?;
    /// let month = client.user_stats(&handle, None).await?;
    /// let week = client.user_stats(&handle, Days::new(7)?).await?;
    /// assert_eq!(week.daily.unwrap_or_default().len(), 7);
    /// println!("{} views in all", month.total_views.unwrap_or_default());
    /// # Ok(())
    /// # }
    /// ```
    pub fn user_stats(&self, handle: &Handle, days: impl Into<Option<Days>>) -> Call<UserStats> {
        let request = Request::with_parameter(Operation::USER_STATS, "handle", handle.as_str());
        let request = match days.into() {
            Some(days) => request.query_string(format!("days={days}")),
            None => request,
        };
        Call::read(self, request)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::UserStats;
    use crate::decode::read_data;

    #[test]
    fn what_may_be_left_out_may_also_be_odd() {
        let data = json!({
            "total_views": 3,
            "period": {"days": 30.0, "views": 2},
            "devices": [],
            "countries": {"DE": 2},
        });
        let body = json!({"data": data}).to_string();
        let stats: UserStats = read_data(body.as_bytes()).unwrap();
        assert_eq!(stats.total_views, Some(3));
        assert_eq!(stats.period.as_ref().map(|period| period.days), Some(30));
        assert_eq!((&stats.devices, &stats.countries), (&None, &None));
        assert_eq!(stats.extra["devices"], json!([]));
        assert_eq!(stats.extra["countries"], json!({"DE": 2}));
    }

    #[test]
    fn what_is_shown_is_held_to() {
        let body = br#"{"data":{"daily":[{"date":"2026-01-01","views":1},{"views":-1}]}}"#;
        let error = read_data::<UserStats>(body).unwrap_err();
        assert!(
            error.starts_with("data.daily[1].views: invalid value: integer `-1`"),
            "{error}"
        );
    }
}

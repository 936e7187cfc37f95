//! `GET /users/{handle}/stats`: how often a profile was viewed, and from where.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::Answer;
use crate::{Call, Client, Days, Handle, Operation, Request};

/// View statistics of a profile.
///
/// For another's profile the service may leave out what it gives of the caller's own; the
/// specification does not show which fields. (Specification: Resources, Profile view statistics.)
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UserStats {
    /// All-time views.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Answer for UserStats {}

/// The window that statistics cover.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Period {
    /// The window used, in days.
    pub days: u64,
    /// The views within the window.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desktop: Option<u64>,
    /// Views from telephones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mobile: Option<u64>,
    /// Views from tablets.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    pub views: u64,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Client {
    /// `GET /users/{handle}/stats`: the view statistics of a profile, over a window of days.
    ///
    /// `None` sends no number, and the service takes 30. It gives up to 365 days of the key owner's
    /// own profile and up to 30 of another's. Needs a key; the specification names no scope. Errors:
    /// see [`ErrorKind`](crate::ErrorKind). (Specification: Endpoints,
    /// `GET /users/{handle}/stats`.)
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
        Call::reading(self, request)
    }
}

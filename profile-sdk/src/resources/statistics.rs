//! View statistics, analytics and site statistics.

use serde::de::{Deserializer, Error, Unexpected};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::call::Call;
use crate::decode::ResponseData;
use crate::json::{count_of, whole_number};
use crate::request::{Operation, Request};
use crate::resources::{Extra, calls, responses};
use crate::values::{Handle, OptionalDays};

calls! {
    /// `GET /users/{handle}/stats`: returns the view statistics of a profile.
    ///
    /// `days` is 1 to 365 for the key owner's profile and 1 to 30 for other profiles. With `None`,
    /// the service uses 30. Requires a key; the specification names no scope. (Specification:
    /// Endpoints, `GET /users/{handle}/stats`.)
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) if the profile does not exist, and
    /// [`Rejected`](crate::ErrorKind::Rejected) if the service allows fewer days for this profile; for
    /// others, see [`ErrorKind`](crate::ErrorKind).
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
    pub fn user_stats(&self, handle: &Handle, days: impl OptionalDays) -> Call<UserStats> {
        let request = Request::with_parameter(Operation::USER_STATS, "handle", handle.as_str());
        let request = match days.into() {
            Some(days) => request.encoded_query(&format!("days={days}")),
            None => request,
        };
        Call::read(self, request)
    }

    /// `GET /me/analytics`: returns views, likes and social counts of the key owner's profile.
    ///
    /// Requires the scope `analytics:read`. (Specification: Endpoints, `GET /me/analytics`.)
    ///
    /// # Errors
    ///
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope, and
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) if the service rejects the key; for others, see
    /// [`ErrorKind`](crate::ErrorKind).
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

    /// `GET /stats`: returns site-wide counters.
    ///
    /// Does not require a key. The key is sent if the client has one. (Specification: Endpoints,
    /// `GET /stats`.)
    ///
    /// # Errors
    ///
    /// [`Unreadable`](crate::ErrorKind::Unreadable) if a counter is missing, and
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
    /// let site = client.site_stats().await?;
    /// println!("{} users, {} views, {} links", site.users, site.views, site.links);
    /// # Ok(())
    /// # }
    /// ```
    pub fn site_stats(&self) -> Call<SiteStats> {
        Call::read(self, Request::new(Operation::SITE_STATS))
    }
}

responses! {
    /// View statistics of a profile.
    ///
    /// For other profiles, the service may omit fields; the specification does not define which.
    /// (Specification: Resources, Profile view statistics.)
    pub struct UserStats lenient(devices, countries) {
        /// The number of all-time views.
        #[serde(default, deserialize_with = "read_optional_count")]
        pub total_views: Option<u64>,
        /// The window and its views.
        pub period: Option<Period>,
        /// The views of each day in the window.
        pub daily: Option<Vec<DailyViews>>,
        /// The views by kind of device. Only for the caller's own profile.
        pub devices: Option<Devices>,
        /// The views by country. Only for the caller's own profile.
        pub countries: Option<Vec<CountryViews>>,
        /// All other fields, as the service sent them. Also `devices` and `countries` if they have an
        /// unexpected type.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// The window of the statistics.
    pub struct Period {
        /// The length of the window in days.
        #[serde(deserialize_with = "read_count")]
        pub days: u64,
        /// The number of views in the window.
        #[serde(deserialize_with = "read_count")]
        pub views: u64,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// The views of one day.
    pub struct DailyViews {
        /// The date, `YYYY-MM-DD`. Other crates parse it, for example `jiff` and `chrono`:
        ///
        /// ```
        /// # let day: profile_sdk::DailyViews =
        /// #     serde_json::from_str(r#"{"date": "2026-11-22", "views": 3}"#)?;
        /// let date: jiff::civil::Date = day.date.parse()?; // or `chrono::NaiveDate`
        /// assert_eq!(date.day(), 22);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub date: String,
        /// The number of views.
        #[serde(deserialize_with = "read_count")]
        pub views: u64,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// The views by kind of device.
    pub struct Devices {
        /// The number of views on desktop computers.
        #[serde(default, deserialize_with = "read_optional_count")]
        pub desktop: Option<u64>,
        /// The number of views on mobile phones.
        #[serde(default, deserialize_with = "read_optional_count")]
        pub mobile: Option<u64>,
        /// The number of views on tablets.
        #[serde(default, deserialize_with = "read_optional_count")]
        pub tablet: Option<u64>,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// The views from one country.
    pub struct CountryViews {
        /// The country code, as the service sent it.
        pub code: String,
        /// The number of views.
        #[serde(deserialize_with = "read_count")]
        pub views: u64,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// Views, likes and social counts of the key owner's profile.
    ///
    /// The specification does not define the shape of these fields. A [`Metric`] holds what the service
    /// sent, with methods that read the usual shapes.
    pub struct Analytics {
        /// The number of profile views.
        pub views: Option<Metric>,
        /// The number of likes.
        pub likes: Option<Metric>,
        /// Social counts, for example followers.
        pub social: Option<Metric>,
        /// All other fields, as the service sent them. If the data is not an object, it is stored here
        /// under the name `data`.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// Site-wide counters. (Specification: Resources, Site statistics.)
    pub struct SiteStats {
        /// The number of users.
        #[serde(deserialize_with = "read_count")]
        pub users: u64,
        /// The number of profile views.
        #[serde(deserialize_with = "read_count")]
        pub views: u64,
        /// The number of links.
        #[serde(deserialize_with = "read_count")]
        pub links: u64,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }
}

impl ResponseData for Analytics {
    fn from_unexpected(data: Value) -> Option<Self> {
        let mut analytics = Self::default();
        analytics.extra.insert("data".to_owned(), data);
        Some(analytics)
    }
}

impl ResponseData for SiteStats {}

/// A number or an object of numbers, in the shape that the service sent.
///
/// ```
/// use profile_sdk::Metric;
///
/// let flat: Metric = serde_json::from_str("12")?;
/// assert_eq!(flat.total(), Some(12));
/// let social: Metric = serde_json::from_str(r#"{"followers": 3, "following": {"total": 4}}"#)?;
/// assert_eq!(social.total(), None);
/// let totals: Vec<_> = social.parts().map(|(name, part)| (name, part.total())).collect();
/// assert_eq!(totals, [("followers", Some(3)), ("following", Some(4))]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metric(Value);

impl Metric {
    /// Returns the number, if the metric is one or is an object with a `total` or `count`.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        let named = ["total", "count"].iter().find_map(|name| self.0.get(name));
        count_of(named.unwrap_or(&self.0))
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

/// Decodes a count. `12` and `12.0` are the same number.
fn read_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    count_of_number(&Number::deserialize(deserializer)?)
}

/// Decodes a count that may be null.
fn read_optional_count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let number = Option::<Number>::deserialize(deserializer)?;
    number.as_ref().map(count_of_number).transpose()
}

fn count_of_number<E: Error>(number: &Number) -> Result<u64, E> {
    whole_number(number).ok_or_else(|| {
        let found = number.to_string();
        E::invalid_value(Unexpected::Other(&found), &"a non-negative integer")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::decode::read_data;
    use crate::json::{Body, count_of};
    use crate::resources::statistics::{Analytics, UserStats, read_count, read_optional_count};

    #[test]
    fn keeps_unexpected_devices_and_countries() {
        let data = json!({
            "total_views": 3.0,
            "period": {"days": 30.0, "views": 2},
            "devices": [],
            "countries": {"DE": 2},
        });
        let body = json!({"data": data}).to_string();
        let stats: UserStats = read_data(&Body::new(body)).unwrap();
        assert_eq!(stats.total_views, Some(3));
        assert_eq!(stats.period.as_ref().map(|period| period.days), Some(30));
        assert_eq!((&stats.devices, &stats.countries), (&None, &None));
        assert_eq!(stats.extra["devices"], json!([]));
        assert_eq!(stats.extra["countries"], json!({"DE": 2}));
        for body in [r#"{"data":{}}"#, r#"{"data":{"period":null,"daily":null}}"#] {
            let stats: UserStats = read_data(&Body::new(body)).unwrap();
            assert_eq!(stats, UserStats::default());
        }
    }

    #[test]
    fn rejects_daily_views_of_another_type() {
        let body = r#"{"data":{"daily":[{"date":"2026-01-01","views":1},{"views":-1}]}}"#;
        let error = read_data::<UserStats>(&Body::new(body)).unwrap_err();
        assert!(
            error.starts_with("data.daily[1].views: invalid value: -1"),
            "{error}"
        );
    }

    #[test]
    fn accepts_any_shape() {
        for value in [
            json!(null),
            json!(5),
            json!("none"),
            json!([{"metric": "views", "count": 3}]),
        ] {
            let body = json!({"data": value}).to_string();
            let analytics: Analytics = read_data(&Body::new(body)).unwrap();
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
            let analytics: Analytics = read_data(&Body::new(body)).unwrap();
            let views = analytics.views.unwrap();
            assert_eq!((views.total(), views.raw()), (None, &value));
            assert_eq!(analytics.likes.unwrap().total(), Some(2));
            assert_eq!(analytics.social, None);
        }
    }

    #[test]
    fn decodes_whole_numbers_in_any_notation() {
        for (json, count) in [
            ("0", 0),
            ("12", 12),
            ("12.0", 12),
            ("1.2e1", 12),
            ("-0.0", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            assert_eq!(read_count(&mut deserializer).unwrap(), count, "{json}");
            let value = serde_json::from_str(json).unwrap();
            assert_eq!(count_of(&value), Some(count), "{json}");
        }
        assert_eq!(read_optional_count(json!(null)).unwrap(), None);
        assert_eq!(read_optional_count(json!(12.0)).unwrap(), Some(12));
    }

    #[test]
    fn rejects_values_that_are_not_counts() {
        for (json, found) in [
            (
                json!(-1),
                "invalid value: -1, expected a non-negative integer",
            ),
            (
                json!(1.5),
                "invalid value: 1.5, expected a non-negative integer",
            ),
            (
                json!(1e16),
                "invalid value: 1e+16, expected a non-negative integer",
            ),
            (
                json!("12"),
                "invalid type: string \"12\", expected a JSON number",
            ),
        ] {
            assert_eq!(read_count(&json).unwrap_err().to_string(), found);
            assert_eq!(count_of(&json), None);
        }
    }
}

//! The one clock of a world.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Where a world takes the time from: dates of links and posts and the window of the statistics.
///
/// ```
/// use mock_server::Clock;
///
/// let clock = Clock::fixed("2026-03-01T12:00:00Z")?;
/// assert_ne!(clock, Clock::system());
/// # Ok::<(), mock_server::InvalidInstant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Clock(Setting);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Setting {
    System,
    Fixed(Timestamp),
}

impl Clock {
    /// The clock of the machine.
    ///
    /// ```
    /// let world = mock_server::World::default();
    /// assert_eq!(world.clock(), &mock_server::Clock::system());
    /// ```
    pub fn system() -> Self {
        Self(Setting::System)
    }

    /// A clock that always shows the same instant, given as RFC 3339, such as
    /// `2026-03-01T12:00:00Z`.
    ///
    /// # Errors
    ///
    /// [`InvalidInstant`] when the text is no RFC 3339 instant of the years 1 to 9999.
    ///
    /// ```
    /// assert!(mock_server::Clock::fixed("next Tuesday").is_err());
    /// ```
    pub fn fixed(instant: &str) -> Result<Self, InvalidInstant> {
        let invalid = || InvalidInstant(instant.to_owned());
        let timestamp: Timestamp = instant.parse().map_err(|_| invalid())?;
        if date_of(timestamp).year() < 1 {
            return Err(invalid());
        }
        Ok(Self(Setting::Fixed(timestamp)))
    }

    /// The present instant as RFC 3339 in whole seconds.
    pub(crate) fn now(&self) -> String {
        let seconds = self.timestamp().as_second();
        Timestamp::from_second(seconds)
            .expect("a timestamp without its fraction is a timestamp")
            .to_string()
    }

    /// The present day in UTC.
    pub(super) fn today(&self) -> Date {
        date_of(self.timestamp())
    }

    /// The present instant.
    pub(crate) fn timestamp(&self) -> Timestamp {
        match self.0 {
            Setting::System => Timestamp::now(),
            Setting::Fixed(timestamp) => timestamp,
        }
    }
}

fn date_of(timestamp: Timestamp) -> Date {
    timestamp.to_zoned(TimeZone::UTC).date()
}

impl TryFrom<String> for Clock {
    type Error = InvalidInstant;

    /// Reads what a state file holds: `system`, or the instant of a fixed clock.
    fn try_from(text: String) -> Result<Self, InvalidInstant> {
        match text.as_str() {
            "system" => Ok(Self::system()),
            instant => Self::fixed(instant),
        }
    }
}

impl From<Clock> for String {
    fn from(clock: Clock) -> Self {
        match clock.0 {
            Setting::System => "system".to_owned(),
            Setting::Fixed(timestamp) => timestamp.to_string(),
        }
    }
}

/// A text that is no instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no RFC 3339 instant of the years 1 to 9999, such as 2026-03-01T12:00:00Z")]
pub struct InvalidInstant(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_reads_back_what_it_wrote() {
        for clock in [
            Clock::system(),
            Clock::fixed("2026-03-01T12:00:00.25Z").unwrap(),
        ] {
            assert_eq!(Clock::try_from(String::from(clock.clone())), Ok(clock));
        }
    }

    #[test]
    fn now_is_in_whole_seconds_of_utc() {
        let clock = Clock::fixed("2026-03-01T00:30:00.9+01:00").unwrap();
        assert_eq!(clock.now(), "2026-02-28T23:30:00Z");
        assert_eq!(clock.today().to_string(), "2026-02-28");
    }

    #[test]
    fn an_instant_without_four_digits_of_year_is_refused() {
        let error = Clock::fixed("0000-12-31T23:59:59Z").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`0000-12-31T23:59:59Z` is no RFC 3339 instant of the years 1 to 9999, \
             such as 2026-03-01T12:00:00Z"
        );
    }
}

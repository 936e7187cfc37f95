//! The clock of a world.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::input::{InvalidInput, Result};

/// The latest instant that a clock can show.
pub(crate) const LAST: &str = "9999-12-30T22:00:00Z";

/// [`LAST`] as a timestamp.
const END: Timestamp = Timestamp::constant(253_402_207_200, 0);

/// The clock of a world. It determines the dates of links and posts, the days of the statistics and
/// the windows of rate limits. It is either fixed or runs like the system clock, optionally with an
/// offset.
///
/// As JSON it is a string: `system`; a fixed instant; or `system` and an offset from the system
/// clock, such as `system+PT2H` or `system-PT90S`.
///
/// ```
/// use mock_server::Clock;
///
/// let clock = Clock::fixed("2026-03-01T12:00:00Z")?;
/// assert_ne!(clock, Clock::system());
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Clock(Setting);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Setting {
    /// The system clock plus an offset.
    Running(SignedDuration),
    Fixed(Timestamp),
}

impl Clock {
    /// Returns the system clock.
    pub fn system() -> Self {
        Self(Setting::Running(SignedDuration::ZERO))
    }

    /// Returns a clock that always shows the same instant, given as RFC 3339, such as
    /// `2026-03-01T12:00:00Z`.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] unless `instant` is an RFC 3339 instant from the year 1 to
    /// 9999-12-30T22:00:00Z, the latest instant whose year has four digits in every time zone.
    pub fn fixed(instant: &str) -> Result<Self> {
        let has_date = |timestamp: &Timestamp| *timestamp <= END && date_of(*timestamp).year() >= 1;
        let parsed = instant.parse().ok().filter(has_date);
        let clock = parsed.map(|timestamp| Self(Setting::Fixed(timestamp)));
        clock.ok_or_else(|| {
            let message = format!(
                "`{instant}` is not an RFC 3339 instant from the year 1 to {LAST}, such as \
                 2026-03-01T12:00:00Z"
            );
            InvalidInput::new("invalid_instant", message)
        })
    }

    /// Advances the clock, at most to 9999-12-30T22:00:00Z. A fixed clock stays fixed, and a
    /// running one keeps running.
    pub fn advance(&mut self, time: Duration) {
        let time = SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
        match &mut self.0 {
            Setting::Running(ahead) => *ahead = ahead.saturating_add(time),
            Setting::Fixed(instant) => *instant = later(*instant, time),
        }
    }

    /// Returns `true` if the clock can advance by `time` without passing [`LAST`].
    pub(crate) fn can_advance(&self, time: Duration) -> bool {
        let later = self.timestamp().checked_add(time);
        later.is_ok_and(|later| later <= END)
    }

    /// Returns the current instant as RFC 3339 in UTC and whole seconds.
    pub fn now(&self) -> String {
        format!("{:.0}", self.timestamp())
    }

    /// Formats the instant for the header `Date`. Returns `None` for the
    /// system clock, which the transports use by default.
    pub(crate) fn date_header(&self, instant: Timestamp) -> Option<String> {
        (*self != Self::system()).then(|| http_date(instant))
    }

    /// Returns the current day in UTC.
    pub(super) fn today(&self) -> Date {
        date_of(self.timestamp())
    }

    /// Returns the current instant.
    pub(crate) fn timestamp(&self) -> Timestamp {
        match self.0 {
            Setting::Running(ahead) => later(Timestamp::now(), ahead),
            Setting::Fixed(timestamp) => timestamp,
        }
    }
}

/// Formats an instant for a header (RFC 9110, section 5.6.7).
pub(crate) fn http_date(instant: Timestamp) -> String {
    instant.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

fn later(instant: Timestamp, time: SignedDuration) -> Timestamp {
    instant.checked_add(time).unwrap_or(END).min(END)
}

fn date_of(timestamp: Timestamp) -> Date {
    timestamp.to_zoned(TimeZone::UTC).date()
}

impl TryFrom<String> for Clock {
    type Error = InvalidInput;

    /// Parses the JSON form of a clock.
    fn try_from(text: String) -> Result<Self> {
        let ahead = match text.strip_prefix("system") {
            Some("") => return Ok(Self::system()),
            Some(ahead) if ahead.starts_with(['+', '-']) => ahead,
            _ => return Self::fixed(&text),
        };
        // A clock stops at the last instant, but an instant before the year 1 has no valid date.
        let has_date = |ahead: &SignedDuration| {
            let now = Timestamp::now().checked_add(*ahead);
            !ahead.is_negative() || now.is_ok_and(|now| date_of(now).year() >= 1)
        };
        match ahead.parse().ok().filter(has_date) {
            Some(ahead) => Ok(Self(Setting::Running(ahead))),
            None => {
                let message = format!(
                    "`{text}` is not a clock; expected `system`, a sign and a duration in hours, \
                     minutes and seconds that does not reach back before the year 1, such as \
                     system+PT36H or system-PT1M30S"
                );
                Err(InvalidInput::new("invalid_instant", message))
            }
        }
    }
}

impl From<Clock> for String {
    fn from(clock: Clock) -> Self {
        match clock.0 {
            Setting::Running(SignedDuration::ZERO) => "system".to_owned(),
            Setting::Running(ahead) if ahead.is_negative() => format!("system{ahead}"),
            Setting::Running(ahead) => format!("system+{ahead}"),
            Setting::Fixed(timestamp) => timestamp.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_round_trips_through_its_string() {
        let mut ahead = Clock::system();
        ahead.advance(Duration::from_millis(5_400_250));
        assert_eq!(String::from(ahead.clone()), "system+PT1H30M0.25S");
        for clock in [
            ahead,
            Clock::system(),
            Clock::try_from("system-PT219000H".to_owned()).unwrap(),
            Clock::fixed("2026-03-01T12:00:00.25Z").unwrap(),
        ] {
            assert_eq!(Clock::try_from(String::from(clock.clone())), Ok(clock));
        }
    }

    #[test]
    fn now_is_in_utc_and_whole_seconds() {
        let clock = Clock::fixed("2026-03-01T00:30:00.9+01:00").unwrap();
        assert_eq!(clock.now(), "2026-02-28T23:30:00Z");
        assert_eq!(clock.today().to_string(), "2026-02-28");
    }

    #[test]
    fn only_a_clock_other_than_the_system_clock_sets_the_date_header() {
        let fixed = Clock::fixed("1994-11-06T08:49:37Z").unwrap();
        let instant = fixed.timestamp();
        let date = Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned());
        assert_eq!(fixed.date_header(instant), date);
        assert_eq!(Clock::system().date_header(instant), None);
    }

    #[test]
    fn a_clock_stops_at_the_last_instant() {
        for mut clock in [
            Clock::system(),
            Clock::fixed("2026-03-01T12:00:00Z").unwrap(),
        ] {
            clock.advance(Duration::MAX);
            clock.advance(Duration::MAX);
            assert!(clock.now().starts_with("9999-12-30T"), "{}", clock.now());
        }
    }

    #[test]
    fn accepts_the_last_instant_and_rejects_later_ones() {
        let clock = Clock::fixed(LAST).unwrap();
        assert_eq!(clock.now(), LAST);
        assert!(clock.can_advance(Duration::ZERO));
        assert!(!clock.can_advance(Duration::from_secs(1)));
        assert!(!Clock::system().can_advance(Duration::MAX));
        assert!(Clock::fixed("9999-12-30T22:00:01Z").is_err());
        assert!(Clock::fixed("9999-12-30T22:00:00.5Z").is_err());
        let mut nearly = Clock::fixed("9999-12-30T21:59:59.5Z").unwrap();
        assert!(!nearly.can_advance(Duration::from_secs(1)));
        nearly.advance(Duration::from_secs(1));
        assert_eq!(nearly, clock);
        let far = Clock::try_from("system+PT99999999999999H".to_owned()).unwrap();
        assert_eq!(far.timestamp(), END);
    }

    #[test]
    fn rejects_a_clock_before_the_year_1() {
        assert!(Clock::try_from("system-PT99999999H".to_owned()).is_err());
        assert!(Clock::try_from("system-PT999999999999H".to_owned()).is_err());
        assert!(Clock::try_from("system-PT9999999H".to_owned()).is_ok());
    }

    #[test]
    fn rejects_an_offset_that_is_not_a_duration() {
        for text in ["system+P1D", "system+2", "system-"] {
            let error = Clock::try_from(text.to_owned()).unwrap_err().to_string();
            let beginning = format!("`{text}` is not a clock; expected `system`, a sign and a");
            assert!(error.starts_with(&beginning), "{error}");
        }
        let error = Clock::try_from("systemPT2H".to_owned()).unwrap_err();
        assert!(
            error.to_string().contains("not an RFC 3339 instant"),
            "{error}"
        );
    }

    #[test]
    fn rejects_an_instant_before_the_year_1() {
        let error = Clock::fixed("0000-12-31T23:59:59Z").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`0000-12-31T23:59:59Z` is not an RFC 3339 instant from the year 1 to 9999-12-30T22:00:00Z, \
             such as 2026-03-01T12:00:00Z"
        );
    }
}

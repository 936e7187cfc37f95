//! The number of days of view statistics.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::quoted_start;
use crate::values::InvalidValue;

/// A number of days: 1 to 365 for the caller's own profile, 1 to 30 for other profiles.
///
/// [`Days::new`] accepts 1 to 365, because only the service knows who owns a profile. Use
/// [`Days::for_other_profile`] if the profile belongs to someone else. (Specification: Endpoints,
/// `GET /users/{handle}/stats`; Limits.)
///
/// ```
/// use profile_sdk::Days;
///
/// assert_eq!(Days::new(365)?.get(), 365);
/// assert_eq!(Days::default().get(), 30);
/// assert_eq!(serde_json::to_string(&Days::new(7)?).unwrap(), "7");
/// assert_eq!(
///     Days::new(366).unwrap_err().to_string(),
///     "days is 366; expected 1 to 365 (1 to 30 for other profiles)",
/// );
/// assert_eq!(
///     Days::for_other_profile(31).unwrap_err().to_string(),
///     "days is 31; expected 1 to 30 for other profiles",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct Days(u16);

impl Days {
    /// The minimum number of days.
    pub const MIN: u16 = 1;

    /// The maximum number of days for the caller's own profile.
    pub const MAX_OWN: u16 = 365;

    /// The maximum number of days for other profiles.
    pub const MAX_OTHER: u16 = 30;

    /// The number of days that the service uses by default, and the value of [`Days::default`].
    pub const DEFAULT: Self = Self(30);

    /// Creates a number of days from 1 to 365.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is 0 or greater than 365.
    pub fn new(days: u16) -> Result<Self, InvalidValue> {
        let expected = "1 to 365 (1 to 30 for other profiles)";
        Self::within(days, Self::MAX_OWN, expected)
    }

    /// Creates a number of days from 1 to 30, the range for other profiles.
    ///
    /// # Errors
    ///
    /// Returns an error if the number is 0 or greater than 30.
    pub fn for_other_profile(days: u16) -> Result<Self, InvalidValue> {
        Self::within(days, Self::MAX_OTHER, "1 to 30 for other profiles")
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }

    fn within(days: u16, max: u16, expected: &str) -> Result<Self, InvalidValue> {
        if (Self::MIN..=max).contains(&days) {
            return Ok(Self(days));
        }
        let reason = format!("is {days}; expected {expected}");
        Err(InvalidValue::new("days", reason))
    }
}

/// An optional number of days: [`Days`] or an `Option` of them.
#[diagnostic::on_unimplemented(message = "expected `Days::new(7)?` or `None`, not `{Self}`")]
pub trait OptionalDays: Into<Option<Days>> {}

impl OptionalDays for Days {}

impl OptionalDays for Option<Days> {}

impl From<Days> for u16 {
    fn from(days: Days) -> Self {
        days.0
    }
}

impl Default for Days {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Days {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(days) => Self::new(days),
            Err(_) => {
                let found = quoted_start(text);
                let reason = format!("is {found}; expected a whole number from 1 to 365");
                Err(InvalidValue::new("days", reason))
            }
        }
    }
}

impl TryFrom<u16> for Days {
    type Error = InvalidValue;

    fn try_from(days: u16) -> Result<Self, Self::Error> {
        Self::new(days)
    }
}

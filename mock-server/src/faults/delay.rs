//! The delay of a response.

use std::f64::consts::TAU;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::invalid::invalid;
use crate::engine::SeededHash;
use crate::input::InvalidInput;

/// With a larger spread, nearly all delays are either 0 or practically infinite.
const MAX_SIGMA: f64 = 10.0;

/// The delay of a response, in milliseconds. Random delays are derived from the world's seed.
///
/// ```
/// use mock_server::faults::Delay;
///
/// let delay: Delay = serde_json::from_str(r#"{"uniform": {"from": 10, "to": 50}}"#)?;
/// assert_eq!(delay, Delay::Uniform { from: 10, to: 50 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Delay {
    /// A constant delay: `{"fixed": {"milliseconds": 250}}`.
    Fixed {
        /// The delay, in milliseconds.
        milliseconds: u64,
    },
    /// A uniformly distributed delay: `{"uniform": {"from": 10, "to": 50}}`.
    Uniform {
        /// The minimum, in milliseconds.
        from: u64,
        /// The maximum, in milliseconds; at least `from`.
        to: u64,
    },
    /// A log-normally distributed delay, as in real networks:
    /// `{"log_normal": {"median": 80, "sigma": 0.5}}`.
    LogNormal {
        /// The median, in milliseconds.
        median: u64,
        /// The standard deviation of the logarithm, from 0 to 10. 0 is a constant delay, 0.5 a typical
        /// network, 1 a bad network.
        sigma: f64,
    },
}

impl Delay {
    pub(super) fn check(&self) -> Result<(), InvalidInput> {
        match *self {
            Self::Uniform { from, to } if from > to => Err(invalid(format!(
                "the delay ranges from {from} to {to}; expected `from` to be at most `to`"
            ))),
            Self::LogNormal { sigma, .. } if !(0.0..=MAX_SIGMA).contains(&sigma) => Err(invalid(
                format!("sigma is {sigma}; expected a number from 0 to 10"),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the delay for a point of the seeded sequence.
    pub(super) fn at(&self, point: SeededHash) -> Duration {
        match *self {
            Self::Fixed { milliseconds } => Duration::from_millis(milliseconds),
            Self::Uniform { from, to } => {
                let span = (to - from).saturating_add(1);
                Duration::from_millis(from + point.below(span))
            }
            Self::LogNormal { median, sigma } => {
                let factor = (sigma * standard_normal(point)).exp();
                let seconds = median as f64 / 1000.0 * factor;
                Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
            }
        }
    }
}

/// Returns a standard normal number (Box–Muller transform).
fn standard_normal(point: SeededHash) -> f64 {
    // The logarithm needs a positive number.
    let radius = (-2.0 * (1.0 - point.mix(1).fraction()).ln()).sqrt();
    radius * (TAU * point.mix(2).fraction()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(delay: Delay) -> Vec<u128> {
        let points = (0..1000).map(|number| SeededHash::new(7).mix(number));
        points.map(|point| delay.at(point).as_millis()).collect()
    }

    #[test]
    fn a_uniform_delay_covers_exactly_its_range() {
        let mut found = milliseconds(Delay::Uniform { from: 3, to: 6 });
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [3, 4, 5, 6]);
        let widest = Delay::Uniform {
            from: 0,
            to: u64::MAX,
        };
        assert_eq!(milliseconds(widest).len(), 1000);
    }

    #[test]
    fn half_of_the_log_normal_delays_are_below_the_median() {
        let delays = milliseconds(Delay::LogNormal {
            median: 80,
            sigma: 0.5,
        });
        let below = delays.iter().filter(|delay| **delay < 80).count();
        assert!((450..550).contains(&below), "{below}");
        let steady = milliseconds(Delay::LogNormal {
            median: 80,
            sigma: 0.0,
        });
        assert!(steady.iter().all(|delay| *delay == 80));
    }

    #[test]
    fn rejects_a_sigma_outside_its_range() {
        let delay = |sigma| Delay::LogNormal { median: 80, sigma };
        assert_eq!(delay(MAX_SIGMA).check(), Ok(()));
        for sigma in [-0.1, 10.1, f64::MAX, f64::INFINITY, f64::NAN] {
            let error = delay(sigma).check().unwrap_err();
            let expected = format!("sigma is {sigma}; expected a number from 0 to 10");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn an_extreme_delay_does_not_overflow() {
        let wild = Delay::LogNormal {
            median: u64::MAX,
            sigma: f64::MAX,
        };
        assert_eq!(milliseconds(wild).len(), 1000);
    }
}

//! The random part of waits, which spreads the retries of many clients.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

/// A source of random numbers from 0 to 1.
pub(crate) type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The standard library seeds each hasher randomly, which is random enough here.
pub(crate) fn random_fraction() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    bits as f64 / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::random_fraction;

    #[test]
    fn fractions_spread_over_the_whole_range() {
        let drawn: Vec<_> = (0..1000).map(|_| random_fraction()).collect();
        assert!(drawn.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        let low = drawn.iter().filter(|fraction| **fraction < 0.25).count();
        assert!((150..350).contains(&low), "{low}");
    }
}

//! The random part of waits, which spreads the retries of many clients.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

/// A source of random numbers from 0 to 1.
#[derive(Clone)]
pub(crate) struct Jitter {
    source: Arc<dyn Fn() -> f64 + Send + Sync>,
}

impl Jitter {
    pub(crate) fn new(source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self {
            source: Arc::new(source),
        }
    }

    pub(crate) fn next(&self) -> f64 {
        (self.source)()
    }
}

impl Default for Jitter {
    fn default() -> Self {
        Self::new(random_fraction)
    }
}

impl fmt::Debug for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jitter")
    }
}

/// The standard library seeds each hasher randomly, which is random enough here.
fn random_fraction() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    bits as f64 / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Jitter;

    #[test]
    fn fractions_spread_over_the_whole_range() {
        let jitter = Jitter::default();
        let drawn: Vec<_> = (0..1000).map(|_| jitter.next()).collect();
        assert!(drawn.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        let low = drawn.iter().filter(|fraction| **fraction < 0.25).count();
        assert!((150..350).contains(&low), "{low}");
    }
}

//! A value with a stamp that tells whether it can have changed.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that gets a new stamp whenever somebody may write to it.
///
/// Two that have the same stamp hold the same. Nobody has to remember to stamp: there is no way to
/// the value but through `DerefMut`, which does.
#[derive(Clone, Debug)]
pub(super) struct Stamped<T> {
    value: T,
    stamp: Stamp,
}

/// One of a kind within the process, but for copies of the value that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp(u64);

impl Stamp {
    fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

impl<T> Stamped<T> {
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp
    }
}

impl<T> From<T> for Stamped<T> {
    fn from(value: T) -> Self {
        let stamp = Stamp::new();
        Self { value, stamp }
    }
}

impl<T: Default> Default for Stamped<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T> Deref for Stamped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Stamped<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.stamp = Stamp::new();
        &mut self.value
    }
}

impl<T: PartialEq> PartialEq for Stamped<T> {
    /// What is equal need not have the same stamp.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Stamped<T> {}

impl<T: Serialize> Serialize for Stamped<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Stamped<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_lasts_until_somebody_may_write() {
        let mut number = Stamped::from(7);
        let (copy, first) = (number.clone(), number.stamp());
        assert_eq!(*number, 7);
        assert_eq!(number.stamp(), first);
        *number = 7;
        assert_ne!(number.stamp(), first);
        assert_eq!(number, copy, "the same again, and yet it was written");
        assert_eq!(copy.stamp(), first);
        assert_ne!(Stamped::from(7).stamp(), first);
    }
}

//! Pseudorandom numbers that depend only on a seed. Unlike the hashers of the standard library, they
//! are the same on every machine and in every version.

/// A hash of a seed and the values mixed into it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeededHash(u64);

impl SeededHash {
    pub(crate) fn new(seed: u64) -> Self {
        Self(0).mix(seed)
    }

    pub(crate) fn mix_str(self, string: &str) -> Self {
        let hash = self.mix(string.len() as u64);
        string.bytes().map(u64::from).fold(hash, Self::mix)
    }

    /// Mixes a number into the hash with one step of SplitMix64.
    pub(crate) fn mix(self, number: u64) -> Self {
        let mut bits = (self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(bits ^ (bits >> 31))
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// Returns a number in `0..bound`.
    pub(crate) fn below(self, bound: u64) -> u64 {
        self.0 % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_stable() {
        assert_eq!(SeededHash::new(0).value(), 0xe220_a839_7b1d_cdaf);
        assert_ne!(
            SeededHash::new(1).mix_str("ab").mix_str("c").value(),
            SeededHash::new(1).mix_str("a").mix_str("bc").value()
        );
    }
}

//! Numbers that look random and follow from a seed alone, the same on every machine and in every
//! version: the standard library's hasher promises neither.

/// A point in an endless tree of numbers. Every step leads to another number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeededHash(u64);

impl SeededHash {
    pub(crate) fn new(seed: u64) -> Self {
        Self(0).mix(seed)
    }

    pub(crate) fn mix_str(self, text: &str) -> Self {
        let length = self.mix(text.len() as u64);
        text.bytes()
            .fold(length, |point, byte| point.mix(u64::from(byte)))
    }

    /// One step of SplitMix64, with `number` mixed in.
    pub(crate) fn mix(self, number: u64) -> Self {
        let mut bits = (self.0 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self(bits ^ (bits >> 31))
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// A number from 0 up to, and not including, `bound`.
    pub(crate) fn below(self, bound: u64) -> u64 {
        self.0 % bound
    }

    /// A number from 0 up to, and not including, 1.
    pub(crate) fn fraction(self) -> f64 {
        // A float holds 53 bits exactly.
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        assert_eq!(SeededHash::new(0).value(), 0xe220_a839_7b1d_cdaf);
        assert_ne!(
            SeededHash::new(1).mix_str("ab").mix_str("c").value(),
            SeededHash::new(1).mix_str("a").mix_str("bc").value()
        );
    }
}

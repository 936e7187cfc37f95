//! Hex, for a digest of 32 bytes.

use alloc::string::String;

/// The value of each hex digit, and [`INVALID`] for every other byte.
const VALUES: [u8; 256] = values();
const INVALID: u8 = 0xff;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
        .collect()
}

/// The bytes that the digits stand for, or the position of the first byte that is no digit.
pub(crate) fn decode(digits: &[u8; 64]) -> Result<[u8; 32], usize> {
    let mut bytes = [0; 32];
    let mut seen = 0;
    // One look at the end instead of one for each digit: this is the only work
    // beside the hash that every delivery costs.
    for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        seen |= high | low;
        *byte = high << 4 | low & 0xf;
    }
    if seen == INVALID {
        return Err(digits
            .iter()
            .position(|&digit| value(digit).is_none())
            .unwrap_or(0));
    }
    Ok(bytes)
}

pub(crate) fn value(digit: u8) -> Option<u8> {
    let value = VALUES[usize::from(digit)];
    (value != INVALID).then_some(value)
}

const fn values() -> [u8; 256] {
    let mut values = [INVALID; 256];
    let mut value = 0;
    while value < 16 {
        let digit = DIGITS[value as usize];
        values[digit as usize] = value;
        values[digit.to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_digit_or_is_not() {
        for byte in 0..=255u8 {
            let expected = char::from(byte).to_digit(16).map(|value| value as u8);
            assert_eq!(value(byte), expected);
        }
    }
}

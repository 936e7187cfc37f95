//! Hex, for a digest of 32 bytes.

use alloc::string::String;

/// What [`value_or_invalid`] has for a byte that is no digit.
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
    // No branch depends on a single digit, so that the compiler handles sixteen
    // at a time: this is the only work beside the hash that every delivery costs.
    let mut values = [0; 64];
    let mut seen = 0;
    for (value, &digit) in values.iter_mut().zip(digits) {
        *value = value_or_invalid(digit);
        seen |= *value;
    }
    if seen == INVALID {
        return Err(values
            .iter()
            .position(|&value| value == INVALID)
            .unwrap_or(0));
    }
    let mut bytes = [0; 32];
    for (byte, [high, low]) in bytes.iter_mut().zip(values.as_chunks().0) {
        *byte = high << 4 | low;
    }
    Ok(bytes)
}

#[cfg(feature = "explain")]
pub(crate) fn value(digit: u8) -> Option<u8> {
    let value = value_or_invalid(digit);
    (value != INVALID).then_some(value)
}

fn value_or_invalid(digit: u8) -> u8 {
    let decimal = digit.wrapping_sub(b'0');
    // Setting this bit makes a small letter of a capital one and of nothing else.
    let letter = (digit | 0x20).wrapping_sub(b'a');
    match (decimal < 10, letter < 6) {
        (true, _) => decimal,
        (_, true) => letter + 10,
        _ => INVALID,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_digit_or_is_not() {
        for byte in 0..=255u8 {
            let expected = char::from(byte)
                .to_digit(16)
                .map_or(INVALID, |value| value as u8);
            assert_eq!(value_or_invalid(byte), expected);
        }
    }
}

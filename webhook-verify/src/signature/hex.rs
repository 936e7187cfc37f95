//! Hex encoding of digests.

use alloc::string::String;

/// The result of [`value_or_invalid`] for a byte that is not a hex digit.
const INVALID: u8 = 0xff;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
        .collect()
}

/// Decodes the digits, or returns the position of the first byte that is not a hex digit.
pub(crate) fn decode(digits: &[u8; 64]) -> Result<[u8; 32], usize> {
    // Without a branch per digit, the compiler vectorizes this loop, which is the main cost of
    // verification besides the hash.
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
    // Setting this bit converts upper case to lower case, and turns no other byte into a-f.
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
    fn agrees_with_to_digit_for_every_byte() {
        for byte in 0..=255u8 {
            let expected = char::from(byte)
                .to_digit(16)
                .map_or(INVALID, |value| value as u8);
            assert_eq!(value_or_invalid(byte), expected);
        }
    }
}

//! Base64 in the standard alphabet, for a digest of 32 bytes: 43 digits and one `=`.

use alloc::string::String;
use core::array;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Why 44 characters are no digest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Base64Error {
    /// The byte at this position cannot stand there.
    Byte { position: usize },
    /// The last digit has bits that belong to no byte, so another text means the same digest.
    StrayBits { digit: u8 },
}

pub(crate) fn encode(digest: &[u8; 32]) -> String {
    let digit = |bits: u32| char::from(ALPHABET[(bits & 0x3f) as usize]);
    let (threes, rest) = digest.as_chunks::<3>();
    let mut text = String::with_capacity(44);
    for &[first, second, third] in threes {
        let bits = u32::from_be_bytes([0, first, second, third]);
        text.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
    }
    let bits = rest
        .iter()
        .fold(0, |bits, &byte| bits << 8 | u32::from(byte))
        << 2;
    text.extend([12, 6, 0].map(|shift| digit(bits >> shift)));
    text.push('=');
    text
}

pub(crate) fn decode(text: &[u8; 44]) -> Result<[u8; 32], Base64Error> {
    let (digits, _) = text.split_at(43);
    let mut values = [0u32; 44];
    for (position, &digit) in digits.iter().enumerate() {
        let value = value(digit).ok_or(Base64Error::Byte { position })?;
        values[position] = u32::from(value);
    }
    if text[43] != b'=' {
        return Err(Base64Error::Byte { position: 43 });
    }
    if values[42] & 0b11 != 0 {
        return Err(Base64Error::StrayBits { digit: text[42] });
    }
    Ok(array::from_fn(|index| byte_at(&values, index)))
}

/// Whether `text` has the form of a digest in base64.
pub(crate) fn is_digest(text: &[u8]) -> bool {
    match text {
        [digits @ .., b'='] => {
            digits.len() == 43 && digits.iter().all(|&digit| value(digit).is_some())
        }
        _ => false,
    }
}

pub(crate) fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Three bytes lie in four digits of six bits each.
fn byte_at(values: &[u32; 44], index: usize) -> u8 {
    let group = &values[index / 3 * 4..][..4];
    let bits = group.iter().fold(0, |bits, value| bits << 6 | value);
    bits.to_be_bytes()[1 + index % 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_the_alphabet_has_its_value_and_no_other_has() {
        for byte in 0..=255 {
            let expected = ALPHABET.iter().position(|&digit| digit == byte);
            assert_eq!(value(byte).map(usize::from), expected);
        }
    }

    #[test]
    fn what_is_encoded_decodes() {
        for first in 0..=255u8 {
            let digest = array::from_fn(|index| {
                first
                    .wrapping_mul(7)
                    .wrapping_add((index as u8).wrapping_mul(31))
            });
            let text = encode(&digest);
            assert!(is_digest(text.as_bytes()));
            assert_eq!(decode(text.as_bytes().try_into().unwrap()), Ok(digest));
        }
    }
}

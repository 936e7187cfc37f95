//! Names of event kinds that the specification does not list.

use core::fmt;

use crate::EventKindError;

/// The name of an event kind that the specification does not list: 1 to 64 bytes of visible ASCII,
/// which is safe to log.
///
/// Stored inline, without allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventName {
    length: u8,
    // Bytes past the length are zero, so that the derived `PartialEq` and `Hash` are correct.
    bytes: [u8; Self::MAX_LENGTH],
}

impl EventName {
    /// The maximum length in bytes.
    pub const MAX_LENGTH: usize = 64;

    pub(crate) fn new(name: &[u8]) -> Result<Self, EventKindError> {
        if name.is_empty() {
            return Err(EventKindError::Empty);
        }
        if name.len() > Self::MAX_LENGTH {
            return Err(EventKindError::TooLong { length: name.len() });
        }
        // Only visible ASCII, so that a name cannot forge log lines.
        if let Some(position) = name.iter().position(|byte| !byte.is_ascii_graphic()) {
            return Err(EventKindError::InvalidByte {
                position,
                byte: name[position],
            });
        }
        let mut bytes = [0; Self::MAX_LENGTH];
        bytes[..name.len()].copy_from_slice(name);
        Ok(Self {
            length: name.len() as u8,
            bytes,
        })
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let name = &self.bytes[..usize::from(self.length)];
        core::str::from_utf8(name).expect("a name is visible ASCII")
    }
}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

//! The two headers of a delivery.

use crate::event::{EventKind, EventKindError};
use crate::signature::VerifyError;

/// The name of the header with the signature, in lower case as in HTTP/2.
pub const SIGNATURE_HEADER: &str = "x-service-signature";

/// The name of the header with the event kind, in lower case as in HTTP/2.
pub const EVENT_HEADER: &str = "x-service-event";

// Arrays, because comparing arrays of the same length takes a few instructions.
const SIGNATURE_NAME: &[u8; 19] = array_of(SIGNATURE_HEADER);
const EVENT_NAME: &[u8; 15] = array_of(EVENT_HEADER);

const fn array_of<const LENGTH: usize>(name: &'static str) -> &'static [u8; LENGTH] {
    name.as_bytes().first_chunk().expect("the lengths match")
}

/// The signature and event kind headers of a delivery, as raw bytes. (Specification: Events.)
#[derive(Debug, Clone, Copy)]
pub struct Headers<'h> {
    signature: Values<'h>,
    event: Values<'h>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Values<'h> {
    count: usize,
    last: &'h [u8],
}

impl<'h> Headers<'h> {
    /// Finds the two headers in all headers of a request. Names are case-insensitive.
    ///
    /// Accepts pairs of names and values that can be read as bytes: `&http::HeaderMap`, or an
    /// iterator over a slice or map.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Headers;
    ///
    /// let map = http::HeaderMap::new();
    /// let headers = Headers::new(&map);
    ///
    /// let pairs = vec![("x-service-event".to_owned(), b"post.liked".to_vec())];
    /// let headers = Headers::new(pairs.iter().map(|(name, value)| (name, value)));
    /// ```
    pub fn new<'n, N, V>(pairs: impl IntoIterator<Item = (&'n N, &'h V)>) -> Self
    where
        N: AsRef<[u8]> + ?Sized + 'n,
        V: AsRef<[u8]> + ?Sized + 'h,
    {
        let mut signature = Values::default();
        let mut event = Values::default();
        // Check all pairs, because a second signature can be anywhere.
        for (name, value) in pairs {
            if is_named(name.as_ref(), SIGNATURE_NAME) {
                signature.add(value.as_ref());
            } else if is_named(name.as_ref(), EVENT_NAME) {
                event.add(value.as_ref());
            }
        }
        Self { signature, event }
    }

    pub(crate) fn signature(&self) -> Result<&'h [u8], VerifyError> {
        match self.signature.count {
            0 => Err(VerifyError::SignatureMissing),
            1 => Ok(self.signature.last),
            count => Err(VerifyError::SignatureDuplicate { count }),
        }
    }

    pub(crate) fn event_kind(&self) -> Result<EventKind, EventKindError> {
        match self.event.count {
            0 => Err(EventKindError::Missing),
            1 => EventKind::try_from(self.event.last),
            count => Err(EventKindError::Duplicate { count }),
        }
    }
}

fn is_named<const LENGTH: usize>(name: &[u8], header: &[u8; LENGTH]) -> bool {
    let is_equal = |name: &[u8; LENGTH]| name == header || name.eq_ignore_ascii_case(header);
    name.try_into().is_ok_and(is_equal)
}

#[cfg(feature = "http")]
impl<'h> From<&'h http::HeaderMap> for Headers<'h> {
    fn from(map: &'h http::HeaderMap) -> Self {
        Self::new(map)
    }
}

impl<'h> Values<'h> {
    fn add(&mut self, value: &'h [u8]) {
        self.count += 1;
        self.last = value;
    }
}

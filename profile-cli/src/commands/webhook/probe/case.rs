//! A delivery with the response that a correct receiver returns.

use reqwest::header::HeaderValue;

use crate::commands::webhook::delivery::Delivery;

/// A delivery to send.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) expected: Expected,
    /// The reason why the case matters.
    pub(super) reason: &'static str,
    pub(super) delivery: Delivery,
}

/// The response of a correct receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Accepted,
    Rejected,
    /// The specification permits both.
    Either,
}

impl Case {
    /// Creates a case with a signature for each value.
    pub(super) fn new<V: AsRef<str>>(
        expected: Expected,
        name: &'static str,
        signatures: impl IntoIterator<Item = V>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let kind = HeaderValue::from_static("post.liked");
        let mut delivery = Delivery::new(kind, body.into());
        for signature in signatures {
            delivery.add_signature(signature.as_ref());
        }
        Self {
            name,
            expected,
            reason: "",
            delivery,
        }
    }

    /// Sets the reason why the case matters.
    pub(super) fn because(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// Replaces the event kind in the header, or removes it.
    pub(super) fn event_kind(mut self, kind: Option<&'static str>) -> Self {
        self.delivery.set_kind(kind.map(HeaderValue::from_static));
        self
    }
}

impl Expected {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Either => "either",
        }
    }
}

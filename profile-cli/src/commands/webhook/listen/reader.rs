//! Reads the body of a delivery, as far as it is allowed to be long and slow.

use std::fmt;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};

/// How long a body may take, so that nobody holds connections by being slow.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a body could not be read.
#[derive(Debug)]
pub(super) enum Unread {
    TooLarge { bytes: u64, limit: usize },
    TooSlow { bytes: u64 },
    Broken { bytes: u64, reason: String },
}

/// Reads the whole body. What goes beyond the limit is read too, and not kept, since a sender that
/// is still writing would not see the answer.
pub(super) async fn read(
    mut body: Incoming,
    limit: usize,
    waits_for_consent: bool,
) -> Result<Bytes, Unread> {
    let announced = body.size_hint().lower();
    if waits_for_consent && announced > limit as u64 {
        let bytes = announced;
        return Err(Unread::TooLarge { bytes, limit });
    }
    let mut come = Come::default();
    let read = tokio::time::timeout(BODY_TIMEOUT, come.read(&mut body, limit)).await;
    let Come { kept, bytes } = come;
    match read {
        _ if bytes > limit as u64 => Err(Unread::TooLarge { bytes, limit }),
        Ok(Ok(())) => Ok(kept.freeze()),
        Ok(Err(error)) => {
            let reason = error.to_string();
            Err(Unread::Broken { bytes, reason })
        }
        Err(_) => Err(Unread::TooSlow { bytes }),
    }
}

/// What has come of a body.
#[derive(Default)]
struct Come {
    kept: BytesMut,
    bytes: u64,
}

impl Come {
    async fn read(&mut self, body: &mut Incoming, limit: usize) -> Result<(), hyper::Error> {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            self.bytes += data.len() as u64;
            if self.bytes <= limit as u64 {
                self.kept.extend_from_slice(&data);
            }
        }
        Ok(())
    }
}

impl Unread {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::Broken { .. } => StatusCode::BAD_REQUEST,
        }
    }

    /// How many bytes came, or were announced.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::TooLarge { bytes, .. } | Self::TooSlow { bytes } | Self::Broken { bytes, .. } => {
                *bytes
            }
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, limit } => write!(
                f,
                "the body has {bytes} bytes or more; at most {limit} are taken (--max-body)"
            ),
            Self::TooSlow { .. } => {
                let seconds = BODY_TIMEOUT.as_secs();
                write!(f, "the body did not come within {seconds} seconds")
            }
            Self::Broken { reason, .. } => write!(f, "the body broke off: {reason}"),
        }
    }
}

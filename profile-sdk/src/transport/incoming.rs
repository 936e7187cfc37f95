//! A response whose body has not been read yet.

use std::time::Duration;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::network::transport_error;
use crate::error::Error;

/// A response whose body has not been read yet.
pub(super) enum Incoming {
    Network {
        response: reqwest::Response,
        timeout: Duration,
    },
    #[cfg(feature = "tower")]
    Layered {
        response: http::Response<super::response_body::ResponseBody>,
        deadline: tokio::time::Instant,
        timeout: Duration,
    },
}

impl Incoming {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Network { response, .. } => response.status(),
            #[cfg(feature = "tower")]
            Self::Layered { response, .. } => response.status(),
        }
    }

    pub(super) fn headers_mut(&mut self) -> &mut HeaderMap {
        match self {
            Self::Network { response, .. } => response.headers_mut(),
            #[cfg(feature = "tower")]
            Self::Layered { response, .. } => response.headers_mut(),
        }
    }

    /// Returns the next part of the body, or `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match self {
            Self::Network { response, timeout } => response
                .chunk()
                .await
                .map_err(|error| transport_error(error, *timeout)),
            #[cfg(feature = "tower")]
            Self::Layered {
                response,
                deadline,
                timeout,
            } => {
                use http_body_util::BodyExt as _;

                loop {
                    let frame = response.body_mut().frame();
                    let frame = tokio::time::timeout_at(*deadline, frame).await;
                    let frame = frame.map_err(|_| super::network::timed_out(*timeout))?;
                    match frame.transpose()?.map(http_body::Frame::into_data) {
                        Some(Ok(data)) => return Ok(Some(data)),
                        // Trailers.
                        Some(Err(_)) => {}
                        None => return Ok(None),
                    }
                }
            }
        }
    }
}

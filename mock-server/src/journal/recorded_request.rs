//! A request as the journal shows it.

use jiff::Timestamp;
use serde::Serialize;

use super::entry::View;
use crate::bytes_in_json;

/// One request that came, without its key, and what was answered.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// for request in server.journal().requests() {
///     match request.status {
///         Some(status) => println!("{} was answered with {status}", request.path),
///         None => println!("{} met the fault {:?}", request.path, request.fault),
///     }
/// }
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// Its place among all requests to the server; the first is 1.
    pub number: u64,
    /// When it was answered, by the world's clock: RFC 3339 in UTC, to the millisecond.
    pub at: String,
    /// The method.
    pub method: String,
    /// The path as it came, still percent-encoded.
    pub path: String,
    /// The path of the endpoint, such as `/api/v1/me/links/{id}`; nothing for any other path.
    pub endpoint: Option<&'static str>,
    /// What follows the `?`, still percent-encoded.
    pub query: Option<String>,
    /// What the key is called: `all`, `none` and so on as in [`Keys`](crate::Keys), `key7` for one
    /// that was made later, `unknown` for one that the service does not know, nothing without one.
    pub key: Option<String>,
    /// Names and values in the order in which they came, but for `Authorization` and
    /// `Proxy-Authorization`.
    pub headers: Vec<(String, String)>,
    /// The body, or its beginning. JSON has it as a string, or as `{"base64": "…"}` when it is not
    /// UTF-8.
    #[serde(with = "bytes_in_json")]
    pub body: Vec<u8>,
    /// How many bytes the whole body had.
    pub body_length: usize,
    /// The status that the client got; nothing when the connection ended without an answer.
    pub status: Option<u16>,
    /// The name of the fault that the request met, such as `reset`. A delay is told only where there
    /// is no other.
    pub fault: Option<String>,
}

impl RecordedRequest {
    pub(super) fn new(entry: &View<'_>) -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            number: entry.number,
            at: in_milliseconds(entry.at).to_string(),
            method: text(entry.method),
            path: text(entry.path),
            endpoint: entry.endpoint,
            query: entry.query.map(text),
            key: entry.key.map(text),
            headers: entry
                .headers()
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            body: entry.body.to_vec(),
            body_length: entry.body_length,
            status: entry.status,
            fault: entry.fault.map(text),
        }
    }
}

fn in_milliseconds(instant: Timestamp) -> Timestamp {
    // Within the last second of all time there are no milliseconds; no clock comes there.
    Timestamp::from_millisecond(instant.as_millisecond()).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instant_can_be_shown() {
        let shown = |instant: Timestamp| in_milliseconds(instant).to_string();
        let instant = "2026-03-01T12:00:00.123456Z".parse().unwrap();
        assert_eq!(shown(instant), "2026-03-01T12:00:00.123Z");
        assert_eq!(shown(Timestamp::MAX), "9999-12-30T22:00:00.999999999Z");
    }
}

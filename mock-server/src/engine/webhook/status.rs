//! The status of a webhook.

use serde::Serialize;

use super::sink::SinkStatus;

/// The status of a webhook, without its secret.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let server = mock_server::MockServer::start().await;
/// server.webhook().use_sink("500 x9, 200", "whsec_test")?;
/// let status = server.webhook().status()?;
/// assert_eq!(status.receiver.as_deref(), Some("sink"));
/// assert!(status.active);
/// # Ok::<(), mock_server::webhook::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WebhookStatus {
    /// The URL of the receiver, or `sink`; `None` without a receiver.
    pub receiver: Option<String>,
    /// `true` if the webhook is on and has a receiver.
    pub active: bool,
    /// Number of failures since the last success.
    pub consecutive_failures: u32,
    /// The sink, if it is the receiver.
    pub sink: Option<SinkStatus>,
}

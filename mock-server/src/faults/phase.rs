//! The point at which a fault occurs.

use serde::{Deserialize, Serialize};

/// The point at which a fault occurs: before or after the request is carried out.
///
/// ```
/// use mock_server::faults::Phase;
/// use mock_server::{Fault, FaultRule};
///
/// assert_eq!(FaultRule::new(Fault::status(503)).phase, Phase::Before);
/// assert_eq!(FaultRule::new(Fault::EmptyBody).phase, Phase::After);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The request is not carried out; nothing is written.
    Before,
    /// The request is carried out; only its response is affected.
    After,
}

//! The period before the requested one, with which a drawing compares.

use std::time::Duration;

use profile_sdk::{Days, Handle, RetryPolicy, UserStats};

use crate::outcome::failure::{Failure, FailureKind};
use crate::session::Session;

/// Returns the views in the period of the same length before that of the statistics, if the service
/// returns enough days: requests twice as many days and subtracts the views of the period.
///
/// The second response cannot replace the statistics, since its devices and countries cover both
/// periods. The comparison is optional: the request is not retried and does not wait for the rate
/// limit, and its errors are ignored.
pub(super) fn views_before(
    handle: &Handle,
    stats: &UserStats,
    is_own: bool,
    session: &Session<'_>,
) -> Result<Option<u64>, Failure> {
    let Some(period) = &stats.period else {
        return Ok(None);
    };
    // The service returns devices only to the owner.
    let devices = stats.devices.as_ref();
    let has_devices = devices.is_some_and(|devices| devices.desktop.is_some());
    let max = match is_own || has_devices {
        true => Days::MAX_OWN,
        false => Days::MAX_OTHER,
    };
    let days = u16::try_from(period.days.saturating_mul(2)).ok();
    let days = days.filter(|days| *days <= max);
    let Some(days) = days.and_then(|days| Days::new(days).ok()) else {
        return Ok(None);
    };
    let at_once = RetryPolicy::none().max_wait(Duration::ZERO);
    let call = session.client()?.user_stats(handle, days).retry(at_once);
    let both = match session.read(call) {
        Ok(response) => response.into_data().period,
        Err(failure) if failure.kind == FailureKind::Interrupted => return Err(failure),
        Err(_) => None,
    };
    let both = both.filter(|both| both.days == u64::from(days.get()));
    Ok(both.and_then(|both| both.views.checked_sub(period.views)))
}

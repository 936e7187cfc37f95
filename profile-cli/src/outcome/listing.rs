//! Lists of links and posts, which are part of the profile.

use std::collections::BTreeMap;

use profile_sdk::{Profile, Response};
use serde_json::value::RawValue;

use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};

/// Reports a list of the profile. Fails if the response does not contain it.
pub(crate) fn report_listing(
    response: &Response<Profile>,
    name: &str,
    shown: Option<View>,
) -> Result<Report, Failure> {
    let Some(shown) = shown else {
        let message = format!("the profile in the response does not contain your {name}");
        let hint = "`profile show --json` prints the complete profile";
        return Err(Failure::new(FailureKind::Other, message).hint(hint));
    };
    let listed = response
        .raw_data()
        .and_then(|data| serde_json::from_str::<BTreeMap<String, &RawValue>>(data).ok())
        .and_then(|fields| fields.get(name).copied())
        .map_or("[]", RawValue::get);
    Ok(Report::new(listed, shown))
}

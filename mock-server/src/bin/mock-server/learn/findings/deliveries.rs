//! Findings in recorded webhook deliveries.

use serde_json::{Value, json};

use crate::learn::delivery::{Delivery, Encoding};
use crate::learn::finding::{Finding, Found};
use crate::learn::observations::Observations;

/// Returns the value that all deliveries have.
fn common(
    observations: &Observations,
    value: fn(&Delivery) -> Option<&'static str>,
    found: fn(&Delivery) -> Value,
) -> Found {
    let first = observations.deliveries.first().ok_or("needs --delivery")?;
    let learned = value(first);
    let other = observations
        .deliveries
        .iter()
        .find(|one| value(one) != learned);
    Ok(match other {
        Some(other) => Finding::Outside {
            sample: other.sample(found(other)),
        },
        None => Finding::learned(learned, first.sample(found(first))),
    })
}

pub(in crate::learn) fn signature_encoding(observations: &Observations) -> Found {
    let encoding = |delivery: &Delivery| match delivery.digest()?.0 {
        Encoding::Hex => Some("hex"),
        Encoding::Base64 => Some("base64"),
        Encoding::UpperHex => None,
    };
    common(
        observations,
        encoding,
        |delivery| json!({ "x-service-signature": delivery.header("x-service-signature") }),
    )
}

pub(in crate::learn) fn payload(observations: &Observations) -> Found {
    let shape = |delivery: &Delivery| {
        let Ok(body) = serde_json::from_slice::<Value>(&delivery.body) else {
            return Some("not_json");
        };
        let is_envelope = body["type"].as_str() == delivery.header("x-service-event")
            && body["created_at"].is_string()
            && body.get("data").is_some();
        Some(if is_envelope { "envelope" } else { "bare" })
    };
    // The values may be private.
    common(
        observations,
        shape,
        |delivery| match serde_json::from_slice::<Value>(&delivery.body) {
            Ok(Value::Object(fields)) => json!({ "fields": fields.keys().collect::<Vec<_>>() }),
            Ok(_) => json!("JSON that is not an object"),
            Err(_) => json!("not JSON"),
        },
    )
}

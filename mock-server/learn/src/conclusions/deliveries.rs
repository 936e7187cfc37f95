//! The settings that recorded webhook deliveries show.

use serde_json::{Value, json};

use super::learner::Learner;
use crate::answer::without_texts;
use crate::delivery::{Delivery, decode};
use crate::finding::{Finding, Found, Sample};

/// Returns the value that all deliveries show, or the first that shows another one.
fn find(learner: &Learner<'_>, observe: fn(&Delivery) -> (Option<&str>, Sample)) -> Found {
    let mut observed = learner.all.deliveries.iter().map(observe);
    let (value, sample) = observed.next().ok_or("needs --delivery")?;
    let other = observed.find(|(other, _)| *other != value);
    match (value, other) {
        (Some(value), None) => Ok(Finding::Learned {
            value: json!(value),
            sample,
        }),
        (_, other) => Ok(Finding::Outside {
            sample: other.map_or(sample, |(_, sample)| sample),
        }),
    }
}

pub(super) fn encoding(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let signature = delivery.header("x-service-signature");
        let encoding = signature.and_then(decode).map(|(encoding, _)| encoding);
        // No dialect has it.
        let encoding = encoding.filter(|encoding| *encoding != "upper_hex");
        let sample = delivery.sample(json!({ "x-service-signature": signature }));
        (encoding, sample)
    })
}

pub(super) fn payload(learner: &Learner<'_>) -> Found {
    find(learner, |delivery| {
        let Ok(body) = serde_json::from_slice::<Value>(&delivery.body) else {
            return (Some("not_json"), delivery.sample("not JSON"));
        };
        let is_envelope = body["type"].as_str() == delivery.header("x-service-event")
            && body["created_at"].is_string()
            && body.get("data").is_some();
        let kind = if is_envelope { "envelope" } else { "bare" };
        (Some(kind), delivery.sample(without_texts(&body)))
    })
}

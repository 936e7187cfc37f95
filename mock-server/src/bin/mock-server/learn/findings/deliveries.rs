//! Values in recorded webhook deliveries.

use serde_json::{Value, json};

use crate::learn::answer::without_texts;
use crate::learn::delivery::{Delivery, decode};
use crate::learn::finding::{Observed, Sample};
use crate::learn::observations::Observations;

fn observe(all: &Observations, observe: fn(&Delivery) -> (Value, Sample)) -> Observed {
    match &all.deliveries[..] {
        [] => Err("needs --delivery".to_owned()),
        deliveries => Ok(deliveries.iter().map(observe).collect()),
    }
}

/// Observes the headers, and `false` if the signature does not fit the secret and the body.
pub(crate) fn headers(all: &Observations) -> Observed {
    observe(all, |delivery| {
        let [event, signature] =
            ["x-service-event", "x-service-signature"].map(|name| delivery.header(name));
        let found = json!({
            "x-service-event": event,
            "x-service-signature": signature,
            "signature fits": delivery.is_genuine,
        });
        (found.clone(), delivery.sample(found))
    })
}

pub(crate) fn encodings(all: &Observations) -> Observed {
    observe(all, |delivery| {
        let signature = delivery.header("x-service-signature");
        let encoding = signature.and_then(decode).map(|(encoding, _)| encoding);
        // No dialect has it.
        let encoding = encoding.filter(|encoding| *encoding != "upper_hex");
        (
            json!(encoding),
            delivery.sample(json!({ "x-service-signature": signature })),
        )
    })
}

pub(crate) fn payloads(all: &Observations) -> Observed {
    observe(all, |delivery| {
        let Ok(body) = serde_json::from_slice::<Value>(&delivery.body) else {
            return (json!("not_json"), delivery.sample("not JSON"));
        };
        let is_envelope = body["type"].as_str() == delivery.header("x-service-event")
            && body["created_at"].is_string()
            && body.get("data").is_some();
        let kind = if is_envelope { "envelope" } else { "bare" };
        (json!(kind), delivery.sample(without_texts(&body)))
    })
}

//! The OpenAPI document of the control API matches the requests and responses of the program.

use std::collections::BTreeSet;

use mock_server::{Fault, WireFault};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schema::CONTROL;
use crate::serving::serve;

fn dialects_in_the_documentation() -> impl Iterator<Item = Value> {
    let page = include_str!("../../../docs/dialects.md");
    let blocks = page.split("```json\n").skip(1);
    blocks.map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap())
}

/// All other tests check their requests and responses against the document, too.
#[test]
fn all_forms_of_bodies_match_the_document() {
    let serving = serve(&[]);
    for dialect in dialects_in_the_documentation() {
        serving.order(200, "PUT /worlds/default/dialect", dialect);
    }
    for clock in ["system-PT1H0.5S", "system-PT90S"] {
        serving.order(200, "PUT /worlds/default/clock", json!({"clock": clock}));
    }
    let too_early = json!({"clock": "system-PT999999999H"});
    serving.order(422, "POST /worlds", too_early);
    let script = json!([{"status": 500, "times": 1}, {"status": "timeout"}, {"status": 200}]);
    let receiver = json!({"script": script, "secret": {"base64": "/w=="}});
    serving.order(200, "PUT /worlds/default/webhook", receiver);
    serving.request("POST /me/posts").body(b"\xff").send();
    serving.read("/requests");
}

/// Returns the names of the variants, from the error for an unknown one.
fn variants<T: DeserializeOwned>() -> BTreeSet<String> {
    let refusal = serde_json::from_str::<T>("\"?\"")
        .err()
        .unwrap()
        .to_string();
    let names = refusal.split('`').skip(3).step_by(2);
    names.map(str::to_owned).collect()
}

#[test]
fn all_faults_have_a_schema_and_a_row_in_the_documentation() {
    let document = &CONTROL.value;
    let rows = include_str!("../../../docs/faults.md").lines();
    let rows: Vec<_> = rows.filter(|line| line.starts_with("| `")).collect();
    for (schema, names) in [
        ("Fault", variants::<Fault>()),
        ("WireFault", variants::<WireFault>()),
    ] {
        let forms = &document["components"]["schemas"][schema]["oneOf"];
        let plain = forms[0]["enum"].as_array().unwrap();
        let plain = plain.iter().map(|name| name.as_str().unwrap().to_owned());
        let with_settings = forms[1]["properties"].as_object().unwrap().keys().cloned();
        let documented: BTreeSet<_> = plain.chain(with_settings).collect();
        assert_eq!(documented, names, "{schema}");
        for name in names {
            let is_there = rows.iter().any(|row| row.contains(&format!("\"{name}\"")));
            assert!(is_there, "docs/faults.md has no row for {name}");
        }
    }
}

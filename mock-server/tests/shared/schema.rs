//! Checks requests and responses against the OpenAPI documents.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use boon::{Compiler, Draft, Schemas};
use serde_json::{Value, json};

use crate::request::Answer;

/// An OpenAPI document.
pub(crate) struct Document {
    pub(crate) value: Value,
    location: &'static str,
}

/// The document of the service. It is read from the YAML, from which `UPDATE_EXPECT` generates the JSON.
pub(crate) static SERVICE: LazyLock<Document> = LazyLock::new(|| Document {
    value: read("openapi.yaml"),
    location: "http://document/service",
});

/// The document of the control API.
pub(crate) static CONTROL: LazyLock<Document> = LazyLock::new(|| Document {
    value: read("control-openapi.yaml"),
    location: "http://document/control",
});

fn read(name: &str) -> Value {
    serde_yaml_ng::from_str(&text(name)).unwrap()
}

/// Reads a document when the test runs, since `UPDATE_EXPECT` writes the lists in it.
pub(crate) fn text(name: &str) -> String {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut texts = folders.map(|folder| fs::read_to_string(folder.join(name)));
    texts.find_map(Result::ok).expect(name)
}

thread_local! {
    /// The compiled schemas by the location of their document.
    static COMPILED: RefCell<HashMap<&'static str, (Compiler, Schemas)>> = RefCell::default();
}

impl Document {
    /// Returns the errors of a value against the schema at a pointer.
    pub(crate) fn schema_error(&self, value: &Value, place: &str) -> Option<String> {
        let fragment = place.replace('{', "%7B").replace('}', "%7D");
        COMPILED.with_borrow_mut(|compiled| {
            let (compiler, schemas) = compiled.entry(self.location).or_insert_with(|| {
                let mut compiler = Compiler::new();
                compiler.set_default_draft(Draft::V2020_12);
                compiler.enable_format_assertions();
                let document = self.value.clone();
                compiler.add_resource(self.location, document).unwrap();
                (compiler, Schemas::new())
            });
            let location = format!("{}#{fragment}", self.location);
            let schema = compiler.compile(&location, schemas).unwrap();
            let invalid = schemas.validate(value, schema).err();
            invalid.map(|error| error.to_string())
        })
    }

    /// Returns the pointer to the operation of a request. `line` is a method and a target.
    fn operation(&self, line: &str) -> Option<String> {
        let (method, target) = line.split_once(' ').unwrap();
        let path = target.split('?').next().unwrap();
        let matches = |template: &str| {
            let (template, path) = (template.split('/'), path.split('/'));
            template.clone().count() == path.clone().count()
                && template
                    .zip(path)
                    .all(|(expected, found)| expected == found || expected.starts_with('{'))
        };
        let mut templates = self.value["paths"].as_object().unwrap().keys();
        let template = templates.find(|template| matches(template))?;
        // Methods are case-sensitive.
        let method = Some(method).filter(|name| *name == name.to_uppercase())?;
        let (path, method) = (template.replace('/', "~1"), method.to_lowercase());
        let operation = format!("/paths/{path}/{method}");
        self.value
            .pointer(&operation)
            .is_some()
            .then_some(operation)
    }

    /// Checks that a request and its response match the document. The schema of the request must reject
    /// what gets one of the statuses in `invalid`. Requests without an operation are not checked.
    #[track_caller]
    pub(crate) fn check(&self, line: &str, body: &Value, answer: &Answer, invalid: &[u16]) {
        let status = answer.status;
        let Some(operation) = self.operation(line) else {
            assert!([404, 405].contains(&status), "{line}: {status}");
            let name = match status {
                404 => "UnknownPath",
                _ => "MethodNotAllowed",
            };
            let place = format!("/components/responses/{name}");
            if self.value.pointer(&place).is_some() {
                self.check_response(&place, line, answer);
            }
            return;
        };
        let schema = "content/application~1json/schema";
        let place = format!("{operation}/requestBody/{schema}");
        if !body.is_null() && self.value.pointer(&place).is_some() {
            let error = self.schema_error(body, &place);
            if status < 300 || invalid.contains(&status) {
                let is_valid = error.is_none();
                assert_eq!(is_valid, status < 300, "{line} {body}: {status} {error:?}");
            }
        }
        let mut place = format!("{operation}/responses/{status}");
        let described = self.value.pointer(&place);
        let described = described.unwrap_or_else(|| panic!("{line} documents no {status}"));
        if let Some(reference) = described.get("$ref") {
            place = reference.as_str().unwrap()[1..].to_owned();
        }
        self.check_response(&place, line, answer);
    }

    #[track_caller]
    fn check_response(&self, place: &str, line: &str, answer: &Answer) {
        let schema = "content/application~1json/schema";
        let described = self.value.pointer(place).unwrap();
        if described.get("content").is_none() {
            let found = (answer.header("content-type"), answer.body.as_str());
            assert_eq!(found, (None, ""), "{line}");
            return;
        }
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let found = serde_json::from_str(&answer.body).unwrap();
        let error = self.schema_error(&found, &format!("{place}/{schema}"));
        assert_eq!(error, None, "{line}: {found}");
        for name in described["headers"].as_object().into_iter().flatten() {
            let name = name.0;
            let text = answer.header(&name.to_lowercase()).unwrap();
            let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
            let error = self.schema_error(&value, &format!("{place}/headers/{name}/schema"));
            assert_eq!(error, None, "{name}: {text}");
        }
    }
}

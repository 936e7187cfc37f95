//! What the engine answers.

use serde::Serialize;

/// What came of one request: the reply, and whether the world is another now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// What goes back to the caller.
    pub reply: Reply,
    /// Whether the request was a write that was carried out, so that the world has to be kept.
    pub changed: bool,
}

impl Outcome {
    pub(super) fn read(reply: Reply) -> Self {
        let changed = false;
        Self { reply, changed }
    }

    pub(super) fn written(reply: Reply) -> Self {
        let changed = true;
        Self { reply, changed }
    }
}

/// One HTTP answer, as plain values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// The status code, 100 to 599.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body: JSON, or empty with status 204.
    pub body: Vec<u8>,
}

impl Reply {
    /// `{"data": resource}`, the shape of every answer that carries data.
    pub(super) fn data(status: u16, resource: impl Serialize) -> Self {
        Self::json(status, &Data { data: resource })
    }

    /// 204, the answer to a deletion.
    pub(super) fn no_content() -> Self {
        Self {
            status: 204,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// `{"error": {"code", "message", "field"?}}`, the shape of every refusal.
    pub(crate) fn error(status: u16, code: &str, message: &str, field: Option<&str>) -> Self {
        let error = ErrorObject {
            code,
            message,
            field,
        };
        Self::json(status, &ErrorBody { error })
    }

    pub(super) fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    // Bodies are structs and not `serde_json::Value`s: the fields keep their order, so that the
    // same seed gives the same bytes under every feature of serde_json.
    fn json(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("texts, numbers and lists become JSON");
        Self {
            status,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body,
        }
    }
}

#[derive(Serialize)]
struct Data<T> {
    data: T,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
}

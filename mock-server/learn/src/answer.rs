//! A response of the service or of the mock.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::finding::Sample;
use super::key::{HIDDEN, Key};

/// A response.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// The method and the path below `/api/v1`.
    pub(super) request: String,
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) text: String,
    /// The body, if it is JSON.
    pub(super) json: Option<Value>,
    /// `true` if the response contained the key, which is replaced.
    pub(super) is_redacted: bool,
}

impl Answer {
    pub(super) fn new(
        request: String,
        status: u16,
        headers: Vec<(String, String)>,
        body: &[u8],
    ) -> Self {
        Self {
            request,
            status,
            headers,
            text: String::from_utf8_lossy(body).into_owned(),
            json: serde_json::from_slice(body).ok(),
            is_redacted: false,
        }
    }

    /// Replaces the key with `…`.
    pub(super) fn without(self, key: &Key) -> Self {
        let headers = self.headers.into_iter();
        // A JSON string may contain the key with escapes.
        let json = self.json.clone().map(|json| key.redact_json(json));
        let text = key.redact(&self.text);
        Self {
            request: key.redact(&self.request),
            headers: headers
                .map(|(name, value)| (name, key.redact(&value)))
                .collect(),
            is_redacted: text != self.text || json != self.json,
            text,
            json,
            ..self
        }
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns `true` unless the request may be accepted later.
    pub(super) fn is_rejection(&self) -> bool {
        (400..500).contains(&self.status) && self.status != 429
    }

    /// Returns the first value of a header. The name is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the names of the headers about the rate limit: `limit`, `remaining` and `reset`.
    pub(super) fn rate_limit_headers(&self) -> BTreeMap<&'static str, String> {
        const USUAL: [&str; 2] = ["ratelimit", "x-ratelimit"];
        const ENDS: [(&str, &[&str]); 3] = [
            ("remaining", &["-remaining", "-left", "-available"]),
            ("limit", &["-limit", "-max", "-total", ""]),
            ("reset", &["-reset", "-reset-after"]),
        ];
        let prefixes = self.headers.iter().filter_map(|(name, value)| {
            let prefix = ENDS[0].1.iter().find_map(|end| name.strip_suffix(end));
            prefix.filter(|_| value.trim().parse::<u64>().is_ok())
        });
        let is_unusual = |prefix: &&str| !USUAL.contains(prefix);
        let is_limit = |prefix: &&str| self.header(&format!("{prefix}-limit")).is_some();
        let found = prefixes.min_by_key(is_unusual);
        let Some(prefix) = found.or_else(|| USUAL.into_iter().find(is_limit)) else {
            return BTreeMap::new();
        };
        let names = ENDS.iter().filter_map(|(part, ends)| {
            let mut names = ends.iter().map(|end| format!("{prefix}{end}"));
            Some((*part, names.find(|name| self.header(name).is_some())?))
        });
        names.collect()
    }

    /// Returns all headers about the rate limit, such as a single one with all parts.
    pub(super) fn any_rate_limit_headers(&self) -> BTreeMap<&str, &str> {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
        headers
            .filter(|(name, _)| name.replace('-', "").contains("ratelimit"))
            .collect()
    }

    /// Returns a number in these headers, or in `RateLimit` of the later drafts: `limit=9, remaining=0,
    /// reset=3` or `"default";r=0;t=3`.
    pub(super) fn quota(&self, part: &str) -> Option<u64> {
        if let Some(name) = self.rate_limit_headers().get(part) {
            return self.header(name)?.trim().parse().ok();
        }
        let short = if part == "reset" { "t" } else { &part[..1] };
        let members = self.header("ratelimit")?.split([',', ';']);
        let mut members = members.filter_map(|member| member.trim().split_once('='));
        let found = members.find(|(name, _)| [part, short].contains(name));
        found?.1.parse().ok()
    }

    /// Returns the content type without its parameters.
    pub(super) fn content_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// Returns the body as JSON, or else as a text.
    pub(super) fn body(&self) -> Value {
        self.json.clone().unwrap_or_else(|| json!(self.text))
    }

    /// Returns a value in `data` of a successful response.
    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        let body = self.json.as_ref().filter(|_| self.is_success());
        body?.get("data")?.pointer(pointer)
    }

    /// Describes a status that does not answer the question.
    pub(super) fn unexpected(&self) -> String {
        format!("{} returns {}", self.request, self.status)
    }

    /// Returns a sample that shows a part of the response.
    pub(super) fn sample(&self, found: impl Into<Value>) -> Sample {
        Sample::new(&self.request, Some(self.status), found)
    }
}

/// Replaces all texts, which may be private.
pub(super) fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(HIDDEN),
        Value::Array(all) => all.iter().map(without_texts).collect(),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields
                .values_mut()
                .for_each(|value| *value = without_texts(value));
            fields.into()
        }
        other => other.clone(),
    }
}

/// Returns the members of an object with these names.
pub(super) fn pick(object: &Value, names: &[&str]) -> Option<Map<String, Value>> {
    let mut picked = object.as_object()?.clone();
    picked.retain(|name, _| names.contains(&name.as_str()));
    Some(picked)
}

//! A response of the service or of the mock, without the API key, and samples of it.

use std::collections::BTreeMap;
use std::fmt;
use std::slice;

use mock_server::{SafeUrl, Secrets};
use reqwest::Url;
use reqwest::header::HeaderValue;
use serde::Serialize;
use serde_json::{Map, Value, json};
use url::Host;

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The method and the path below `/api/v1`.
    pub(crate) request: String,
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) text: String,
    /// The body, if it is JSON.
    pub(crate) json: Option<Value>,
    /// `true` if the response contained the key, which is replaced.
    is_redacted: bool,
    is_utf8: bool,
}

impl Answer {
    pub(crate) fn new(
        request: String,
        status: u16,
        headers: impl Iterator<Item = (String, String)>,
        body: &[u8],
    ) -> Self {
        // Parsers skip a byte order mark, and so do the clients of the service.
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let text = String::from_utf8_lossy(body).into_owned();
        Self {
            request,
            status,
            headers: headers.collect(),
            json: serde_json::from_str(&text).ok(),
            is_utf8: text.as_bytes() == body,
            text,
            is_redacted: false,
        }
    }

    /// Returns the reason for not sending a value of the response back: the service has another one.
    pub(crate) fn require_exact(&self, value: &Value) -> Result<(), String> {
        if !self.is_utf8 {
            let request = &self.request;
            return Err(format!(
                "{request} is not valid UTF-8, so nothing was written"
            ));
        }
        match self.is_redacted && value.to_string().contains(HIDDEN) {
            true => Err("the profile contains the API key".to_owned()),
            false => Ok(()),
        }
    }

    /// Replaces the key with `…`.
    pub(crate) fn without(self, key: &Key) -> Self {
        let headers = self.headers.into_iter();
        let headers = headers.map(|(name, value)| (key.redact(&name), key.redact(&value)));
        // A JSON string may contain the key with escapes.
        let json = self.json.clone().map(|json| key.redact_json(json));
        let text = key.redact(&self.text);
        Self {
            request: key.redact(&self.request),
            headers: headers.collect(),
            is_redacted: text != self.text || json != self.json,
            text,
            json,
            ..self
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns `true` unless the request may be accepted later.
    pub(crate) fn is_rejection(&self) -> bool {
        (400..500).contains(&self.status) && self.status != 429
    }

    /// Returns the first value of a header. The name is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the names of the headers about the rate limit: `limit`, `remaining` and `reset`.
    pub(crate) fn rate_limit_headers(&self) -> BTreeMap<&'static str, String> {
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
    pub(crate) fn any_rate_limit_headers(&self) -> BTreeMap<String, String> {
        let mut headers: BTreeMap<_, _> = self.headers.iter().cloned().collect();
        headers.retain(|name, _| name.replace('-', "").contains("ratelimit"));
        headers
    }

    /// Returns a number in these headers, or in `RateLimit` of the later drafts: `limit=9, remaining=0,
    /// reset=3` or `"default";r=0;t=3`.
    pub(crate) fn quota(&self, part: &str) -> Option<u64> {
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
    pub(crate) fn content_type(&self) -> &str {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// Returns an object or an array, or else the body as a text.
    pub(crate) fn body(&self) -> Value {
        match &self.json {
            Some(json @ (Value::Object(_) | Value::Array(_))) => json.clone(),
            Some(other) => json!(other.to_string()),
            None => json!(self.text),
        }
    }

    /// Returns a value in `data` of a successful response.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        let body = self.json.as_ref().filter(|_| self.is_success());
        body?.get("data")?.pointer(pointer)
    }

    /// Describes a status that does not answer the question.
    pub(crate) fn unexpected(&self) -> String {
        let location = self.header("location");
        let location = location.filter(|_| (300..400).contains(&self.status));
        // A query may contain a token.
        let target = location.and_then(|location| location.split(['?', '#']).next());
        let target = target.map(|target| format!(" to {}", SafeUrl(target)));
        let (request, status) = (&self.request, self.status);
        format!("{request} returns {status}{}", target.unwrap_or_default())
    }

    /// Returns a sample that shows a part of the response.
    pub(crate) fn sample(&self, found: impl Into<Value>) -> Sample {
        Sample::new(&self.request, Some(self.status), found)
    }
}

/// Replaces all texts, which may be private.
pub(crate) fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(HIDDEN),
        _ => map_members(value, without_texts),
    }
}

/// Replaces the members of an array or object. Other values stay.
pub(crate) fn map_members(value: &Value, replace: fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(replace).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::from_iter(fields.map(|(name, value)| (name.clone(), replace(value))))
        }
        other => other.clone(),
    }
}

/// Returns the members of an object with these names.
pub(crate) fn pick(object: &Value, names: &[&str]) -> Option<Map<String, Value>> {
    let mut picked = object.as_object()?.clone();
    picked.retain(|name, _| names.contains(&name.as_str()));
    Some(picked)
}

/// The text in place of the key and of other private texts.
pub(crate) const HIDDEN: &str = "…";

/// A key that no service accepts.
pub(crate) const WRONG_KEY: &str = "wrong-key-of-mock-server-learn";

/// An API key, which is never printed.
pub(crate) struct Key {
    text: String,
    secrets: Secrets,
}

impl Key {
    /// Checks a key.
    pub(crate) fn new(text: &str) -> Result<Self, &'static str> {
        match text.trim() {
            "" => Err("the API key is empty"),
            key if !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("the API key contains spaces or characters that are not ASCII")
            }
            key => {
                let text = key.to_owned();
                let secrets = Secrets::new(&[], &[], slice::from_ref(&text));
                Ok(Self { text, secrets })
            }
        }
    }

    /// Returns the value of `Authorization`.
    pub(crate) fn authorization(&self) -> HeaderValue {
        let value = format!("Bearer {}", self.text);
        let mut value: HeaderValue = value.parse().expect("a key consists of visible ASCII");
        value.set_sensitive(true);
        value
    }

    /// Replaces the key, in upper or lower case and percent-encoded or not. A short one, which `Secrets` ignores,
    /// is replaced as it is.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets.redact(&text.replace(&self.text, "…"))
    }

    fn redact_json(&self, json: Value) -> Value {
        match json {
            Value::String(text) => self.redact(&text).into(),
            Value::Array(all) => all.into_iter().map(|one| self.redact_json(one)).collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                Value::from_iter(
                    fields.map(|(name, value)| (self.redact(&name), self.redact_json(value))),
                )
            }
            other => other,
        }
    }
}

/// Parses a base URL to which the key can be sent.
pub(crate) fn base_url(text: &str) -> Result<Url, String> {
    // Parsers replace or remove these, each in its own way: they could connect to different hosts.
    let is_ambiguous = |c: &char| *c == '\\' || c.is_whitespace() || c.is_control();
    if let Some(c) = text.chars().find(is_ambiguous) {
        let expected = "expected a URL such as https://host";
        return Err(format!("contains {c:?}; {expected}"));
    }
    let url = Url::parse(text).map_err(|error| format!("{error}; expected https://HOST"))?;
    // Text before an `@` in the path may be a password.
    if text.contains(['@', '?', '#']) || !matches!(url.scheme(), "http" | "https") {
        return Err("expected https://HOST with no user name, @, query or fragment".to_owned());
    }
    if url.path().trim_end_matches('/').ends_with("/api/v1") {
        return Err("remove /api/v1, which is added to it".to_owned());
    }
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if url.scheme() == "http" && !is_loopback {
        return Err("the key would be sent unencrypted; use https://".to_owned());
    }
    Ok(url)
}

/// The part of a response or delivery that a finding is based on.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    request: String,
    /// `None` for a recorded delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    found: Value,
}

impl Sample {
    /// Creates a sample. A long value becomes a shortened text.
    pub(crate) fn new(request: &str, status: Option<u16>, found: impl Into<Value>) -> Self {
        const MAX_CHARACTERS: usize = 300;
        let found = found.into();
        let text = found.to_string();
        let found = match text.char_indices().nth(MAX_CHARACTERS) {
            None => found,
            Some((end, _)) => format!("{}…", &text[..end]).into(),
        };
        Self {
            request: request.to_owned(),
            status,
            found,
        }
    }

    /// Returns a sample of the same response that shows another part.
    pub(crate) fn with(&self, found: impl Into<Value>) -> Self {
        Self::new(&self.request, self.status, found)
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map(|status| format!("{status} "));
        let status = status.unwrap_or_default();
        write!(f, "{}: {status}{}", self.request, self.found)
    }
}

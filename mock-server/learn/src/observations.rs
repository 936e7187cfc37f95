//! The responses of the service, and recorded webhook deliveries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use mock_server::{ProfileField, World};
use serde_json::Value;
use sha2::Sha256;

use crate::requests::{
    Known, Request, RequestValues, Step, edit_link, path_segment, post, restoration,
};
use crate::response::{Answer, Sample, pick, without_texts};
use crate::service::Service;

/// Everything that was observed.
#[derive(Debug)]
pub(crate) struct Observations {
    /// The responses, or the reasons why there are none.
    pub(crate) answers: BTreeMap<Step, Known<Answer>>,
    pub(crate) values: RequestValues,
    /// The handle of another profile.
    pub(crate) other: Option<String>,
    /// The writes that the service accepted and did not carry out: the contradicted sentences of
    /// `docs/service.md`, and what `GET /me` shows.
    pub(crate) not_applied: Vec<(Step, &'static str, &'static str)>,
    pub(crate) deliveries: Vec<Delivery>,
}

impl Observations {
    /// Returns the response, or the reason why there is none.
    pub(crate) fn answer(&self, step: Step) -> Known<&Answer> {
        match self.answers.get(&step) {
            Some(answer) => answer.as_ref().map_err(Clone::clone),
            None if step == Step::RateLimited => Err("needs a 429".to_owned()),
            None => Err("needs --allow-writes".to_owned()),
        }
    }

    /// Returns the first response to `GET /me`.
    pub(crate) fn me(&self) -> &Answer {
        let me = self.answers[&Step::Me].as_ref();
        me.expect("without it, nothing is observed")
    }

    /// Returns an error if a response to `GET /me` before the writes cannot be sent back.
    pub(crate) fn require_exact(&self) -> Known<()> {
        let before = [Step::Me, Step::MeAfterwards, Step::MeBeforeWrites];
        let mut answers = before.iter().filter_map(|step| self.answer(*step).ok());
        answers.try_for_each(|me| me.require_exact(&Value::Null))
    }

    /// Returns `true` if `GET /me` listed a resource with this ID before the writes.
    pub(crate) fn knows(&self, kind: Kind, id: &str) -> bool {
        kind.lists(self.me(), id)
    }

    /// Returns the paths of the listed resources that the command has created.
    pub(crate) fn created(&self, kind: Kind, me: &Answer) -> Vec<String> {
        let marked = kind.marked(me, &self.values.mark).into_iter();
        let new = marked.filter(|id| !self.knows(kind, id));
        new.map(|id| kind.path_of(&id)).collect()
    }

    /// Returns `true` if a resource that `GET /me` listed before the writes is missing.
    pub(crate) fn is_missing(&self, kind: Kind, me: &Answer) -> bool {
        let listed = kind.listed(self.me()).into_iter().flatten();
        let mut ids = listed.filter_map(id);
        ids.any(|id| !kind.lists(me, &id))
    }

    /// Returns the responses that were received.
    pub(crate) fn received(&self) -> impl Iterator<Item = (Step, &Answer)> {
        let answers = self.answers.iter();
        answers.filter_map(|(step, answer)| Some((*step, answer.as_ref().ok()?)))
    }
}

/// Sends the requests that change nothing. `handle` is a profile of somebody else.
///
/// # Errors
///
/// Returns an error if the service cannot be reached or rejects the key, or if there is no profile with
/// this handle.
pub(crate) async fn read(service: &mut Service, handle: Option<&str>) -> Known<Observations> {
    let me = service.send(&Request::get("/me")).await?;
    check_first(&me)?;
    if let Some(limit) = me.at("/key/rate_limit") {
        service.set_stated_limit(limit);
    }
    let mut observations = Observations {
        values: RequestValues::new(&me, handle),
        answers: [(Step::Me, Ok(me))].into(),
        other: handle.map(str::to_owned),
        not_applied: Vec::new(),
        deliveries: Vec::new(),
    };
    for step in Step::reads() {
        let answer = match step.request(&observations.values) {
            Ok(request) => service.send(&request).await,
            Err(reason) => Err(reason),
        };
        if *step == Step::Other && answer.as_ref().is_ok_and(|answer| answer.status == 404) {
            let handle = handle.unwrap_or_default();
            return Err(format!("no profile has the handle {handle} of --handle"));
        }
        observations.answers.insert(*step, answer);
    }
    // Otherwise, a service that stopped in between would look like one without differences.
    observations.answer(Step::MeAfterwards)?;
    Ok(observations)
}

fn check_first(me: &Answer) -> Result<(), String> {
    Err(match me.status {
        200..300 if me.json.is_some() => return Ok(()),
        200..300 => {
            let reason = serde_json::from_str::<Value>(&me.text).err();
            let reason = reason.map(|error| format!(", {error}")).unwrap_or_default();
            format!("GET /me does not return JSON{reason}; check the base URL")
        }
        401 | 403 => format!("the service rejects the key: {}", me.unexpected()),
        500.. => format!("{}; try again later", me.unexpected()),
        _ => format!("{}; check the base URL", me.unexpected()),
    })
}

/// A kind of resource that the command creates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The sentences of `docs/service.md` about its writes, and about its ID.
    pub(crate) sentence: &'static str,
    pub(crate) identifier: &'static str,
    /// The path of all. Without `/me`, it is the pointer to them in the data of `GET /me`.
    pub(crate) path: &'static str,
    /// The field that contains the mark.
    pub(crate) text: &'static str,
    /// Adds a resource that the service has shown to an account of the mock.
    pub(crate) add: fn(&mut World, &str, &Value),
    /// Returns the name of the created one in requests.
    pub(crate) id: fn(&mut RequestValues) -> &mut Known<String>,
}

pub(crate) const KINDS: [Kind; 2] = [
    Kind {
        name: "link",
        sentence: "`links:write`: creating, editing and deleting links",
        identifier: "A link has a `title` (string), a `url` (string, a URL), and an `id` that is used in paths.",
        path: "/me/links",
        text: "title",
        add: |world, own, link| {
            let added = world.add_link(own, text(link, "title"), text(link, "url"));
            added.expect("the account was added");
        },
        id: |values| &mut values.link,
    },
    Kind {
        name: "post",
        sentence: "`social:write`: creating and deleting posts",
        identifier: "A post has a `body` (string), and an `id` that is used in paths.",
        path: "/me/posts",
        text: "body",
        add: |world, own, post| {
            let added = world.add_post(own, text(post, "body"));
            added.expect("the account was added");
        },
        id: |values| &mut values.post,
    },
];

impl Kind {
    pub(crate) fn path_of(self, id: &str) -> String {
        format!("{}/{id}", self.path)
    }

    /// Returns the resources that a response to `GET /me` lists, if it lists them.
    pub(crate) fn listed(self, me: &Answer) -> Option<&Vec<Value>> {
        me.at(self.path.strip_prefix("/me")?)?.as_array()
    }

    /// Returns the IDs, as segments of paths, of the listed resources with the mark.
    pub(crate) fn marked(self, me: &Answer, mark: &str) -> Vec<String> {
        let listed = self.listed(me).into_iter().flatten();
        let marked = listed.filter(|one| self.has_mark(one, mark));
        marked.filter_map(id).collect()
    }

    pub(crate) fn has_mark(self, resource: &Value, mark: &str) -> bool {
        text(resource, self.text).contains(mark)
    }

    /// Returns `true` if a response to `GET /me` lists a resource with this ID.
    pub(crate) fn lists(self, me: &Answer, wanted: &str) -> bool {
        let mut listed = self.listed(me).into_iter().flatten();
        listed.any(|one| id(one).as_deref() == Some(wanted))
    }
}

/// Returns the ID of a resource as a segment of a path.
pub(crate) fn id(resource: &Value) -> Option<String> {
    match resource.get("id")? {
        Value::String(id) => path_segment(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

fn text<'a>(resource: &'a Value, field: &str) -> &'a str {
    resource[field].as_str().unwrap_or_default()
}

/// The differences between two responses to `GET /me`, except for what the command created.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The differences of editable fields, and of links and posts, by their names, with the requests that
    /// undo them.
    pub(crate) content: BTreeMap<String, (String, Option<Request>)>,
    /// Other differences, such as those of counters.
    pub(crate) others: Vec<String>,
}

impl Changes {
    /// Compares the first response with a later one.
    ///
    /// # Errors
    ///
    /// Returns the reason if one of the two does not show the profile.
    pub(crate) fn new(observations: &Observations, after: &Answer) -> Result<Self, String> {
        let first = observations.me();
        let facts = |me| facts(me, first, &observations.values.mark);
        let ((before, others_before), (after, others_after)) = (facts(first)?, facts(after)?);
        let content = different(&before, &after).map(|(name, line)| {
            let (old, new) = (before.get(name), after.get(name));
            let undo = match (name.split_once(' '), old, new) {
                (None, ..) => restoration(&observations.values).ok(),
                (Some(("link", _)), Some(link), None) => Some(post("/me/links").body("", link)),
                (Some(("link", id)), Some(link), _) => Some(edit_link(id).body("", link)),
                _ => None,
            };
            let undo = undo.filter(|_| old.is_some_and(|old| first.require_exact(old).is_ok()));
            (name.clone(), (line, undo))
        });
        let content = content.collect();
        let others = different(&others_before, &others_after).map(|(_, line)| line);
        let others = others.collect();
        Ok(Self { content, others })
    }
}

/// The parts of a profile by their names.
type Facts = BTreeMap<String, Value>;

/// Returns the content of a profile, and its other parts. `first` is the response before the writes.
fn facts(me: &Answer, first: &Answer, mark: &str) -> Result<(Facts, Facts), String> {
    let data = me.at("").and_then(Value::as_object);
    let data = data.ok_or_else(|| me.unexpected())?.clone();
    let (mut content, mut others) = (Facts::new(), Facts::from_iter(data));
    for field in ProfileField::ALL {
        content.extend(others.remove_entry(field.name()));
    }
    for kind in KINDS {
        let Some(listed) = kind.listed(me) else {
            continue;
        };
        others.remove(kind.path.trim_start_matches("/me/"));
        let is_known = |one: &&Value| id(one).is_some_and(|id| kind.lists(first, &id));
        let is_other = |one: &&Value| !kind.has_mark(one, mark) || is_known(one);
        for one in listed.iter().filter(is_other) {
            let id = id(one).unwrap_or_else(|| one["id"].to_string());
            let name = format!("{} {id}", kind.name);
            let mut rest = one.clone();
            let texts = pick(one, &["title", "url", "body"]).unwrap_or_default();
            if let Some(rest) = rest.as_object_mut() {
                rest.retain(|name, _| !texts.contains_key(name));
            }
            content.insert(name.clone(), texts.into());
            others.insert(name, rest);
        }
    }
    if let Some(key) = others.get_mut("key") {
        *key = without_texts(key);
    }
    Ok((content, others))
}

/// Returns the names of the differences, with descriptions.
fn different<'a>(
    before: &'a Facts,
    after: &'a Facts,
) -> impl Iterator<Item = (&'a String, String)> {
    let all: BTreeMap<_, _> = before.iter().chain(after).collect();
    let shown = |value: Option<&Value>| value.map_or("missing".to_owned(), Value::to_string);
    let all = all.into_keys();
    let names = all.filter(|name| before.get(*name) != after.get(*name));
    names.map(move |name| {
        let [before, after] = [before, after].map(|facts| shown(facts.get(name)));
        (name, format!("{name} was {before} and is now {after}"))
    })
}

/// A recorded delivery: an HTTP/1.1 request.
#[derive(Debug)]
pub(crate) struct Delivery {
    name: String,
    head: String,
    pub(crate) body: Vec<u8>,
    /// `None` without a secret.
    pub(crate) is_genuine: Option<bool>,
}

impl Delivery {
    /// Reads a file, and verifies the signature if there is a secret.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file is not a recorded delivery.
    pub(crate) fn read(path: &Path, secret: Option<&[u8]>) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.ok_or("the empty line after the headers is missing")?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let mut delivery = Self {
            name: name.to_string_lossy().into_owned(),
            head: String::from_utf8_lossy(&bytes[..end]).into_owned(),
            body: bytes[end + 4..].to_vec(),
            is_genuine: None,
        };
        delivery.is_genuine = secret.map(|secret| delivery.verify(secret));
        Ok(delivery)
    }

    /// Returns the value of a header. The name is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut values = fields.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.trim())
    }

    fn verify(&self, secret: &[u8]) -> bool {
        let mac = Hmac::<Sha256>::new_from_slice(secret);
        let mut mac = mac.expect("HMAC takes a key of any length");
        mac.update(&self.body);
        let digest = self.header("x-service-signature").and_then(decode);
        digest.is_some_and(|(_, digest)| mac.verify_slice(&digest).is_ok())
    }

    pub(crate) fn sample(&self, found: impl Into<Value>) -> Sample {
        Sample::new(&self.name, None, found)
    }
}

/// Returns the encoding and the digest of a signature.
pub(crate) fn decode(signature: &str) -> Option<(&'static str, Vec<u8>)> {
    const DIGEST_BYTES: usize = 32;
    let text = signature.strip_prefix("sha256=")?;
    let has_upper_case = text.bytes().any(|byte| byte.is_ascii_uppercase());
    let (encoding, digest) = match hex::decode(text) {
        Ok(digest) if has_upper_case => ("upper_hex", digest),
        Ok(digest) => ("hex", digest),
        Err(_) => ("base64", STANDARD.decode(text).ok()?),
    };
    (digest.len() == DIGEST_BYTES).then_some((encoding, digest))
}

//! The writes: edits of three fields of the profile, one link and one post.

use reqwest::Method;
use serde_json::{Value, json};

use super::call::Call;
use super::changes::{Changes, Kind, id_of};
use super::observations::{Observations, Step};
use super::service::Service;

/// Edits of the profile. A row has the field, and the value as a JSON text, which may be invalid.
#[rustfmt::skip]
fn edits() -> [(Step, &'static str, String); 18] {
    let text = |text: String| Value::from(text).to_string();
    let lines = |count: usize, line_break: &str| text(vec!["x"; count].join(line_break));
    [
        (Step::Location, "location", text("Learning".to_owned())),
        (Step::LocationNull, "location", "null".to_owned()),
        (Step::LocationNumber, "location", "1".to_owned()),
        (Step::LocationRepeated, "location", r#""a", "location": "b""#.to_owned()),
        (Step::Location40, "location", text("x".repeat(40))),
        (Step::Location41, "location", text("x".repeat(41))),
        (Step::LocationTwoBytes, "location", text("é".repeat(40))),
        (Step::LocationTwoUnits, "location", text("😀".repeat(40))),
        (Step::LocationCombined, "location", text("e\u{301}".repeat(40))),
        (Step::Bio300, "bio", text("x".repeat(300))),
        (Step::Bio301, "bio", text("x".repeat(301))),
        (Step::BioTenLines, "bio", lines(10, "\n")),
        (Step::BioElevenLines, "bio", lines(11, "\n")),
        (Step::BioTenLinesCrLf, "bio", lines(10, "\r\n")),
        (Step::BioElevenLinesCr, "bio", lines(11, "\r")),
        (Step::BioTrailingBreak, "bio", text("x\n".repeat(10))),
        (Step::ColorShort, "accent_color", text("#abc".to_owned())),
        (Step::ColorUpperCase, "accent_color", text("#ABCDEF".to_owned())),
    ]
}

/// The requests for an existing link.
const LINK_STEPS: [Step; 8] = [
    Step::CreateLink,
    Step::EditLink,
    Step::EditLinkUnknownField,
    Step::EditLinkRelativeUrl,
    Step::EditLinkEmpty,
    Step::MeWithLink,
    Step::DeleteLink,
    Step::DeleteLinkAgain,
];

const POST_STEPS: [Step; 3] = [Step::CreatePost, Step::DeletePost, Step::DeletePostAgain];

/// Sends the writes until the service is interrupted. The changes have to be undone afterwards.
pub(crate) async fn write(
    service: &mut Service,
    observations: &mut Observations,
    changes: &mut Changes,
) {
    let mut writer = Writer {
        service,
        observations,
        changes,
    };
    writer.edit_profile().await;
    let shows_ids = |observations: &Observations| {
        let edited = observations
            .answer(Step::Location)
            .and_then(|answer| answer.object());
        observations.lists_resources() || edited.is_ok_and(|edited| !edited.is_empty())
    };
    if shows_ids(writer.observations) {
        writer.write_link().await;
        writer.write_post().await;
    } else {
        let reason = "neither GET /me nor the response to an edit shows what is stored, so that a \
                      new link could not be deleted";
        writer
            .observations
            .skip(LINK_STEPS.into_iter().chain(POST_STEPS), reason);
    }
    observations.rate_limited = service.rate_limited.clone();
}

struct Writer<'a> {
    service: &'a mut Service,
    observations: &'a mut Observations,
    changes: &'a mut Changes,
}

impl Writer<'_> {
    async fn send(&mut self, step: Step, call: Call) -> Option<&super::answer::Answer> {
        let answer = self.service.send(&call).await;
        self.observations.add(step, answer);
        self.observations.answer(step).ok()
    }

    async fn edit_profile(&mut self) {
        if let Err(reason) = self.observations.require_scope("profile:write") {
            let steps = edits().map(|(step, ..)| step);
            return self.observations.skip(steps, &reason);
        }
        let edit = Call::new(Method::PATCH, "/me/profile");
        for (step, field, value) in edits() {
            if self.changes.profile.contains_key(field) {
                self.changes.will_edit();
                let body = format!(r#"{{"{field}": {value}}}"#);
                self.send(step, edit.clone().body(body)).await;
            } else {
                let reason = format!("{field} in GET /me is missing or could not be set back");
                self.observations.skip([step], &reason);
            }
        }
        self.send(Step::MeEdited, Call::get("/me")).await;
        self.send(Step::NotJson, edit.clone().body("learn")).await;
        self.send(Step::NotAnObject, edit.clone().body("[]")).await;
        if self.changes.profile.contains_key("location") {
            let text = edit
                .body(json!({ "location": "Learning" }))
                .content_type("text/plain");
            self.send(Step::WrongContentType, text).await;
        }
    }

    /// Creates a link or post, and returns its id.
    async fn create(&mut self, kind: Kind, step: Step, body: Value) -> Option<String> {
        self.changes.will_create(kind);
        let call = Call::new(Method::POST, kind.path()).body(body);
        let answer = self.send(step, call).await;
        let is_rejected = answer.is_some_and(|answer| answer.is_rejection());
        if is_rejected {
            self.changes.has_not_created(kind);
            return None;
        }
        let shown = answer.and_then(|answer| id_of(answer.data().ok()?));
        let id = match shown {
            Some(id) => id,
            None => self.find(kind).await?,
        };
        self.changes.has_created(kind, &id);
        Some(id)
    }

    /// Returns the id of the marked resource in `GET /me`.
    async fn find(&mut self, kind: Kind) -> Option<String> {
        let me = self.service.send(&Call::get("/me")).await.ok()?;
        self.changes.marked(kind, me.object().ok()?)?.pop()
    }

    async fn write_link(&mut self) {
        if let Err(reason) = self.observations.require_scope("links:write") {
            return self.observations.skip(LINK_STEPS, &reason);
        }
        let (title, url) = (
            format!("Learning {}", self.changes.mark),
            "https://example.com/",
        );
        let incomplete = json!({ "title": title });
        let mut id = self
            .create(Kind::Link, Step::CreateLinkWithoutUrl, incomplete)
            .await;
        if id.is_none() {
            let body = json!({ "title": title, "url": url });
            id = self.create(Kind::Link, Step::CreateLink, body).await;
        }
        let Some(id) = id else {
            let steps = LINK_STEPS.into_iter().skip(1);
            return self
                .observations
                .skip(steps, "no response shows the id of a new link");
        };
        let path = Kind::Link.path_of(&id);
        for (step, body) in [
            (Step::EditLink, json!({ "title": title, "url": url })),
            (
                Step::EditLinkUnknownField,
                json!({ "url": url, super::random_name(): "x" }),
            ),
            (Step::EditLinkRelativeUrl, json!({ "url": "/relative" })),
            (Step::EditLinkEmpty, json!({})),
        ] {
            self.send(step, Call::new(Method::PATCH, path.as_str()).body(body))
                .await;
        }
        self.send(Step::MeWithLink, Call::get("/me")).await;
        self.delete(Kind::Link, &id, [Step::DeleteLink, Step::DeleteLinkAgain])
            .await;
    }

    async fn write_post(&mut self) {
        if let Err(reason) = self.observations.require_scope("social:write") {
            return self.observations.skip(POST_STEPS, &reason);
        }
        let body = json!({ "body": format!("Learning {}", self.changes.mark) });
        if let Some(id) = self.create(Kind::Post, Step::CreatePost, body).await {
            self.delete(Kind::Post, &id, [Step::DeletePost, Step::DeletePostAgain])
                .await;
        }
    }

    /// Deletes a resource twice, so that the id is unknown the second time.
    async fn delete(&mut self, kind: Kind, id: &str, steps: [Step; 2]) {
        for step in steps {
            let call = Call::new(Method::DELETE, kind.path_of(id));
            let answer = self.send(step, call).await;
            if answer.is_some_and(super::answer::Answer::is_success) {
                self.changes.has_deleted(id);
            }
        }
    }
}

//! The table of the questions that the specification leaves open, in its order.

use serde_json::{Value, json};

use super::finding::{Finding, Found, Observed};
use super::findings::rate_limits::{self, number};
use super::findings::writes::{self, compare};
use super::findings::{deliveries, error_bodies, extra_fields, reads, rejections};
use super::observations::Observations;
use super::requests::Step::{self, Analytics, EditLink, Location, Me};
use super::service::MIN_UNIX_TIME;
use super::shape::Shape::{self, Fields, Is, List, Only};
use super::shape::{ANY, CREATED_AT, Field, INTEGER, KEY_OWNER, METADATA, PUBLIC, TEXT};
use Reading::{Choice, Named, Never, Same, Values};

/// A question that the specification leaves open: the setting of the dialect, which is empty if the mock
/// has none, the text, and the way to the answer.
type Question = (&'static str, &'static str, Reading);

/// A way to conclude from the responses.
pub(super) enum Reading {
    /// The setting is the name of the shape that all observed values have.
    Choice(fn(&Observations) -> Observed, &'static [Field]),
    /// The observed values are names of settings, or `null` if there is no name.
    Named(fn(&Observations) -> Observed),
    /// The mock has no setting. The observed values are `true` where it does the same.
    Same(fn(&Observations) -> Observed),
    /// The setting consists of observed values.
    Values(fn(&Observations) -> Found),
    /// No request shows it, for this reason.
    Never(&'static str),
}

/// Returns the conclusion about a question, or the reason why there is none.
pub(super) fn find((setting, _, reading): &Question, all: &Observations) -> Found {
    let observed = match *reading {
        Never(reason) => return Err(reason.to_owned()),
        Values(find) => return find(all),
        Named(observe) | Same(observe) => observe(all)?,
        Choice(observe, shapes) => {
            let mut observed = observe(all)?;
            for (value, _) in &mut observed {
                let shape = shapes.iter().find(|(_, shape)| shape.fits(value));
                *value = json!(shape.map(|(name, _)| name));
            }
            observed
        }
    };
    let (value, sample) = observed.first().ok_or("no response shows it")?.clone();
    let is_other = |other: &Value| *other != value || other.is_null() || *other == false;
    let other = observed.into_iter().find(|(other, _)| is_other(other));
    Ok(match other {
        Some((_, sample)) => Finding::Outside { sample },
        None if setting.is_empty() => Finding::AsTheMock { sample },
        None => Finding::Learned { value, sample },
    })
}

#[rustfmt::skip]
pub(super) const QUESTIONS: &[Question] = &[
    ("api_visible", "type of api_visible", Choice(|all| all.at(Me, "/api_visible"), &[
        ("boolean", Is(|value| value.is_boolean())),
        ("integer", Is(|value| value.as_u64().is_some_and(|number| number < 2))),
        ("string", Is(|value| value == "true" || value == "false")),
    ])),
    ("key_object", "fields of key", Choice(|all| all.at(Me, "/key"), &[
        ("extra_fields", Fields(KEY_OWNER)), ("plain", Is(Value::is_object)),
    ])),
    ("key_scopes", "type of key.scopes", Choice(reads::scopes, &[
        ("array", List(&TEXT)),
        ("space_separated", Is(|value| reads::is_separated(value, ' ', ','))),
        ("comma_separated", Is(|value| reads::is_separated(value, ',', ' '))),
    ])),
    ("key_rate_limit", "type of key.rate_limit", Choice(|all| all.at(Me, "/key/rate_limit"), &[
        ("number", Is(|value| value.is_number())),
        ("object", Only(&[("limit", INTEGER), ("window_seconds", INTEGER)])),
    ])),
    ("me_fields", "fields of GET /me", Choice(|all| all.at(Me, ""), &[
        ("full", Fields(PUBLIC)),
        ("minimal", Is(|me| PUBLIC.iter().all(|(name, _)| me.get(name).is_none()))),
    ])),
    ("", "case of handles", Never("a handle in another case may belong to someone else")),
    ("ids", "type of ids", Choice(reads::ids, &[
        ("integer", INTEGER), ("uuid", Is(reads::is_uuid)), ("string", TEXT),
    ])),
    ("resource_fields", "other fields of links and posts", Choice(reads::resource_fields, &[
        ("nested", Fields(&[CREATED_AT, METADATA])),
        ("created_at", Fields(&[CREATED_AT])),
        ("bare", Is(|resource| !resource["created_at"].is_string())),
    ])),
    ("write_responses", "response to a write", Named(writes::responses)),
    ("write_statuses", "statuses of writes", Values(writes::statuses)),
    ("", "required fields of links and posts", Same(|all| {
        compare(all, EditLink, &[Step::CreateLinkWithoutUrl, Step::EditLinkEmpty])
    })),
    ("unknown_fields", "unknown fields of links and posts", Named(writes::unknown_fields)),
    ("", "null in an edit of the profile", Same(|all| compare(all, Location, &[Step::LocationNull]))),
    ("", "other types than strings", Same(|all| compare(all, Location, &[Step::LocationNumber]))),
    ("", "repeated fields", Same(|all| compare(all, Location, &[Step::LocationRepeated]))),
    ("", "characters that count against a limit", Same(|all| {
        let steps = [Step::LocationTwoBytes, Step::LocationTwoUnits, Step::LocationCombined];
        compare(all, Step::Location40, &steps)
    })),
    ("", "line breaks that count against a limit", Same(|all| {
        let steps = [Step::Bio10LinesCrLf, Step::Bio11LinesCr, Step::BioTrailingBreak];
        compare(all, Step::Bio10Lines, &steps)
    })),
    ("", "case of colors", Same(writes::case_of_colors)),
    ("", "limits of titles, URLs and posts", Never("only long texts would show them")),
    ("", "relative URLs", Same(|all| compare(all, EditLink, &[Step::EditLinkRelativeUrl]))),
    ("analytics", "fields of analytics", Choice(|all| all.at(Analytics, ""), &[
        ("social", Fields(&[("views", INTEGER), ("likes", INTEGER), ("social", Fields(COUNTS))])),
        ("flat", Fields(&[
            ("views", INTEGER), ("likes", INTEGER),
            ("followers", INTEGER), ("following", INTEGER), ("comments", INTEGER),
        ])),
        ("totals", Fields(&[("views", TOTAL), ("likes", TOTAL), ("social", Fields(TOTALS))])),
    ])),
    ("badge_kinds", "kinds of badges", Named(reads::badge_kinds)),
    ("other_statistics", "devices and countries of others", Choice(reads::other_statistics, &[
        ("omitted", Only(&[])),
        ("null", Is(|found| *found == json!({ "devices": null, "countries": null }))),
        ("empty", Is(|found| *found == json!({ "devices": {}, "countries": [] }))),
    ])),
    ("", "scope of GET /me and view statistics", Same(reads::scope_of_reads)),
    ("reference_data", "key for GET /badges and GET /stats", Named(rejections::reference_data)),
    ("days_out_of_range", "days out of range", Named(rejections::days)),
    ("content_rejection", "status for invalid content", Named(rejections::content)),
    ("scope_rejection", "status for a missing scope", Named(rejections::scope)),
    ("rejections", "other statuses, and codes of rejections", Values(rejections::overrides)),
    ("error_body", "body of a rejection", Named(error_bodies::bodies)),
    ("error_template", "other bodies of rejections", Values(error_bodies::template)),
    ("", "bodies of all rejections", Same(error_bodies::uniformity)),
    ("rate_limit_rejection", "rate limit", Named(rate_limits::rejection)),
    ("rate_limit_headers", "names of rate limit headers", Named(rate_limits::headers)),
    ("rate_limit_header_names", "other names of rate limit headers", Values(rate_limits::header_names)),
    ("rate_limit_reset", "reset of the rate limit", Choice(rate_limits::reset, &[
        ("unix_time", Is(|reset| number(reset).is_some_and(|number| number >= MIN_UNIX_TIME))),
        ("seconds", Is(|reset| number(reset).is_some())),
    ])),
    ("retry_after", "form of Retry-After", Choice(rate_limits::retry_after, &[
        ("seconds", Is(|delay| number(delay).is_some())), ("date", ANY),
    ])),
    ("webhook_signature_encoding", "encoding of a signature", Named(deliveries::encodings)),
    ("webhook_payload", "payload of an event", Named(deliveries::payloads)),
    ("", "triggers of events", Never(NOT_IN_DELIVERY)),
    ("webhook_timeout", "timeout of a delivery", Never(NOT_IN_DELIVERY)),
    ("", "retries of deliveries", Never(NOT_IN_DELIVERY)),
    ("", "a success between failed deliveries", Never(NOT_IN_DELIVERY)),
    ("", "re-enabling of webhooks", Never(NO_ENDPOINT)),
    ("", "provisioning of webhooks", Never(NO_ENDPOINT)),
    ("extra_fields", "further fields", Values(extra_fields::extra_fields)),
    ("", "redirects", Never("no request causes one")),
    ("compression", "compression of responses", Named(reads::compression)),
    ("", "HTTP version", Never("the command uses a single version")),
];

const NOT_IN_DELIVERY: &str = "a recorded delivery does not show it";
const NO_ENDPOINT: &str = "no specified endpoint manages webhooks";

/// The counts in analytics.
#[rustfmt::skip]
const COUNTS: &[Field] = &[("followers", INTEGER), ("following", INTEGER), ("comments", INTEGER)];
#[rustfmt::skip]
const TOTALS: &[Field] = &[("followers", TOTAL), ("following", TOTAL), ("comments", TOTAL)];
const TOTAL: Shape = Fields(&[("total", INTEGER)]);

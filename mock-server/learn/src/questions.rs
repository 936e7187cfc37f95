//! The answers to the questions that the specification leaves open, and the table of the questions in its
//! order.

use Way::{Compare, Derive, Never};

use crate::learner::{Finding, Found, Learner, Row};
use crate::observations::Observations;
use crate::requests::Step::{self, *};
use crate::views::{self, View};
use crate::{observed, rejections};

/// Answers all questions. Returns the learner with the learned settings, and the findings.
pub(crate) fn conclude(all: &Observations) -> (Learner<'_>, Vec<Row>) {
    let mut learner = Learner::new(all);
    let mut rows = Vec::new();
    for (setting, question, way) in QUESTIONS {
        let found = match way {
            Way::Compare(steps, view, needs) => learner.compare(setting, steps, *view, needs),
            Way::Derive(find) => find(&learner),
            Way::Never(reason) => Err((*reason).to_owned()),
        };
        let mut finding = found.unwrap_or_else(|reason| Finding::NotObservable { reason });
        if let Finding::Learned { value, sample } = &finding
            && let Err(reason) = learner.set(setting, value)
        {
            let sample = sample.with(reason);
            finding = Finding::Outside { sample };
        }
        rows.push(Row::new(setting, *question, finding));
    }
    for (row, (_, _, way)) in rows.iter_mut().zip(QUESTIONS) {
        if let Way::Compare(steps, view, _) = way {
            learner.review(row, steps, *view);
        }
    }
    (learner, rows)
}

/// A question that the specification leaves open: the setting of the dialect, which is empty if the mock
/// has none, the text, and the way to the answer.
type Question = (&'static str, &'static str, Way);

/// A way to the answer.
enum Way {
    /// The value of the setting with which a part of these responses of the mock is the same, and the
    /// reason if several values lead to the same responses.
    Compare(&'static [Step], View, &'static str),
    /// The setting consists of observed values, or a comparison cannot find it.
    Derive(fn(&Learner<'_>) -> Found),
    /// No request shows it, for this reason.
    Never(&'static str),
}

#[rustfmt::skip]
const QUESTIONS: &[Question] = &[
    ("api_visible", "type of api_visible", Compare(&[Me], views::api_visible, "")),
    ("key_object", "fields of key", Compare(&[Me], views::key_object, "")),
    ("key_scopes", "type of key.scopes",
        Compare(&[Me], views::key_scopes, "the key has fewer than two scopes")),
    ("key_rate_limit", "type of key.rate_limit", Compare(&[Me], views::key_rate_limit, "")),
    ("me_fields", "fields of GET /me", Compare(&[Me], views::me_fields, "")),
    ("", "case of handles", Never("a handle in another case may belong to someone else")),
    ("ids", "type of IDs", Compare(RESOURCES, views::ids, NO_RESOURCE)),
    ("resource_fields", "other fields of links and posts",
        Compare(RESOURCES, views::resource_fields, NO_RESOURCE)),
    ("write_responses", "response to a write", Compare(WRITES, views::write_response, "")),
    ("write_statuses", "statuses of writes", Derive(observed::write_statuses)),
    ("", "required fields of links and posts",
        Compare(&[CreateLinkWithoutUrl, EditLinkEmpty], views::accepted, "")),
    ("unknown_fields", "unknown fields of links and posts",
        Compare(&[EditLinkUnknownField], views::accepted, "")),
    ("", "null in an edit", Compare(&[EditLinkNull], views::accepted, "")),
    ("", "other types than strings", Compare(&[EditLinkNumber], views::accepted, "")),
    ("", "repeated fields", Compare(&[RepeatedField], views::accepted, "")),
    ("", "characters that count against a limit", Never(CHANGED)),
    ("", "line breaks that count against a limit", Never(CHANGED)),
    ("", "case of colors", Never(CHANGED)),
    ("", "limits of titles, URLs and posts", Never("only long texts would show them")),
    ("link_urls", "form of stored URLs",
        Compare(&[CreateLink, EditLink, MeWithLink], views::link_urls, NO_RESOURCE)),
    ("", "relative URLs", Compare(&[EditLinkRelativeUrl], views::accepted, "")),
    ("analytics", "fields of analytics", Compare(&[Analytics], views::analytics, "")),
    ("badge_kinds", "kinds of badges",
        Compare(&[Badges], views::badge_kinds, "GET /badges lists no badge")),
    ("other_statistics", "devices and countries of others",
        Compare(&[Other1], views::other_statistics, "")),
    ("", "scope of GET /me and view statistics",
        Compare(&[Me], views::without_scopes, "needs a key without scopes")),
    ("reference_data", "key for GET /badges and GET /stats",
        Compare(&[BadgesWithoutKey, SiteWithoutKey], views::open, "")),
    ("content_rejection", "status for invalid content",
        Compare(&[UnknownField], views::status, "")),
    ("days_out_of_range", "days out of range",
        Compare(&[Own366, Other31, Other366], views::days, SAME_STATUS)),
    ("scope_rejection", "status for a missing scope",
        Compare(&[Analytics, UnknownField], views::refusal, ALL_SCOPES)),
    ("error_body", "body of a rejection", Derive(rejections::error_body)),
    ("error_template", "other bodies of rejections", Derive(rejections::template)),
    ("rejections", "other statuses, codes and messages of rejections",
        Derive(rejections::overrides)),
    ("rate_limit_rejection", "rate limit", Compare(&[Me, RateLimited], views::rate_limit, "")),
    ("rate_limit_headers", "names of rate limit headers",
        Compare(&[Me], views::rate_limit_headers, NO_HEADERS)),
    ("rate_limit_header_names", "other names of rate limit headers",
        Derive(observed::rate_limit_header_names)),
    ("rate_limit_reset", "reset of the rate limit",
        Compare(&[Me], views::rate_limit_reset, NO_HEADERS)),
    ("retry_after", "form of Retry-After",
        Compare(&[RateLimited], views::retry_after, "the 429 has no Retry-After")),
    ("webhook_signature_encoding", "encoding of a signature", Derive(observed::encoding)),
    ("webhook_payload", "payload of an event", Derive(observed::payload)),
    ("", "triggers of events", Never(NOT_IN_DELIVERY)),
    ("webhook_timeout", "timeout of a delivery", Never(NOT_IN_DELIVERY)),
    ("", "retries of deliveries", Never(NOT_IN_DELIVERY)),
    ("", "a success between failed deliveries", Never(NOT_IN_DELIVERY)),
    ("", "re-enabling of webhooks", Never(NO_ENDPOINT)),
    ("", "provisioning of webhooks", Never(NO_ENDPOINT)),
    ("extra_fields", "further fields", Derive(observed::extra_fields)),
    ("", "redirects", Never("no request causes one")),
    ("compression", "compression of responses", Derive(observed::compression)),
    ("", "HTTP version", Never("the command uses a single version")),
];

const RESOURCES: &[Step] = &[Me, MeWithLink, MeWithPost, CreateLink, CreatePost];

#[rustfmt::skip]
const WRITES: &[Step] = &[EditProfile, EditLink, CreateLink, CreatePost, DeleteLink, DeletePost];

const NO_RESOURCE: &str = "no response contains a link or post";
const NO_HEADERS: &str = "GET /me has no separate headers about the rate limit";
const SAME_STATUS: &str = "the status is that of invalid content";
const ALL_SCOPES: &str = "needs a key without analytics:read or profile:write";
const CHANGED: &str = "only an edit that changes the profile would show it";
const NOT_IN_DELIVERY: &str = "a recorded delivery does not show it";
const NO_ENDPOINT: &str = "no specified endpoint manages webhooks";

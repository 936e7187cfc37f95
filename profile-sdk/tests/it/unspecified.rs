//! What the specification leaves open, each with the tests that show that the client survives it.

use std::collections::BTreeSet;

use mock_server::Dialect;

use crate::{
    badges, dialects, errors, limits, links, me, network, paths, posts, shapes, site_stats,
};
use crate::{user_stats, writes};

/// One thing that the specification does not say.
struct Silence {
    about: &'static str,
    /// The settings by which the reference service can be made to fill it in its own way; the
    /// matrix runs over all of them.
    settings: &'static [&'static str],
    survived: Survived,
}

enum Survived {
    /// By these tests.
    As(&'static [fn()]),
    /// The client has no part in it, for this reason.
    NotConcerned(&'static str),
}

const MATRIX: fn() = dialects::every_call_says_the_same_under_every_dialect;
const REFUSALS: fn() = dialects::every_refusal_is_told_under_every_dialect;

const fn silence(
    about: &'static str,
    settings: &'static [&'static str],
    tests: &'static [fn()],
) -> Silence {
    let survived = Survived::As(tests);
    Silence {
        about,
        settings,
        survived,
    }
}

const fn not_concerned(
    about: &'static str,
    settings: &'static [&'static str],
    reason: &'static str,
) -> Silence {
    let survived = Survived::NotConcerned(reason);
    Silence {
        about,
        settings,
        survived,
    }
}

#[rustfmt::skip]
const SILENCES: [Silence; 36] = [
    silence("the type of api_visible", &["api_visible"],
        &[MATRIX, shapes::visibility_has_any_style]),
    silence("what else the key object holds", &["key_object"],
        &[MATRIX, shapes::the_key_has_any_shape]),
    silence("the shape of the key's scopes", &["key_scopes"],
        &[MATRIX, shapes::the_key_has_any_shape]),
    silence("the shape and unit of the key's rate limit", &["key_rate_limit"],
        &[MATRIX, shapes::the_key_has_any_shape]),
    silence("what else a profile holds", &["me_fields"],
        &[MATRIX, shapes::absent_and_null_read_alike, shapes::further_fields_survive]),
    silence("what a handle may be", &[],
        &[paths::what_cannot_be_a_segment_is_no_handle,
          paths::a_parameter_is_one_segment_whatever_it_holds,
          paths::no_text_reaches_another_endpoint]),
    silence("the type of the ids of links and posts", &["ids"],
        &[MATRIX, shapes::an_id_is_printed_as_it_was_written,
          shapes::an_id_beyond_64_bits_keeps_its_digits, shapes::an_odd_id_is_no_error]),
    silence("what else links and posts hold", &["resource_fields"],
        &[MATRIX, shapes::further_fields_survive]),
    silence("what a successful write is answered with", &["write_responses"],
        &[MATRIX, writes::an_answer_without_the_resource_is_a_success,
          writes::a_part_of_the_resource_is_given]),
    silence("which fields of links and posts are required", &[],
        &[links::an_empty_edit_is_refused_before_it_is_sent, shapes::what_is_sent_is_what_was_given]),
    silence("unknown fields in links and posts", &["unknown_fields"],
        &[MATRIX, shapes::what_is_sent_is_what_was_given]),
    silence("null in an edit of the profile", &[],
        &[shapes::what_is_sent_is_what_was_given]),
    silence("what a character is", &[],
        &[limits::texts_are_measured_alike, limits::random_texts_are_measured_alike]),
    silence("what a line is", &[],
        &[limits::lines_are_counted_alike, limits::random_texts_are_measured_alike]),
    silence("the case of colours", &[],
        &[limits::colors_are_read_alike, shapes::what_is_sent_is_what_was_given]),
    silence("how long titles, URLs and posts may be", &[],
        &[posts::a_post_is_created_and_deleted]),
    silence("what a URL is", &[],
        &[links::a_link_is_created_edited_and_deleted, shapes::what_is_sent_is_what_was_given]),
    silence("the shape of analytics", &["analytics"],
        &[MATRIX, shapes::analytics_have_any_shape]),
    silence("further kinds of badges", &["badge_kinds"],
        &[MATRIX, shapes::a_kind_of_badge_is_kept_by_name]),
    silence("what the statistics of another profile leave out", &["other_statistics"],
        &[MATRIX, shapes::statistics_of_another_may_be_bare_or_odd]),
    silence("which scope the profile and the statistics need", &[],
        &[me::no_scope_is_needed]),
    silence("whether badges and counters need a key", &["reference_data"],
        &[MATRIX, badges::badges_are_read_with_and_without_a_key,
          site_stats::the_counters_are_read_with_and_without_a_key]),
    silence("what days out of range get", &["days_out_of_range"],
        &[MATRIX, limits::days_are_bounded_alike,
          user_stats::only_the_service_knows_whose_profile_it_is]),
    silence("what an unknown handle, link or post gets", &[],
        &[REFUSALS, user_stats::an_unknown_handle_is_not_found,
          links::an_unknown_link_is_not_found, posts::an_unknown_post_is_not_found]),
    silence("the status codes of refusals", &["content_rejection", "scope_rejection"],
        &[MATRIX, REFUSALS, errors::a_status_is_judged_by_its_class]),
    silence("the body of a refusal", &["error_body"],
        &[REFUSALS, shapes::every_shape_of_a_refusal_is_read]),
    silence("what a request beyond the rate limit gets", &["rate_limit_rejection"],
        &[REFUSALS]),
    not_concerned("the encoding of a delivery's digest", &["webhook_signature_encoding"],
        "it signs no deliveries and checks none"),
    not_concerned("the payload of an event", &["webhook_payload"],
        "it receives no events"),
    not_concerned("what triggers an event", &[],
        "it receives no events"),
    not_concerned("when a delivery is repeated or has failed", &["webhook_timeout"],
        "it receives no events"),
    not_concerned("whether a delivered event ends a run of failures", &[],
        "it receives no events"),
    not_concerned("how a webhook is turned on again", &[],
        "no endpoint does it"),
    not_concerned("further kinds of events", &[],
        "it receives no events"),
    not_concerned("how the webhook's secret is provisioned", &[],
        "it holds no such secret"),
    silence("redirects, compression and the like", &[],
        &[network::a_redirect_is_not_followed, shapes::gzip_is_understood,
          shapes::the_content_type_and_a_byte_order_mark_do_not_matter]),
];

#[test]
fn no_silence_goes_without_a_test_or_a_reason() {
    for silence in &SILENCES {
        let answered = match silence.survived {
            Survived::As(tests) => !tests.is_empty(),
            Survived::NotConcerned(reason) => !reason.is_empty(),
        };
        assert!(
            answered,
            "nothing shows that the client survives {}",
            silence.about
        );
    }
    let subjects: BTreeSet<_> = SILENCES.iter().map(|silence| silence.about).collect();
    assert_eq!(subjects.len(), SILENCES.len(), "a silence is there twice");
}

#[test]
fn every_setting_of_the_service_fills_one_of_the_silences() {
    let known: Vec<_> = SILENCES
        .iter()
        .flat_map(|silence| silence.settings)
        .copied()
        .collect();
    let there_are: BTreeSet<_> = Dialect::alternatives()
        .map(|(setting, ..)| setting)
        .collect();
    assert_eq!(BTreeSet::from_iter(known.iter().copied()), there_are);
    assert_eq!(known.len(), there_are.len(), "a setting is there twice");
}

#[test]
fn a_silence_that_the_service_can_fill_is_in_the_matrix() {
    for silence in SILENCES
        .iter()
        .filter(|silence| !silence.settings.is_empty())
    {
        if let Survived::As(tests) = silence.survived {
            let first = tests.first().copied();
            let in_matrix = [MATRIX, REFUSALS]
                .into_iter()
                .any(|test| first.is_some_and(|first| std::ptr::fn_addr_eq(first, test)));
            assert!(
                in_matrix,
                "the matrix does not show that the client survives {}",
                silence.about
            );
        }
    }
}

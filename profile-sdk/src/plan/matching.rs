//! Matches desired links with those of the profile.

use url::Url;

use super::DesiredLink;
use crate::resources::Link;
use crate::values::LinkUrl;

/// The kinds of matches besides equality and URL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// `true` if the IDs of the desired links are those of this account.
    pub(super) by_id: bool,
    /// `true` to match titles that are unique on both sides.
    pub(super) by_title: bool,
}

/// Returns the index of the match of each desired link. A link matches once.
///
/// Equal links come first, so that a run after an interruption keeps what was done; among several
/// equal ones, the link with the ID. A link without an ID cannot be edited, so it only matches an equal
/// one.
pub(super) fn find_matches(
    desired: &[DesiredLink],
    current: &[Link],
    rules: Rules,
) -> Vec<Option<usize>> {
    let mut matches = vec![None; desired.len()];
    let mut is_taken = vec![false; current.len()];
    let mut match_by = |is_match: &dyn Fn(&DesiredLink, &Link) -> bool| {
        for (wanted, found) in desired.iter().zip(&mut matches) {
            if found.is_none() {
                *found = (0..current.len())
                    .find(|&index| !is_taken[index] && is_match(wanted, &current[index]));
                found.iter().for_each(|index| is_taken[*index] = true);
            }
        }
    };
    let is_unique = |title: &str| {
        let desired = desired.iter().filter(|wanted| wanted.title == title);
        let current = current.iter().filter(|link| has_title(link, title));
        (desired.count(), current.count()) == (1, 1)
    };
    let has_id = |wanted: &DesiredLink, link: &Link| {
        rules.by_id && link.id.is_some() && link.id == wanted.id
    };
    // An exact match is preferred.
    let comparisons: [fn(&str, &str) -> bool; 2] = [|one, other| one == other, is_same_url];
    match_by(&|wanted, link| has_id(wanted, link) && is_equal(link, &wanted.title, &wanted.url));
    for is_same in comparisons {
        match_by(&|wanted, link| {
            has_title(link, &wanted.title) && has_url(link, &wanted.url, is_same)
        });
    }
    match_by(&has_id);
    for is_same in comparisons {
        match_by(&|wanted, link| link.id.is_some() && has_url(link, &wanted.url, is_same));
    }
    if rules.by_title {
        match_by(&|wanted, link| {
            link.id.is_some() && has_title(link, &wanted.title) && is_unique(&wanted.title)
        });
    }
    matches
}

pub(super) fn is_equal(link: &Link, title: &str, url: &LinkUrl) -> bool {
    has_title(link, title) && has_url(link, url, is_same_url)
}

/// Returns `true` if URLs are equal after parsing, since a service may store the parsed form.
pub(super) fn is_same_url(one: &str, other: &str) -> bool {
    one == other
        || matches!((Url::parse(one), Url::parse(other)), (Ok(one), Ok(other)) if one == other)
}

fn has_url(link: &Link, url: &LinkUrl, is_same: fn(&str, &str) -> bool) -> bool {
    let found = link.url.as_deref();
    found.is_some_and(|found| is_same(found, url.as_str()))
}

/// Returns `true` if a link has this title. A missing title is an empty one.
fn has_title(link: &Link, title: &str) -> bool {
    link.title.as_deref().unwrap_or_default() == title
}

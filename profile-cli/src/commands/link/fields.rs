//! The fields of a link.

use profile_sdk::{Link, LinkUrl};
use url::Url;

use crate::outcome::report::{View, cell};

/// A note on `--curl`, which reads nothing.
pub(super) const CURL_NOTE: &str = "replace a title in the command by the ID of the link";

pub(super) const COLUMNS: [&str; 3] = ["id", "title", "url"];

/// Returns the fields of a link.
pub(super) fn fields(link: &Link) -> View {
    View::item(COLUMNS, cells(link))
}

/// Returns the values of the columns.
pub(super) fn cells(link: &Link) -> [String; 3] {
    [
        cell(link.id.as_ref()),
        cell(link.title.as_ref()),
        cell(link.url.as_ref()),
    ]
}

/// Returns a warning if browsers may run the URL instead of opening a page.
pub(super) fn url_warning(url: &LinkUrl) -> Option<String> {
    let url = Url::parse(url.as_str()).ok()?;
    let scheme = url.scheme();
    matches!(scheme, "javascript" | "data" | "vbscript").then(|| {
        format!("the URL starts with {scheme}:, which browsers may run instead of opening a page")
    })
}

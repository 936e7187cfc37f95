//! The fields of a link.

use profile_sdk::Link;

use crate::outcome::report::{View, push_field};

/// Returns the fields of a link.
pub(super) fn fields(link: &Link) -> View {
    let mut fields = Vec::new();
    push_field(&mut fields, "id", link.id.as_ref());
    push_field(&mut fields, "title", link.title.as_ref());
    push_field(&mut fields, "url", link.url.as_ref());
    View::Fields(fields)
}

//! The README and the guide, which are also pages of docs.rs.

#[test]
fn links_resolve_on_docs_rs() {
    let pages = [
        include_str!("../../README.md"),
        include_str!("../../docs/guide.md"),
    ];
    for link in pages.iter().flat_map(|page| page.split("](").skip(1)) {
        let (target, _) = link.split_once(')').unwrap();
        // A heading, a page elsewhere, or an item of this crate.
        let is_item = target.starts_with("Client::");
        let resolves = target.starts_with('#') || target.starts_with("https://") || is_item;
        assert!(resolves, "{target} does not resolve on docs.rs");
    }
}

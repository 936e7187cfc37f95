//! Compares the public API of the libraries with the listings in `docs/public-api/`.
//!
//! The listings are generated from the sources, so they do not depend on the compiler. They contain
//! all public items with their public parts and explicit trait implementations, without auto
//! traits.

mod items;
mod sources;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect_file;

use items::Listing;
use sources::Module;

#[test]
fn the_public_api_matches_its_listing() {
    expect_file!["../../../docs/public-api/profile-sdk.txt"].assert_eq(&listing("profile-sdk"));
    expect_file!["../../../docs/public-api/webhook-verify.txt"]
        .assert_eq(&listing("webhook-verify"));
    expect_file!["../../../docs/public-api/mock-server.txt"].assert_eq(&listing("mock-server"));
}

fn listing(name: &str) -> String {
    let modules = sources::modules_of(name);
    let exported = exports_of(&modules);
    let listing = Listing::of(&modules, &exported);
    let mut text = format!("The public API of {name}.\n");
    for (item, lines) in listing.into_items() {
        write!(text, "\n{item}\n").unwrap();
        lines
            .iter()
            .for_each(|line| writeln!(text, "    {line}").unwrap());
    }
    text
}

/// Returns the names that other crates can use.
fn exports_of(modules: &[Module]) -> BTreeSet<String> {
    let public = modules.iter().filter(|module| module.is_public);
    public
        .flat_map(|module| items::exports_of(&module.items))
        .collect()
}

#[test]
fn a_listing_contains_only_public_items() {
    let source = "
        pub struct Open { pub open: u8, hidden: u8 }
        impl Open {
            pub const MAX: u8 = 7;
            pub fn build(mut self, text: &str) -> Option<u8> { None }
            pub(crate) fn internal(&self) {}
        }
        trait Secret {}
        impl Secret for Open {}
        impl Clone for Open { fn clone(&self) -> Self { Self { open: 1, hidden: 2 } } }
        struct Hidden;
        #[cfg(test)]
        pub struct Tested;
    ";
    let items = syn::parse_file(source).unwrap().items;
    let exported = items::exports_of(&items);
    assert_eq!(exported, ["Open"]);
    let exported = BTreeSet::from_iter(exported);
    let module = Module {
        is_public: true,
        condition: String::new(),
        items,
    };
    let listing = Listing::of(&[module], &exported);
    let lines: Vec<_> = listing
        .into_items()
        .remove("Open")
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(
        lines,
        [
            "impl Clone for Open",
            "pub const MAX: u8 = 7",
            "pub fn build(self, text: &str) -> Option<u8>",
            "pub struct Open { pub open: u8, .. }",
        ]
    );
}

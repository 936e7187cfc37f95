//! The public API of the libraries is the one that is written down in `docs/public-api/`.
//!
//! The listing is made from the sources, so that it is the same with every compiler. It has every
//! public item by its name, with what is public of it and the traits that it implements in so many
//! words; what the compiler adds by itself is not in it.

mod items;
mod sources;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::expect_file;

use items::Listing;
use sources::Module;

#[test]
fn the_public_api_is_the_one_that_is_written_down() {
    expect_file!["../../../docs/public-api/profile-sdk.txt"].assert_eq(&listing("profile-sdk"));
    expect_file!["../../../docs/public-api/webhook-verify.txt"]
        .assert_eq(&listing("webhook-verify"));
    expect_file!["../../../docs/public-api/mock-server.txt"].assert_eq(&listing("mock-server"));
}

fn listing(name: &str) -> String {
    let modules = sources::modules_of(name);
    let exported = exported_by(&modules);
    let listing = Listing::of(&modules, &exported);
    let mut text = format!("The public items of {name}, with what is public of each.\n");
    for (item, lines) in listing.into_items() {
        write!(text, "\n{item}\n").unwrap();
        lines
            .iter()
            .for_each(|line| writeln!(text, "    {line}").unwrap());
    }
    text
}

/// The names that can be reached from outside.
fn exported_by(modules: &[Module]) -> BTreeSet<String> {
    let public = modules.iter().filter(|module| module.is_public);
    public
        .flat_map(|module| items::exports_of(&module.items))
        .collect()
}

#[test]
fn a_listing_has_what_is_public_and_nothing_else() {
    let source = "
        pub struct Shown { pub open: u8, hidden: u8 }
        impl Shown {
            pub const MOST: u8 = 7;
            pub fn told(mut self, text: &str) -> Option<u8> { None }
            pub(crate) fn kept(&self) {}
        }
        trait Secret {}
        impl Secret for Shown {}
        impl Clone for Shown { fn clone(&self) -> Self { Self { open: 1, hidden: 2 } } }
        struct Hidden;
        #[cfg(test)]
        pub struct Tested;
    ";
    let items = syn::parse_file(source).unwrap().items;
    let exported = items::exports_of(&items);
    assert_eq!(exported, ["Shown"]);
    let exported = BTreeSet::from_iter(exported);
    let module = Module {
        is_public: true,
        condition: String::new(),
        items,
    };
    let listing = Listing::of(&[module], &exported);
    let lines: Vec<_> = listing
        .into_items()
        .remove("Shown")
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(
        lines,
        [
            "impl Clone for Shown",
            "pub const MOST: u8 = 7",
            "pub fn told(self, text: &str) -> Option<u8>",
            "pub struct Shown { pub open: u8, .. }",
        ]
    );
}

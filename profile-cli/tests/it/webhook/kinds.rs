//! `profile webhook kinds`.

use super::{home, webhook};

#[test]
fn lists_seven_kinds_with_meanings() {
    let home = home();
    let kinds = webhook(home.path(), &["kinds", "--json"]).run().json();
    assert_eq!(kinds.as_array().unwrap().len(), 7);
    let shown = webhook(home.path(), &["kinds"]).run();
    assert_eq!(shown.stdout().lines().count(), 7);
    for (kind, line) in kinds.as_array().unwrap().iter().zip(shown.stdout().lines()) {
        let (name, meaning) = line.split_once('\t').unwrap();
        assert_eq!(
            (&kind["kind"], &kind["meaning"]),
            (&name.into(), &meaning.into())
        );
        assert!(!meaning.is_empty());
    }
}

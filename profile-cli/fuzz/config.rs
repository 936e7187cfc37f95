//! The fuzz target of config.toml: checks that no input causes a panic and that an edit changes
//! nothing else.
//!
//! From the root, with a nightly compiler: `scripts/fuzz 60 config`

use std::fs::File;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;

use super::ConfigEdit;
use crate::outcome::Result;
use crate::settings::{AccountName, ConfigFile, SettingName};
use crate::system::interruption;

fuzz_target!(|text: &str| {
    let Ok(file) = parsed(text) else {
        return;
    };
    let _ = file.warnings();
    for account in file.accounts() {
        let _ = file.account_text(&account, "base_url");
    }
    for name in SettingName::all() {
        let value = file.text(name).ok().flatten();
        if let Some(value) = value.filter(|value| name.check(value).is_ok()) {
            check_setting(text, name, &value);
        }
        check_unsetting(text, name);
    }
    check_storing_an_account(text);
});

fn parsed(text: &str) -> Result<ConfigFile> {
    ConfigFile::parse(PathBuf::from("config.toml"), text)
}

/// Returns an edit of this text, without a lock.
fn edit(text: &str) -> ConfigEdit {
    ConfigEdit {
        file: parsed(text).expect("the text was parsed before"),
        _lock: File::open("/dev/null").expect("/dev/null exists"),
        _deferred: interruption::defer(),
    }
}

fn check_setting(text: &str, name: SettingName, value: &str) {
    let mut edit = edit(text);
    edit.set(name, value);
    let after = parsed(&edit.file.document.to_string()).expect("a written file is valid");
    // A number may be formatted differently.
    assert!(after.text(name).is_ok_and(|value| value.is_some()));
    check_others(text, &after, name);
}

fn check_unsetting(text: &str, name: SettingName) {
    let mut edit = edit(text);
    if edit.unset(name).is_ok_and(|was_there| was_there) {
        assert_eq!(edit.file.text(name).ok().flatten(), None);
        check_others(text, &edit.file, name);
    }
}

fn check_others(text: &str, after: &ConfigFile, changed: SettingName) {
    let before = parsed(text).expect("the text was parsed before");
    for other in SettingName::all() {
        if other != changed {
            assert_eq!(before.text(other).ok(), after.text(other).ok(), "{other}");
        }
    }
    assert_eq!(before.accounts(), after.accounts());
}

fn check_storing_an_account(text: &str) {
    let account = AccountName::parse("work").expect("the name is valid");
    let mut edit = edit(text);
    if edit.set_account(&account, "base_url", "https://x").is_ok() {
        let written = edit.file.document.to_string();
        let after = parsed(&written).expect("a written file is valid");
        let stored = after.account_text("work", "base_url");
        assert!(stored.is_ok_and(|stored| stored.as_deref() == Some("https://x")));
    }
}

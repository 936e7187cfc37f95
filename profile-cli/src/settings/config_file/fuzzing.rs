//! The fuzz target of config.toml: no text makes the program panic.
//!
//! From the root, with a nightly compiler: `scripts/fuzz 60 config`

use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;

use super::ConfigFile;
use crate::settings::SettingName;

fuzz_target!(|text: &str| {
    let Ok(file) = ConfigFile::parse(PathBuf::from("config.toml"), text) else {
        return;
    };
    for name in SettingName::ALL {
        if let Some(value) = file.text(name) {
            let _ = name.check(&value);
        }
    }
    for account in file.accounts() {
        let _ = file.account_text(&account, "base_url");
    }
});

//! Settings with their values and sources.

use serde_json::{Value, json};

use crate::settings::{SettingName, Settings};

/// A setting with its effective value.
pub(crate) struct ListedSetting {
    name: SettingName,
    value: Option<String>,
    source: Option<String>,
}

/// Returns all settings, and messages about the invalid ones.
pub(crate) fn all(settings: &Settings) -> (Vec<ListedSetting>, Vec<String>) {
    let mut wrong = Vec::new();
    let listed = SettingName::all().map(|name| {
        let setting = settings.effective(name).unwrap_or_else(|failure| {
            wrong.push(match failure.message.contains(name.as_str()) {
                true => failure.message,
                false => format!("{name}: {}", failure.message),
            });
            None
        });
        if let Some(setting) = &setting
            && let Err(reason) = name.check(&setting.value)
        {
            let place = settings.location(name, &setting.source);
            wrong.push(format!("{place}: {name} {reason}"));
        }
        ListedSetting {
            name,
            source: setting.as_ref().map(|setting| setting.source.to_string()),
            value: setting.map(|setting| name.without_password(&setting.value)),
        }
    });
    let listed = listed.collect();
    let accounts = settings.config.check_accounts();
    wrong.extend(accounts.err().map(|failure| failure.message));
    (listed, wrong)
}

impl ListedSetting {
    pub(crate) fn as_json(&self) -> Value {
        json!({"name": self.name.as_str(), "value": self.value, "source": self.source})
    }

    /// Returns the setting as a table row.
    pub(super) fn as_row(&self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![self.name.to_string(), text(&self.value), text(&self.source)]
    }
}

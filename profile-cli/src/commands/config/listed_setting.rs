//! Settings with their values and sources.

use serde_json::{Value, json};

use crate::outcome::report::push_field;
use crate::settings::{SettingName, Settings, Source};

/// A setting with its effective value.
pub(crate) struct ListedSetting {
    name: SettingName,
    value: Option<String>,
    source: Option<String>,
}

/// Returns all settings, and messages about the invalid ones.
pub(crate) fn all(settings: &Settings) -> (Vec<ListedSetting>, Vec<String>) {
    let mut wrong = Vec::new();
    let listed = SettingName::ALL.into_iter().map(|name| {
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

    /// Returns `true` for the settings that select the account or the service.
    pub(crate) fn names_the_service(&self) -> bool {
        matches!(self.name, SettingName::Account | SettingName::BaseUrl)
    }

    /// Returns the setting as one field for the terminal, unless it has its default.
    pub(crate) fn as_field(&self) -> Option<(String, String)> {
        let (value, source) = (self.value.as_ref()?, self.source.as_ref()?);
        let is_default = *source == Source::Default.to_string();
        (!is_default).then(|| {
            (
                format!("setting {}", self.name),
                format!("{value} ({source})"),
            )
        })
    }

    /// Pushes the value and the source as separate fields.
    pub(crate) fn push_fields(&self, fields: &mut Vec<(String, String)>) {
        let name = format!("settings.{}", self.name);
        push_field(fields, format!("{name}.value"), self.value.as_ref());
        push_field(fields, format!("{name}.source"), self.source.as_ref());
    }

    /// Returns the setting as a table row.
    pub(super) fn as_row(&self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![self.name.to_string(), text(&self.value), text(&self.source)]
    }
}

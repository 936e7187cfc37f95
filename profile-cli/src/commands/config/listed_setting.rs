//! The settings with their values and sources, as lists show them.

use serde_json::{Value, json};

use crate::outcome::report::push_field;
use crate::settings::{SettingName, Settings, without_login};

/// A setting as it goes.
pub(crate) struct ListedSetting {
    name: SettingName,
    value: Option<String>,
    source: Option<String>,
}

/// Every setting, and what is wrong with those that cannot be told.
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
            value: setting.map(|setting| match name {
                SettingName::BaseUrl => without_login(&setting.value),
                _ => setting.value,
            }),
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

    /// Whether it says whose profile is worked on, and where.
    pub(crate) fn names_the_service(&self) -> bool {
        matches!(self.name, SettingName::Account | SettingName::BaseUrl)
    }

    /// The setting as one of many things with a name, for people.
    pub(crate) fn as_field(&self) -> (String, String) {
        let value = match (&self.value, &self.source) {
            (Some(value), Some(source)) => format!("{value} ({source})"),
            _ => "not set".to_owned(),
        };
        (format!("setting {}", self.name), value)
    }

    /// Its value and its source, each with a name, where it has them.
    pub(crate) fn push_fields(&self, fields: &mut Vec<(String, String)>) {
        let name = format!("settings.{}", self.name);
        push_field(fields, format!("{name}.value"), self.value.as_ref());
        push_field(fields, format!("{name}.source"), self.source.as_ref());
    }

    /// The setting as a row of a table.
    pub(super) fn as_row(&self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![self.name.to_string(), text(&self.value), text(&self.source)]
    }
}

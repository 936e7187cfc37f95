//! The alternatives to the settings of a dialect, and its documentation.

use serde::Serialize;
use serde_json::Value;

use super::Dialect;
use super::settings::{Setting, SettingValue, settings};
use crate::engine::seeded_hash::SeededHash;

/// A setting with its default and its alternatives in JSON.
#[derive(Serialize)]
pub(crate) struct SettingJson {
    setting: &'static str,
    default: Value,
    alternatives: Vec<Value>,
}

/// Returns every setting.
pub(crate) fn settings_with_alternatives() -> Vec<SettingJson> {
    let settings = settings().map(|setting| {
        let json = |value: &SettingValue| json(setting, &with(&Dialect::default(), value));
        SettingJson {
            setting: setting.name,
            default: json(&setting.default),
            alternatives: setting.alternatives.iter().map(json).collect(),
        }
    });
    settings.collect()
}

/// Returns the alternatives to the settings of a dialect.
pub(super) fn of(base: Dialect) -> impl Iterator<Item = (&'static str, &'static str, Dialect)> {
    let values =
        |setting: &'static Setting| setting.alternatives.iter().map(|one| (setting.name, one));
    settings()
        .flat_map(values)
        .filter_map(move |(setting, value)| {
            let dialect = with(&base, value);
            (dialect != base).then_some((setting, value.name, dialect))
        })
}

/// Returns the dialect with the values that belong to a named dialect.
pub(super) fn named(name: &str) -> Dialect {
    let mut dialect = Dialect::default();
    let values = settings().flat_map(|setting| setting.alternatives);
    for value in values.filter(|value| value.dialect == Some(name)) {
        (value.apply)(&mut dialect);
    }
    dialect
}

/// Draws each setting; the default is as likely as each alternative.
pub(super) fn random(seed: u64) -> Dialect {
    let mut dialect = Dialect::default();
    for setting in settings() {
        let drawn = SeededHash::new(seed)
            .mix_str("dialect")
            .mix_str(setting.name);
        let index = drawn.below(setting.alternatives.len() as u64 + 1);
        let chosen = usize::try_from(index).ok();
        if let Some(value) = chosen.and_then(|index| setting.alternatives.get(index)) {
            (value.apply)(&mut dialect);
        }
    }
    dialect
}

/// Returns the dialect with another value of a setting.
fn with(dialect: &Dialect, value: &SettingValue) -> Dialect {
    let mut dialect = dialect.clone();
    (value.apply)(&mut dialect);
    dialect
}

/// Returns the value of a setting in JSON.
fn json(setting: &Setting, dialect: &Dialect) -> Value {
    let mut settings = serde_json::to_value(dialect).expect("a dialect has a JSON form");
    settings[setting.name].take()
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_has_its_name_in_json() {
        for setting in settings() {
            for value in [&setting.default].into_iter().chain(setting.alternatives) {
                let number = value.name.parse::<u64>().map(Value::from);
                let expected = number.unwrap_or_else(|_| value.name.into());
                let dialect = with(&Dialect::default(), value);
                assert_eq!(json(setting, &dialect), expected);
                let read = serde_json::from_value(json!({ setting.name: expected }));
                assert_eq!(read.ok(), Some(dialect));
            }
        }
    }

    #[test]
    fn random_dialects_include_every_value() {
        let drawn: Vec<_> = (0..100).map(random).collect();
        for setting in settings() {
            for value in [&setting.default].into_iter().chain(setting.alternatives) {
                let is_drawn = |dialect: &Dialect| with(dialect, value) == *dialect;
                assert!(
                    drawn.iter().any(is_drawn),
                    "{} {}",
                    setting.name,
                    value.name
                );
            }
        }
    }

    /// Returns the rows of the documentation.
    fn table() -> String {
        let row = |setting: &Setting| {
            let values = [&setting.default].into_iter().chain(setting.alternatives);
            let values = values.map(|value| format!("`{}`:{}", value.name, value.documentation));
            let values: Vec<_> = values.collect();
            let documentation = setting.documentation.trim();
            format!(
                "| `{}` | {documentation} | {} |\n",
                setting.name,
                values.join("<br>")
            )
        };
        settings().map(row).collect()
    }

    #[test]
    fn the_page_about_dialects_has_the_table() {
        let page = include_str!("../../../docs/dialects.md");
        let head = "| Setting | Meaning | Values, the default first |\n|---|---|---|\n";
        let (before, after) = page.split_once(head).expect("the head of the table");
        let (_, after) = after.split_once("\n\n").expect("the end of the table");
        let expected = format!("{before}{head}{}\n{after}", table());
        expect_file!["../../../docs/dialects.md"].assert_eq(&expected);
    }
}

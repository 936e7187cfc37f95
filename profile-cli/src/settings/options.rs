//! The settings given as flags.

use clap::ValueEnum as _;

use super::{GlobalArguments, Setting, SettingName, Source};

/// The values of flags as text, by setting.
pub(super) struct Flags(Vec<(SettingName, Setting<String>)>);

impl Flags {
    pub(super) fn new(arguments: &GlobalArguments) -> Self {
        let mut flags = Self(Vec::new());
        let name_of = |value: Option<clap::builder::PossibleValue>| {
            value.map(|value| value.get_name().to_owned())
        };
        let format = arguments
            .output
            .and_then(|format| format.to_possible_value());
        let color = arguments.color.and_then(|color| color.to_possible_value());
        let seconds = |timeout: std::time::Duration| timeout.as_secs_f64().to_string();
        flags.push(SettingName::Account, arguments.account.clone());
        flags.push(SettingName::BaseUrl, arguments.base_url.clone());
        flags.push(SettingName::Color, name_of(color));
        flags.push(
            SettingName::NoInput,
            arguments.no_input.then(|| "true".to_owned()),
        );
        flags.push(SettingName::Output, name_of(format));
        flags.push(
            SettingName::Retries,
            arguments.retries.map(|n| n.to_string()),
        );
        flags.push(SettingName::Timeout, arguments.timeout.map(seconds));
        if flags.get(SettingName::Output).is_none() && arguments.wants_json() {
            let flag = if arguments.json { "--json" } else { "--jq" };
            flags.push_from(SettingName::Output, "json".to_owned(), flag);
        }
        flags
    }

    pub(super) fn get(&self, name: SettingName) -> Option<&Setting<String>> {
        let found = self.0.iter().find(|(flag, _)| *flag == name);
        found.map(|(_, setting)| setting)
    }

    fn push(&mut self, name: SettingName, text: Option<String>) {
        if let Some(text) = text {
            self.push_from(name, text, name.flag());
        }
    }

    fn push_from(&mut self, name: SettingName, text: String, flag: &'static str) {
        self.0.push((name, Setting::new(text, Source::Flag(flag))));
    }
}

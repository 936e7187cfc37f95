//! The settings given as options.

use clap::ValueEnum as _;

use super::{GlobalArguments, Setting, SettingName, Source};

/// The values of options as text, by setting.
pub(super) struct Options(Vec<(SettingName, Setting<String>)>);

impl Options {
    pub(super) fn new(arguments: &GlobalArguments) -> Self {
        let mut options = Self(Vec::new());
        let name_of = |value: Option<clap::builder::PossibleValue>| {
            value.map(|value| value.get_name().to_owned())
        };
        let format = arguments
            .output
            .and_then(|format| format.to_possible_value());
        let color = arguments.color.and_then(|color| color.to_possible_value());
        let seconds = |timeout: std::time::Duration| timeout.as_secs_f64().to_string();
        options.push(SettingName::Account, arguments.account.clone());
        options.push(SettingName::BaseUrl, arguments.base_url.clone());
        options.push(SettingName::Color, name_of(color));
        options.push(
            SettingName::NoInput,
            arguments.no_input.then(|| "true".to_owned()),
        );
        options.push(SettingName::Output, name_of(format));
        options.push(
            SettingName::Retries,
            arguments.retries.map(|n| n.to_string()),
        );
        options.push(SettingName::Timeout, arguments.timeout.map(seconds));
        if options.get(SettingName::Output).is_none() && arguments.wants_json() {
            let option = if arguments.json { "--json" } else { "--jq" };
            options.push_from(SettingName::Output, "json".to_owned(), option);
        }
        options
    }

    pub(super) fn get(&self, name: SettingName) -> Option<&Setting<String>> {
        let found = self.0.iter().find(|(option, _)| *option == name);
        found.map(|(_, setting)| setting)
    }

    fn push(&mut self, name: SettingName, text: Option<String>) {
        if let Some(text) = text {
            self.push_from(name, text, name.option());
        }
    }

    fn push_from(&mut self, name: SettingName, text: String, option: &'static str) {
        self.0
            .push((name, Setting::new(text, Source::Option(option))));
    }
}

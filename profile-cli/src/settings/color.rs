//! The colors of an output stream.

use clap::ColorChoice;

use crate::system::environment::{self, is_set};
use crate::terminal::Palette;

/// Returns the colors of a stream, or `None` if it should not be colored.
pub(crate) fn palette(choice: ColorChoice, is_terminal: bool) -> Option<Palette> {
    let text = |name| environment::text(name).ok().flatten().unwrap_or_default();
    let palette = match (text("COLORTERM").as_str(), text("TERM")) {
        ("truecolor" | "24bit", _) => Palette::Full,
        (_, term) if term.contains("256color") => Palette::Indexed,
        _ => Palette::Basic,
    };
    let is_colored = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto => match text("CLICOLOR_FORCE").as_str() {
            "" | "0" | "false" => is_terminal && text("TERM") != "dumb",
            _ => true,
        },
    };
    is_colored.then_some(palette)
}

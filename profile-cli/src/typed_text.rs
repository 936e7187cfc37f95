//! Texts that are typed as an argument, or as the file or the input that holds them.

use std::io::{self, IsTerminal as _};

use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;

/// The text that an argument stands for: that of a file for `@FILE`, that of stdin for `-`, else
/// the argument itself.
///
/// Editors and shells end a text with a line break that nobody means, so one is dropped from the
/// end of what is read.
pub(crate) fn read(argument: &str, typed: &str, output: &Output) -> Result<String, Failure> {
    if typed != "-" && !typed.starts_with('@') {
        return Ok(typed.to_owned());
    }
    let refused = |reason: &str| Failure::usage(format!("{argument}: {reason}"));
    let input: Input = typed.parse().map_err(|reason: String| refused(&reason))?;
    if input == Input::Stdin && io::stdin().is_terminal() {
        output.note("type the text, and end it with Ctrl-D on a line of its own");
    }
    let bytes = input.read().map_err(|failure| refused(&failure.message))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let source = typed.strip_prefix('@').unwrap_or("stdin");
        refused(&format!(
            "{source} is not UTF-8 text: see the byte at offset {place}"
        ))
    })?;
    Ok(without_last_break(text))
}

/// The text without the line break at its end, if there is one.
pub(crate) fn without_last_break(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_last_break;

    #[test]
    fn one_line_break_is_dropped_and_no_more() {
        for (text, expected) in [
            ("a", "a"),
            ("a\n", "a"),
            ("a\r\n", "a"),
            ("a\n\n", "a\n"),
            ("a\r", "a\r"),
            ("\n", ""),
            ("", ""),
        ] {
            assert_eq!(without_last_break(text.to_owned()), expected);
        }
    }
}

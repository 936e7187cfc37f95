//! Renders JSON as newline-delimited JSON.

use serde_json::value::RawValue;

use super::json_tokens::tokens;

/// Returns a line per element of an array, or a single line for any other document.
pub(super) fn lines(json: &str) -> String {
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(elements) => elements
            .iter()
            .map(|element| line(element.get()))
            .collect::<String>(),
        Err(_) => line(json),
    }
}

/// Removes whitespace between tokens. Numbers are not reformatted.
fn line(json: &str) -> String {
    format!("{}\n", tokens(json).concat())
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn prints_one_line_per_element() {
        assert_eq!(
            lines("[\n {\"a b\": 1.50},\n \"x \\\" \\\\\", [1, 2]]"),
            "{\"a b\":1.50}\n\"x \\\" \\\\\"\n[1,2]\n"
        );
        assert_eq!(lines("[]"), "");
    }

    #[test]
    fn prints_other_documents_on_one_line() {
        assert_eq!(lines("{\n  \"a\": [1, 2]\n}"), "{\"a\":[1,2]}\n");
    }
}

//! JSON on lines: each element of an array, or the one document, without a line break in it.

use serde_json::value::RawValue;

/// The document as lines.
pub(super) fn lines(json: &str) -> String {
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(elements) => elements
            .iter()
            .map(|element| line(element.get()))
            .collect::<String>(),
        Err(_) => line(json),
    }
}

/// The document without white space between its parts; texts, numbers and names stay as they are.
fn line(json: &str) -> String {
    let mut line = String::with_capacity(json.len() + 1);
    let mut in_text = false;
    let mut escaped = false;
    for c in json.chars() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            line.push(c);
        } else if !c.is_ascii_whitespace() {
            in_text = c == '"';
            line.push(c);
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn each_element_has_a_line() {
        assert_eq!(
            lines("[\n {\"a b\": 1.50},\n \"x \\\" \\\\\", [1, 2]]"),
            "{\"a b\":1.50}\n\"x \\\" \\\\\"\n[1,2]\n"
        );
        assert_eq!(lines("[]"), "");
    }

    #[test]
    fn what_is_no_array_has_one_line() {
        assert_eq!(lines("{\n  \"a\": [1, 2]\n}"), "{\"a\":[1,2]}\n");
    }
}

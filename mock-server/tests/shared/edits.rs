//! Edits of profile fields at their limits.

use mock_server::{FieldLimit, ProfileField};
use serde_json::{Value, json};

/// Returns edits of a field with the longest value and longer ones.
pub(crate) fn edits_at_the_limit(field: &ProfileField) -> Vec<Value> {
    let name = field.name();
    let texts = match field.limit() {
        FieldLimit::Color => ["#ff8800", "#FF88aa", "#ff8800\n", "#ff880", "ff8800"]
            .map(str::to_owned)
            .to_vec(),
        FieldLimit::Text {
            max_characters: max,
            max_lines,
        } => {
            let characters = [max, max + 1].map(|count| "🦀".repeat(count));
            let lines = max_lines.into_iter().flat_map(|max| {
                let breaks = ["\n", "x\r\n", "x\r", "x\u{2028}"];
                breaks.map(|text| [text.repeat(max - 1), text.repeat(max)])
            });
            characters.into_iter().chain(lines.flatten()).collect()
        }
        other => panic!("no texts for a limit of {other}"),
    };
    texts.iter().map(|text| json!({ name: text })).collect()
}

//! Takes whole escape sequences out of a text, of which a filter of control characters would leave
//! the rest to be read.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// The text without escape sequences as ECMA-48 has them, begun with ESC or with one character of C1:
/// colours and movements, titles and links, and all others. What only looks like the beginning of one
/// is gone, and what follows it stays.
pub(crate) fn without_escape_sequences(text: &str) -> Cow<'_, str> {
    let is_begin = |c: char| c == ESCAPE || matches!(c, '\u{80}'..='\u{9f}');
    if !text.contains(is_begin) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(is_begin) {
        kept.push_str(&rest[..begin]);
        rest = after_sequence(&rest[begin..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What follows the sequence that the text begins with.
fn after_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    let introducer = match characters.next() {
        // The second of two characters is that of C1 which stands for both, 0x40 below.
        Some(ESCAPE) => match characters.clone().next() {
            Some(second @ '@'..='_') => {
                characters.next();
                u32::from(second)
            }
            _ => return after(characters.as_str(), ' '..='/', '0'..='~'),
        },
        Some(single) => u32::from(single) - 0x40,
        None => return text,
    };
    match char::from_u32(introducer) {
        Some('[') => {
            let parameters = characters
                .as_str()
                .trim_start_matches(|c| matches!(c, '0'..='?'));
            after(parameters, ' '..='/', '@'..='~')
        }
        Some('P' | 'X' | ']' | '^' | '_') => after_string(characters.as_str()),
        _ => characters.as_str(),
    }
}

/// What follows intermediate characters and one final one, which is left where it is none.
fn after(
    text: &str,
    intermediate: std::ops::RangeInclusive<char>,
    last: std::ops::RangeInclusive<char>,
) -> &str {
    let text = text.trim_start_matches(|c| intermediate.contains(&c));
    text.strip_prefix(|c| last.contains(&c)).unwrap_or(text)
}

/// What follows a string that a sequence holds, up to BEL or ST; a string without an end is kept, so
/// that nothing can make the rest of a text disappear.
fn after_string(text: &str) -> &str {
    let ends = [
        text.find(BELL).map(|end| (end, 1)),
        text.find("\u{1b}\\").map(|end| (end, 2)),
        text.find('\u{9c}').map(|end| (end, '\u{9c}'.len_utf8())),
    ];
    match ends.into_iter().flatten().min() {
        Some((end, length)) => &text[end + length..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::without_escape_sequences;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(without_escape_sequences(text), expected, "{text:?}");
    }

    #[test]
    fn colours_and_movements_are_gone_as_a_whole() {
        check("a\u{1b}[31mb\u{1b}[0mc", "abc");
        check(
            "\u{1b}[38;2;1;2;3ma\u{1b}[?25l\u{1b}[2J\u{1b}[10;20Hb",
            "ab",
        );
        check("\u{9b}31ma", "a");
        check("\u{1b}[0 qa", "a");
    }

    #[test]
    fn titles_and_links_are_gone_with_what_they_hold() {
        check("a\u{1b}]0;title\u{7}b", "ab");
        check(
            "\u{1b}]8;;https://x\u{1b}\\text\u{1b}]8;;\u{1b}\\!",
            "text!",
        );
        check("\u{9d}0;title\u{9c}a", "a");
        for introducer in ["P", "X", "^", "_"] {
            check(&format!("a\u{1b}{introducer}0q\u{1b}\\b"), "ab");
        }
    }

    #[test]
    fn other_sequences_are_gone_too() {
        check("\u{1b}(Ba\u{1b}cb\u{1b}7c\u{1b}=d\u{85}e", "abcde");
    }

    #[test]
    fn what_is_no_whole_sequence_takes_nothing_with_it() {
        check("a\u{1b}", "a");
        check("a\u{1b}[", "a");
        check("a\u{1b}[31", "a");
        check("a\u{1b}[31é", "aé");
        check("a\u{1b}[1\nb", "a\nb");
        check("a\u{1b}é", "aé");
        check("a\u{1b}]0;no end", "a0;no end");
        check("a\u{1b}\u{1b}[31mb", "ab");
    }

    #[test]
    fn a_text_without_sequences_is_as_it_was() {
        check("[31m \u{7} ünïcödé 日本\n", "[31m \u{7} ünïcödé 日本\n");
    }
}

//! Takes a key out of a text, also where JSON, a URL or HTML writes its characters in another way.

const IN_ITS_PLACE: &str = "[redacted]";

/// A key and the spellings of each of its characters.
pub(crate) struct KeyRedaction<'a> {
    key: &'a str,
    characters: Vec<Vec<String>>,
}

/// What is at one place of a text.
enum Found {
    Nothing,
    /// The beginning of the key, and then the text ends.
    Beginning,
    /// All of the key, up to this place.
    UpTo(usize),
}

impl<'a> KeyRedaction<'a> {
    pub(crate) fn of(key: &'a str) -> Self {
        Self {
            key,
            characters: key.chars().map(spellings).collect(),
        }
    }

    /// The text without the key, if the key is in it. Where the text was cut off, a beginning of the
    /// key at its end goes too.
    pub(crate) fn redact(&self, text: &str, is_cut: bool) -> Option<String> {
        let (mut redacted, mut kept, mut place) = (String::new(), 0, 0);
        while place < text.len() {
            let end = match self.find(text.as_bytes(), place) {
                Found::UpTo(end) => end,
                Found::Beginning if is_cut => text.len(),
                Found::Beginning | Found::Nothing => {
                    place += 1;
                    continue;
                }
            };
            redacted.push_str(&text[kept..place]);
            redacted.push_str(IN_ITS_PLACE);
            (kept, place) = (end, end);
        }
        (kept > 0).then(|| redacted + &text[kept..])
    }

    fn find(&self, text: &[u8], place: usize) -> Found {
        if text[place..].starts_with(self.key.as_bytes()) {
            return Found::UpTo(place + self.key.len());
        }
        let mut end = place;
        for spellings in &self.characters {
            let rest = &text[end..];
            let mut spellings = spellings.iter().map(String::as_bytes);
            match spellings.clone().find(|spelling| begins(rest, spelling)) {
                Some(spelling) => end += spelling.len(),
                None if spellings.any(|spelling| begins(spelling, rest)) => {
                    return Found::Beginning;
                }
                None => return Found::Nothing,
            }
        }
        Found::UpTo(end)
    }
}

/// How a character is written in URLs, JSON and HTML, and last as itself, since what it is itself may
/// begin another spelling, as `%` does.
fn spellings(character: char) -> Vec<String> {
    let code = u32::from(character);
    let mut spellings = vec![
        format!("%{code:02x}"),
        format!("\\u{code:04x}"),
        format!("&#x{code:x};"),
        format!("&#{code};"),
        format!("&#0{code};"),
    ];
    if character.is_ascii_punctuation() {
        spellings.push(format!("\\{character}"));
    }
    let name = match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&apos;"),
        _ => None,
    };
    spellings.extend(name.map(str::to_owned));
    spellings.push(character.to_string());
    spellings
}

/// Whether a text begins like this. A character that is written as itself has its own case; what
/// stands for one may have either.
fn begins(text: &[u8], start: &[u8]) -> bool {
    match text.get(..start.len()) {
        Some(found) if start.len() == 1 => found == start,
        Some(found) => found.eq_ignore_ascii_case(start),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyRedaction, spellings};

    #[track_caller]
    fn check(key: &str, text: &str, redacted: &str) {
        let found = KeyRedaction::of(key).redact(text, false);
        assert_eq!(
            found.as_deref().unwrap_or(text),
            redacted,
            "{key} in {text}"
        );
    }

    #[test]
    fn the_key_is_found_however_it_is_written() {
        check("a/b", r"x a/b y a\/b z", "x [redacted] y [redacted] z");
        for written in [
            "a%2Fb",
            "a%2fb",
            "%61%2F%62",
            r"a\u002Fb",
            r"\u0061\u002f\u0062",
            "a&#x2F;b",
            "a&#X2f;b",
            "a&#47;b",
            "a&#047;b",
        ] {
            check("a/b", &format!("é{written}é"), "é[redacted]é");
        }
        check(r#"<&">'"#, "&lt;&amp;&quot;&gt;&#39;", "[redacted]");
        check(r#"<&">'"#, "&LT;&#38;&#x22;&gt;&apos;", "[redacted]");
        check(r#"\"/"#, r#"\\\"\/"#, "[redacted]");
    }

    #[test]
    fn a_key_that_looks_encoded_is_found_too() {
        for key in ["a%25b", "a%2Fb", "%%25", "a&amp;b", r"a\\b", r"a\u002fb"] {
            check(key, key, "[redacted]");
            for spelling in 0..5 {
                let written: String = key
                    .chars()
                    .map(|c| spellings(c).swap_remove(spelling))
                    .collect();
                check(key, &written, "[redacted]");
            }
        }
    }

    #[test]
    fn nothing_else_is_taken() {
        for text in [
            "", "a b", "A/B", "a%2F", r"a\u002", "a%2Gb", "ab", "a//b", "a",
        ] {
            check("a/b", text, text);
        }
        check("aab", "aaab", "a[redacted]");
        check("Key", "key KEY Key", "key KEY [redacted]");
    }

    #[test]
    fn a_beginning_is_taken_where_the_text_was_cut() {
        let key = KeyRedaction::of("ab/cd");
        for cut in [
            "a",
            "ab",
            "ab/",
            "ab%",
            "ab%2",
            "ab%2f",
            r"ab\",
            r"ab\u00",
            "ab&#x2F;c",
            "ab/cd",
        ] {
            let text = format!("x {cut}");
            assert_eq!(
                key.redact(&text, true).as_deref(),
                Some("x [redacted]"),
                "{cut}"
            );
        }
        assert_eq!(key.redact("x abc", true), None);
    }
}

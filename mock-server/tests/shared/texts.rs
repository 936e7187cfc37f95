//! The table of ways to write a small text, with what all programs do with it.

/// Returns the text in each way, with what comes of it as a text, and as a webhook secret.
pub(crate) fn written(text: &str) -> impl Iterator<Item = (Vec<u8>, [&'static str; 2])> {
    let rows = include_str!("texts.tsv").lines();
    let rows = rows.filter(|row| !row.starts_with('#'));
    rows.map(move |row| {
        let [way, as_text, as_secret] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let mark = if way.contains("mark") { "\u{feff}" } else { "" };
        let marked = format!("{mark}{text}");
        let units = marked.encode_utf16();
        let bytes = match way.rsplit(' ').next() {
            Some("UTF-16LE") => units.flat_map(u16::to_le_bytes).collect(),
            Some("UTF-16BE") => units.flat_map(u16::to_be_bytes).collect(),
            Some("Windows") => text.replace('\n', "\r\n").into_bytes(),
            Some("ff") => [text.as_bytes(), b"\xff"].concat(),
            _ => marked.into_bytes(),
        };
        (bytes, [as_text, as_secret])
    })
}

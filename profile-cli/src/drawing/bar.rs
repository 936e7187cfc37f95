//! One bar, and the colors of bars.

use anstyle::{AnsiColor, Style};

/// Blocks from one eighth to full width.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Returns a bar of at most `columns` columns. Any value above 0 is visible; 0 is an empty string.
pub(super) fn bar(value: u64, max_views: u64, columns: usize) -> String {
    if value == 0 || max_views == 0 {
        return String::new();
    }
    let eighths = u128::from(value) * (columns as u128 * 8) / u128::from(max_views);
    let eighths = usize::try_from(eighths).unwrap_or(columns * 8).max(1);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8 - 1]);
    }
    bar
}

/// Returns a color that is readable on light and dark terminals.
pub(super) fn color(index: usize) -> Style {
    let colors = [
        AnsiColor::Blue,
        AnsiColor::Magenta,
        AnsiColor::Cyan,
        AnsiColor::Green,
    ];
    Style::new().fg_color(Some(colors[index % colors.len()].into()))
}

//! Daily views as an SVG image, with a panel per profile and the same scale for all.

use std::iter::successors;

use super::text::with_separators;
use super::views::{ProfileViews, dates, max_views};
use crate::terminal::printable;

const WIDTH: f64 = 800.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 56.0;
/// Heights of a panel's heading, bars, and dates.
const PANEL: [f64; 3] = [42.0, 160.0, 44.0];
/// Minimum height of a bar above 0, so that it is visible.
const MIN_BAR_HEIGHT: f64 = 1.5;
const MAX_BAR_WIDTH: f64 = 48.0;
/// Width of a date with the space around it.
const DATE_WIDTH: f64 = 92.0;
/// Width of a digit.
const DIGIT_WIDTH: f64 = 7.5;

/// Styles for light and dark pages. The image loads nothing and runs no scripts.
const STYLE: &str = "\
    text{font:12px system-ui,sans-serif;fill:#1f2328}
    .title{font-size:18px;font-weight:600}.handle{font-size:14px;font-weight:600}
    .quiet{fill:#57606a}.back{fill:#ffffff}.grid{stroke:#d0d7de;stroke-width:1}
    .count{stroke:#ffffff;stroke-width:3px;paint-order:stroke}
    .bar0{fill:#2563eb}.bar1{fill:#c2410c}.bar2{fill:#0f766e}
    @media (prefers-color-scheme:dark){
      text{fill:#e6edf3}.quiet{fill:#9198a1}.back{fill:#0d1117}.grid{stroke:#30363d}
      .count{stroke:#0d1117}.bar0{fill:#6ea8fe}.bar1{fill:#fb923c}.bar2{fill:#2dd4bf}
    }";

/// Returns the image as an XML document.
pub(crate) fn svg(views: &[ProfileViews]) -> String {
    let plot = Plot::new(views);
    let height = TOP + PANEL.iter().sum::<f64>() * views.len() as f64;
    let handles: Vec<_> = views.iter().map(|views| views.handle.as_str()).collect();
    let title = escaped(&format!("Views of {}", handles.join(", ")));
    let description = views.iter().map(|views| {
        let max_views = views.daily.iter().max_by_key(|(_, count)| **count);
        let max_views = max_views.map(|(date, count)| (with_separators(*count), date));
        let max_views = max_views.map(|(count, date)| format!(", maximum {count} on {date}"));
        let max_views = max_views.unwrap_or_default();
        let (handle, summary, range) = (&views.handle, views.summary(), plot.range());
        format!("{handle}: {summary}, {range}{max_views}.")
    });
    let description = escaped(&description.collect::<Vec<_>>().join(" "));
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-labelledby=\"title desc\">\n  <title id=\"title\">{title}</title>\n  \
         <desc id=\"desc\">{description}</desc>\n  <style>\n{STYLE}\n  </style>\n  \
         <rect class=\"back\" width=\"{WIDTH}\" height=\"{height}\"/>\n"
    );
    picture += &text(LEFT, 34.0, "title", "start", "Views per day");
    picture += &text(WIDTH - RIGHT, 34.0, "quiet", "end", &plot.range());
    for (index, views) in views.iter().enumerate() {
        plot.panel(index, views, &mut picture);
    }
    picture + "</svg>\n"
}

/// The dates and the scale that all panels share.
struct Plot<'a> {
    dates: Vec<&'a str>,
    max_views: u64,
    /// The views between two grid lines, and at the top line.
    step: u64,
    top: u64,
}

impl<'a> Plot<'a> {
    fn new(views: &'a [ProfileViews]) -> Self {
        let max_views = max_views(views).max(1);
        let step = step(max_views);
        Self {
            dates: dates(views).into_iter().collect(),
            max_views,
            step,
            top: max_views.div_ceil(step).saturating_mul(step),
        }
    }

    fn panel(&self, index: usize, views: &ProfileViews, picture: &mut String) {
        let [heading, height, _] = PANEL;
        let above = TOP + PANEL.iter().sum::<f64>() * index as f64;
        let floor = above + heading + height;
        let (baseline, right, summary) = (above + 18.0, WIDTH - RIGHT, views.summary());
        *picture += &text(LEFT, baseline, "handle", "start", &views.handle);
        *picture += &text(right, baseline, "quiet", "end", &summary);
        let lines = successors(Some(0_u64), |line| line.checked_add(self.step));
        for line in lines.take_while(|line| *line <= self.top) {
            let y = floor - self.share(line) * height;
            *picture += &format!("  <path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>\n");
            *picture += &text(LEFT - 8.0, y + 4.0, "quiet", "end", &with_separators(line));
        }
        self.bars(index, views, floor, picture);
        // As many dates as there is room for, evenly spaced.
        let slot = self.slot();
        let every = (DATE_WIDTH / slot).ceil().max(1.0) as usize;
        for (day, date) in self.dates.iter().enumerate().step_by(every) {
            let middle = LEFT + slot * (day as f64 + 0.5);
            *picture += &text(middle, floor + 18.0, "quiet", "middle", date);
        }
    }

    fn bars(&self, index: usize, views: &ProfileViews, floor: f64, picture: &mut String) {
        let slot = self.slot();
        // Gaps between narrow bars would flicker.
        let width = if slot < 4.0 { slot } else { slot * 0.8 }.min(MAX_BAR_WIDTH);
        let digits = with_separators(self.max_views).len() + 1;
        let has_room_for_numbers = digits as f64 * DIGIT_WIDTH < slot;
        for (day, date) in self.dates.iter().enumerate() {
            let Some(&count) = views.daily.get(*date).filter(|count| **count > 0) else {
                continue;
            };
            let height = (self.share(count) * PANEL[1]).max(MIN_BAR_HEIGHT);
            let middle = LEFT + slot * (day as f64 + 0.5);
            let (x, y) = (middle - width / 2.0, floor - height);
            let (date, number) = (escaped(date), with_separators(count));
            *picture += &format!(
                "  <rect class=\"bar{}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" \
                 height=\"{height:.2}\"><title>{date}: {number}</title></rect>\n",
                index % 3,
            );
            if has_room_for_numbers {
                *picture += &text(middle, y - 4.0, "quiet count", "middle", &number);
            }
        }
    }

    fn range(&self) -> String {
        match (self.dates.first(), self.dates.last()) {
            (Some(first), Some(last)) if first == last => format!("on {first}"),
            (Some(first), Some(last)) => format!("from {first} to {last}"),
            _ => "no daily statistics".to_owned(),
        }
    }

    fn slot(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.dates.len().max(1) as f64
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.top as f64
    }
}

/// Returns the distance between grid lines: a round number that needs at most five lines.
fn step(max_views: u64) -> u64 {
    let powers = successors(Some(1_u64), |power| Some(power.saturating_mul(10)));
    let mut steps = powers.flat_map(|power| [1, 2, 5].map(|factor| power.saturating_mul(factor)));
    let step = steps.find(|step| max_views.div_ceil(*step) <= 4);
    step.unwrap_or(u64::MAX)
}

fn text(x: f64, y: f64, class: &str, anchor: &str, text: &str) -> String {
    format!(
        "  <text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
        escaped(text)
    )
}

/// Escapes text for XML.
fn escaped(text: &str) -> String {
    printable(text)
        .replace(['\u{fffe}', '\u{ffff}'], "")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{Plot, escaped, step, svg};
    use crate::drawing::views::sample;

    #[test]
    fn draws_one_document() {
        expect![[r#"
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 302" role="img" aria-labelledby="title desc">
              <title id="title">Views of a&lt;b</title>
              <desc id="desc">a&lt;b: 10 views in 3 days, 43,615 in all, from 2026-01-01 to 2026-01-03, maximum 9 on 2026-01-01.</desc>
              <style>
            text{font:12px system-ui,sans-serif;fill:#1f2328}
                .title{font-size:18px;font-weight:600}.handle{font-size:14px;font-weight:600}
                .quiet{fill:#57606a}.back{fill:#ffffff}.grid{stroke:#d0d7de;stroke-width:1}
                .count{stroke:#ffffff;stroke-width:3px;paint-order:stroke}
                .bar0{fill:#2563eb}.bar1{fill:#c2410c}.bar2{fill:#0f766e}
                @media (prefers-color-scheme:dark){
                  text{fill:#e6edf3}.quiet{fill:#9198a1}.back{fill:#0d1117}.grid{stroke:#30363d}
                  .count{stroke:#0d1117}.bar0{fill:#6ea8fe}.bar1{fill:#fb923c}.bar2{fill:#2dd4bf}
                }
              </style>
              <rect class="back" width="800" height="302"/>
              <text class="title" x="64.0" y="34.0" text-anchor="start">Views per day</text>
              <text class="quiet" x="760.0" y="34.0" text-anchor="end">from 2026-01-01 to 2026-01-03</text>
              <text class="handle" x="64.0" y="74.0" text-anchor="start">a&lt;b</text>
              <text class="quiet" x="760.0" y="74.0" text-anchor="end">10 views in 3 days, 43,615 in all</text>
              <path class="grid" d="M64 258.0H760"/>
              <text class="quiet" x="56.0" y="262.0" text-anchor="end">0</text>
              <path class="grid" d="M64 178.0H760"/>
              <text class="quiet" x="56.0" y="182.0" text-anchor="end">5</text>
              <path class="grid" d="M64 98.0H760"/>
              <text class="quiet" x="56.0" y="102.0" text-anchor="end">10</text>
              <rect class="bar0" x="156.00" y="114.00" width="48.00" height="144.00"><title>2026-01-01: 9</title></rect>
              <text class="quiet count" x="180.0" y="110.0" text-anchor="middle">9</text>
              <rect class="bar0" x="388.00" y="242.00" width="48.00" height="16.00"><title>2026-01-02: 1</title></rect>
              <text class="quiet count" x="412.0" y="238.0" text-anchor="middle">1</text>
              <text class="quiet" x="180.0" y="276.0" text-anchor="middle">2026-01-01</text>
              <text class="quiet" x="412.0" y="276.0" text-anchor="middle">2026-01-02</text>
              <text class="quiet" x="644.0" y="276.0" text-anchor="middle">2026-01-03</text>
            </svg>
        "#]].assert_eq(&svg(&[sample("a<b", &[9, 1, 0])]));
    }

    #[test]
    fn escapes_text() {
        assert_eq!(
            escaped("<a href=\"x\">&\u{1b}[m\u{0}\u{ffff}</a>"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;"
        );
    }

    #[test]
    fn grid_lines_are_round_numbers() {
        for (max_views, expected) in [(1, 1), (4, 1), (5, 2), (9, 5), (27, 10), (1_234, 500)] {
            assert_eq!(step(max_views), expected, "{max_views}");
        }
        let views = [sample("demo", &[u64::MAX])];
        assert!(Plot::new(&views).step > u64::MAX / 10);
    }
}

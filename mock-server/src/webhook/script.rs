//! The language in which a sink is told how to answer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::misfit;

/// How a sink answers one delivery after the other.
///
/// Steps are separated by commas. A step is a status from 200 to 599, or `timeout`, and how often it
/// is to be given, once unless said; the last step repeats for ever, however often it says.
///
/// | Text | Meaning |
/// |---|---|
/// | `204` | 204 for ever |
/// | `500 x9, 200` | nine times 500, then 200 for ever |
/// | `timeout x2, 503, 200` | two deliveries time out, one is answered with 503, then 200 for ever |
/// | `nine 500s, then 200` | as `500 x9, 200`: the count may stand in front, in digits or, up to ten, in words; a plural `s` is passed over, and so is `then` in front of any step but the first |
///
/// The JSON form is `[{"status": 500, "times": 9}, {"status": 200}]`, with `"timeout"` in place of a
/// status. A time-out does not take its time: the delivery counts as timed out at once.
///
/// ```
/// use mock_server::SinkScript;
///
/// let script: SinkScript = "nine 500s, then 200".parse()?;
/// assert_eq!(script.to_string(), "500 x9, 200");
/// assert_eq!(script, r#"[{"status": 500, "times": 9}, {"status": 200}]"#.parse()?);
/// # Ok::<(), mock_server::InvalidScript>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "String")]
pub struct SinkScript(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    answer: SinkAnswer,
    times: u32,
}

/// What a sink does with one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinkAnswer {
    /// Answers with this status, 200 to 599.
    Status(u16),
    /// Lets the delivery time out.
    TimeOut,
}

impl SinkScript {
    /// What the delivery after `before` others meets.
    ///
    /// ```
    /// use mock_server::{SinkAnswer, SinkScript};
    ///
    /// let script: SinkScript = "500 x9, 200".parse()?;
    /// assert_eq!(script.answer_after(8), SinkAnswer::Status(500));
    /// assert_eq!(script.answer_after(9), SinkAnswer::Status(200));
    /// assert_eq!(script.answer_after(1_000), SinkAnswer::Status(200));
    /// # Ok::<(), mock_server::InvalidScript>(())
    /// ```
    pub fn answer_after(&self, before: u64) -> SinkAnswer {
        let mut end = 0;
        for step in &self.0 {
            end += u64::from(step.times);
            if before < end {
                return step.answer;
            }
        }
        let last = self.0.last().expect("a script has at least one step");
        last.answer
    }

    fn new(steps: Vec<Step>) -> Result<Self, InvalidScript> {
        if steps.is_empty() {
            return Err(InvalidScript::Empty);
        }
        Ok(Self(steps))
    }
}

impl FromStr for SinkScript {
    type Err = InvalidScript;

    fn from_str(text: &str) -> Result<Self, InvalidScript> {
        if text.trim().is_empty() {
            return Err(InvalidScript::Empty);
        }
        if text.trim_start().starts_with('[') {
            let steps = misfit::value(text.as_bytes())
                .map_err(|misfit| InvalidScript::NotJson(misfit.to_string()))?;
            return Self::try_from(steps);
        }
        let steps = text.split(',').enumerate();
        let read = |(index, text)| {
            let step = match index {
                0 => step_in_text(text),
                _ => step_in_text(without_then(text)),
            };
            step.ok_or_else(|| bad_step(index, text))
        };
        Self::new(steps.map(read).collect::<Result<_, _>>()?)
    }
}

impl TryFrom<Value> for SinkScript {
    type Error = InvalidScript;

    /// Reads a string as the text form and an array as the JSON form.
    fn try_from(script: Value) -> Result<Self, InvalidScript> {
        match script {
            Value::String(text) => text.parse(),
            Value::Array(steps) => {
                let steps = steps.into_iter().enumerate();
                let read = |(index, step): (usize, Value)| {
                    let found = step.to_string();
                    step_in_json(step).ok_or_else(|| bad_step(index, &found))
                };
                Self::new(steps.map(read).collect::<Result<_, _>>()?)
            }
            other => Err(InvalidScript::NotAScript(other.to_string())),
        }
    }
}

impl From<SinkScript> for String {
    fn from(script: SinkScript) -> Self {
        script.to_string()
    }
}

impl fmt::Display for SinkScript {
    /// Writes the text form.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match step.answer {
                SinkAnswer::Status(status) => write!(formatter, "{comma}{status}")?,
                SinkAnswer::TimeOut => write!(formatter, "{comma}timeout")?,
            }
            if step.times != 1 {
                write!(formatter, " x{}", step.times)?;
            }
        }
        Ok(())
    }
}

/// Why a text is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidScript {
    /// There is no step.
    #[error("the script has no step; `500 x9, 200` is a script")]
    Empty,
    /// A step is none.
    #[error(
        "step {number} of the script is `{found}`; a status from 200 to 599 or `timeout` is \
         expected, with a count such as ` x3` behind it to repeat it"
    )]
    Step {
        /// Which one; the first is 1.
        number: usize,
        /// The text of the step.
        found: String,
    },
    /// It begins as the JSON form does, and is no JSON.
    #[error("the script begins with `[` and is no list of steps: {0}")]
    NotJson(String),
    /// It is neither a string nor an array.
    #[error("the script is `{0}`; a string such as `500 x9, 200` or an array of steps is expected")]
    NotAScript(String),
}

fn bad_step(index: usize, found: &str) -> InvalidScript {
    InvalidScript::Step {
        number: index + 1,
        found: found.trim().to_owned(),
    }
}

fn without_then(text: &str) -> &str {
    let step = text.trim_start().strip_prefix("then");
    step.filter(|step| step.starts_with(char::is_whitespace))
        .unwrap_or(text)
}

fn step_in_text(text: &str) -> Option<Step> {
    let words: Vec<_> = text.split_whitespace().collect();
    match words[..] {
        [answer] => Step::new(answer_in_text(answer)?, 1),
        [answer, times] if times.starts_with('x') => {
            Step::new(answer_in_text(answer)?, times[1..].parse().ok()?)
        }
        [times, answer] => Step::new(answer_in_text(answer)?, count_in_front(times)?),
        _ => None,
    }
}

fn answer_in_text(word: &str) -> Option<SinkAnswer> {
    match word.strip_suffix('s').unwrap_or(word) {
        "timeout" => Some(SinkAnswer::TimeOut),
        digits => status(digits.parse().ok()?),
    }
}

fn count_in_front(word: &str) -> Option<u32> {
    const WORDS: [&str; 10] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    match WORDS.iter().zip(1..).find(|(name, _)| **name == word) {
        Some((_, count)) => Some(count),
        None => word.strip_suffix('x').unwrap_or(word).parse().ok(),
    }
}

fn step_in_json(step: Value) -> Option<Step> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        status: Value,
        #[serde(default = "once")]
        times: u32,
    }
    let written: Written = misfit::object_in(step).ok()?;
    let answer = match written.status {
        Value::String(name) if name == "timeout" => SinkAnswer::TimeOut,
        other => status(other.as_u64()?)?,
    };
    Step::new(answer, written.times)
}

fn once() -> u32 {
    1
}

fn status(code: u64) -> Option<SinkAnswer> {
    let code = u16::try_from(code).ok()?;
    (200..=599)
        .contains(&code)
        .then_some(SinkAnswer::Status(code))
}

impl Step {
    fn new(answer: SinkAnswer, times: u32) -> Option<Self> {
        (times > 0).then_some(Self { answer, times })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_script_is_read() {
        for (written, meant) in [
            ("200", "200"),
            (" 500  x9 ,200 ", "500 x9, 200"),
            ("9x 500, 200", "500 x9, 200"),
            ("9 500s, then 200", "500 x9, 200"),
            ("nine 500s, then 200", "500 x9, 200"),
            ("timeout x2, 503", "timeout x2, 503"),
            (
                "two timeouts, 503 x4294967295",
                "timeout x2, 503 x4294967295",
            ),
            (
                r#"[{"status":"timeout"}, {"status":599,"times":2}]"#,
                "timeout, 599 x2",
            ),
        ] {
            let script: SinkScript = written.parse().unwrap();
            assert_eq!(script.to_string(), meant, "{written}");
            assert_eq!(meant.parse(), Ok(script));
        }
    }

    #[test]
    fn a_bad_step_is_named() {
        for (script, number, found) in [
            ("50O", 1, "50O"),
            ("500 x9, ", 2, ""),
            ("500, 199", 2, "199"),
            ("600", 1, "600"),
            ("500 x0", 1, "500 x0"),
            ("500 x-1", 1, "500 x-1"),
            ("500 x99999999999", 1, "500 x99999999999"),
            ("500 x 9", 1, "500 x 9"),
            ("then", 1, "then"),
            ("then 200", 1, "then 200"),
            ("500, then", 2, "then"),
            ("500, then then 200", 2, "then then 200"),
            ("eleven 500s", 1, "eleven 500s"),
            (
                r#"[{"status":200},{"status":"500"}]"#,
                2,
                r#"{"status":"500"}"#,
            ),
            (r#"[{"code":200}]"#, 1, r#"{"code":200}"#),
        ] {
            let found = found.to_owned();
            let expected = InvalidScript::Step { number, found };
            assert_eq!(script.parse::<SinkScript>(), Err(expected), "{script}");
        }
        assert_eq!(
            "200, 50O".parse::<SinkScript>().unwrap_err().to_string(),
            "step 2 of the script is `50O`; a status from 200 to 599 or `timeout` is expected, \
             with a count such as ` x3` behind it to repeat it"
        );
    }

    #[test]
    fn what_is_no_script_at_all_is_refused() {
        assert_eq!(" ".parse::<SinkScript>(), Err(InvalidScript::Empty));
        assert_eq!("[]".parse::<SinkScript>(), Err(InvalidScript::Empty));
        let error = serde_json::from_str::<SinkScript>("200").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the script is `200`; a string such as `500 x9, 200` or an array of steps is expected"
        );
        let error = "[200".parse::<SinkScript>().unwrap_err().to_string();
        assert!(
            error.starts_with("the script begins with `[` and is no list of steps: "),
            "{error}"
        );
    }
}

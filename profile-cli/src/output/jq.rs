//! `--jq`: filters JSON with a jq expression.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, compile, data, load, unwrap_valr};
use jaq_json::{Val, read};

use super::json_tokens::tokens;
use crate::outcome::failure::{Failure, FailureKind};
use crate::terminal::printable::{json_text, printable};
use crate::terminal::screen::Screen;

type Data = data::JustLut<Val>;

/// Functions that are not available: `env` could expose a key, and `halt` would end the program.
const EXCLUDED: [&str; 2] = ["env", "halt"];

/// Maximum size of the output, which is buffered so that a failing expression prints nothing.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Maximum nesting depth of the JSON, since the interpreter is recursive. serde_json has the same
/// limit.
const MAX_DEPTH: usize = 128;

/// A compiled expression.
pub(super) struct Program {
    filter: Filter<Data>,
}

impl Program {
    pub(super) fn new(expression: &str) -> Result<Self, Failure> {
        let definitions = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .filter(|definition| !definition.name.starts_with("halt"));
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|(name, ..)| !EXCLUDED.contains(name));
        let arena = Arena::default();
        let file = File {
            code: expression,
            path: (),
        };
        let modules = Loader::new(definitions)
            .load(&arena, file)
            .map_err(|errors| invalid(expression, &load_reason(&errors)))?;
        let filter = Compiler::default()
            .with_funs(functions)
            .compile(modules)
            .map_err(|errors| invalid(expression, &compile_reason(&errors)))?;
        Ok(Self { filter })
    }

    /// Runs the expression and returns each value on a line. Strings are not quoted.
    pub(super) fn run(&self, json: &str, screen: &Screen) -> Result<String, Failure> {
        if depth(json) > MAX_DEPTH {
            let message = format!("--jq: the result is nested more than {MAX_DEPTH} levels deep");
            return Err(Failure::new(FailureKind::Other, message));
        }
        let input = read::parse_single(json.as_bytes())
            .map_err(|error| Failure::usage(format!("--jq: the result is not JSON: {error}")))?;
        let context = Ctx::<Data>::new(&self.filter.lut, Vars::new([]));
        let mut text = String::new();
        for value in self.filter.id.run((context, input)).map(unwrap_valr) {
            let value = value.map_err(|error| Failure::usage(reason(&error.to_string())))?;
            let line = match value {
                Val::TStr(text) | Val::BStr(text) => String::from_utf8_lossy(&text).into_owned(),
                other => json_text(&other.to_string()).into_owned(),
            };
            text += &line;
            text.push('\n');
            if text.len() > MAX_BYTES {
                let message = "--jq: the output exceeds 64 MiB; the expression may not terminate";
                return Err(Failure::usage(message));
            }
        }
        Ok(match screen.is_terminal {
            true => printable(&text),
            false => text,
        })
    }
}

/// Returns the nesting depth of a JSON document.
fn depth(json: &str) -> usize {
    let depths = tokens(json).into_iter().scan(0_usize, |depth, token| {
        match token {
            "[" | "{" => *depth += 1,
            "]" | "}" => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(*depth)
    });
    depths.max().unwrap_or_default()
}

/// Returns the message for a failed expression. Long messages, which quote the value, are truncated.
fn reason(error: &str) -> String {
    const SHOWN: usize = 200;
    match error.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("--jq: {}…", &error[..end]),
        None => format!("--jq: {error}"),
    }
}

fn invalid(expression: &str, reason: &str) -> Failure {
    Failure::usage(format!("--jq: invalid expression {expression:?}: {reason}"))
}

fn load_reason(errors: &load::Errors<&str, ()>) -> String {
    let reasons = errors.iter().flat_map(|(_, error)| match error {
        load::Error::Io(errors) => errors
            .iter()
            .map(|(module, error)| format!("module {module:?}: {error}"))
            .collect::<Vec<_>>(),
        load::Error::Lex(errors) => errors
            .iter()
            .map(|(expected, found)| expected_but(expected.as_str(), found))
            .collect(),
        load::Error::Parse(errors) => errors
            .iter()
            .map(|(expected, found)| expected_but(expected.as_str(), found))
            .collect(),
    });
    reasons.collect::<Vec<_>>().join("; ")
}

fn expected_but(expected: &str, found: &str) -> String {
    match found {
        "" => format!("expected {expected} at the end"),
        found => format!("expected {expected} at {found:?}"),
    }
}

fn compile_reason(errors: &compile::Errors<&str, ()>) -> String {
    let reasons = errors.iter().flat_map(|(_, errors)| errors);
    let reasons = reasons.map(|(name, kind)| format!("undefined {} {name}", kind.as_str()));
    reasons.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::{Program, Screen, depth};

    #[track_caller]
    fn check(expression: &str, json: &str, expected: &str) {
        let program = Program::new(expression).expect("an expression");
        let printed = program.run(json, &Screen::plain());
        assert_eq!(printed.expect("a result"), expected);
    }

    #[track_caller]
    fn check_invalid(expression: &str, expected: &str) {
        let failure = Program::new(expression).err().expect("an error");
        assert_eq!(failure.message, expected);
    }

    #[test]
    fn prints_strings_without_quotes() {
        check(".a", r#"{"a": "b\nc"}"#, "b\nc\n");
        check(".[] | .n", r#"[{"n": 1}, {"n": "x"}, {}]"#, "1\nx\nnull\n");
        check(
            "map(select(.n > 1)) | length",
            r#"[{"n": 1}, {"n": 2}]"#,
            "1\n",
        );
    }

    #[test]
    fn brackets_in_strings_do_not_count_as_nesting() {
        for (json, expected) in [
            ("1", 0),
            (r#"{"a": [1], "b": {}}"#, 2),
            (r#"["[[", "\"[", "\\"]"#, 1),
        ] {
            assert_eq!(depth(json), expected, "{json}");
        }
    }

    #[test]
    fn rejects_invalid_expressions() {
        check_invalid(
            ".[",
            "--jq: invalid expression \".[\": expected closing bracket at the end",
        );
        check_invalid(
            "foo",
            "--jq: invalid expression \"foo\": undefined filter foo",
        );
    }

    #[test]
    fn rejects_env_and_halt() {
        for expression in ["env", "$ENV", "halt", "halt(1)"] {
            assert!(Program::new(expression).is_err(), "{expression}");
        }
    }
}

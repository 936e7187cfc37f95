//! `--jq`: filters JSON with a jq expression.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;
use std::hint::black_box;
use std::panic::resume_unwind;
use std::{ptr, thread};

use jaq_core::load::lex::{StrPart, Tok, Token};
use jaq_core::load::{Arena, File, Lexer, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars, compile, data, load, native, unwrap_valr};
use jaq_json::{Val, read};
use profile_sdk::internal::{json_tokens, longest_start, quoted};
use serde_json::value::RawValue;

use super::people;
use crate::outcome::{Failure, Result};
use crate::terminal::{Screen, printable};

type Data = data::JustLut<Val>;

/// Functions that are not available, or are replaced: `env` could expose a key, `halt` would end the program, and
/// the `fromjson` of the interpreter is recursive without a limit.
const EXCLUDED: [&str; 3] = ["env", "halt", "fromjson"];

/// Definitions that the interpreter lacks.
const DEFINITIONS: &str = r#"
def IN(s): any(s == .; .);
def IN(source; s): any(source == s; .);
def INDEX(rows; f): reduce rows as $row ({}; . + {($row | f | tostring): $row});
def INDEX(f): INDEX(.[]; f);
def _row(f): if isarray then [.[] | if isstring then f elif . == null then "" elif . < [] then tostring
  else error("cannot use \(tojson) in a row") end] else error("cannot use \(tojson) as a row") end;
def @csv: _row("\"" + (split("\"") | join("\"\"")) + "\"") | join(",");
def @tsv: _row(split("\\") | join("\\\\") | split("\t") | join("\\t") | split("\n") | join("\\n")
  | split("\r") | join("\\r")) | join("\t");
"#;

/// Maximum size of the output, which is buffered so that a failing expression prints nothing.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Maximum nesting depth of a result.
const MAX_RESULT_DEPTH: usize = 10_000;

/// Size of the stack of the interpreter, which is recursive, for values with 200,000 levels. Only
/// what is used of it takes memory.
const STACK_BYTES: usize = (1 << 30) - 1;

/// Maximum bytes of the stack at the start of a definition, so that endless recursion is an error.
const MAX_STACK: usize = 1 << 26;

/// [`MAX_STACK`] without a thread of its own.
const MAX_SHARED_STACK: usize = 1 << 20;

/// The function that checks the stack, followed by the rest of a definition.
const CHECK: &str = " _check_stack as $_check_stack | ";

thread_local! {
    /// The lowest address of the stack at the start of a definition.
    static END_OF_STACK: Cell<usize> = const { Cell::new(0) };
}

/// Maximum digits of a number, since the interpreter needs the square of their number.
const MAX_DIGITS: usize = 4096;

/// A compiled expression.
pub(super) struct Program {
    expression: String,
    filter: Filter<Data>,
}

impl Program {
    pub(super) fn new(expression: &str) -> Result<Self> {
        on_large_stack(|| Self::compile(expression))
    }

    fn compile(expression: &str) -> Result<Self> {
        let own = load::parse(DEFINITIONS, |parser| parser.defs());
        let definitions = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .chain(own.into_iter().flatten())
            .filter(|definition| !definition.name.starts_with("halt"));
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|(name, ..)| !EXCLUDED.contains(name))
            .chain([
                native::run::<Data>(("fromjson", native::v(0), |(_, value)| {
                    native::bome(from_json(&value))
                })),
                native::run::<Data>(("_check_stack", native::v(0), |(_, value)| {
                    native::bome(check_stack(value))
                })),
            ]);
        let arena = Arena::default();
        let code = &*with_checks(expression);
        let file = File { code, path: () };
        let modules = Loader::new(definitions)
            .load(&arena, file)
            .map_err(|errors| invalid(expression, &load_reason(&errors)))?;
        load::import(&modules, |_| Err("module loading not supported".to_owned()))
            .map_err(|errors| invalid(expression, &load_reason(&errors)))?;
        let filter = Compiler::default()
            .with_funs(functions)
            .compile(modules)
            .map_err(|errors| invalid(expression, &compile_reason(&errors)))?;
        let expression = expression.to_owned();
        Ok(Self { expression, filter })
    }

    /// Runs the expression on readable JSON, which is not nested deeply, since the interpreter is recursive. Returns
    /// each value on a line. Strings are not quoted.
    pub(super) fn run(&self, json: &str, screen: &Screen) -> Result<String> {
        on_large_stack(|| self.interpret(json, screen))
    }

    fn interpret(&self, json: &str, screen: &Screen) -> Result<String> {
        if has_long_number(json) {
            let message = format!("--jq: the result has a number of more than {MAX_DIGITS} digits");
            return Err(Failure::other(message));
        }
        let input = read::parse_single(json.as_bytes()).map_err(|error| {
            Failure::other(format!(
                "--jq: the interpreter cannot read the result: {error}"
            ))
        })?;
        let context = Ctx::<Data>::new(&self.filter.lut, Vars::new([]));
        let mut text = String::new();
        for value in self.filter.id.run((context, input)).map(unwrap_valr) {
            let value = value.map_err(|error| self.failed(error))?;
            text += &match value {
                Val::TStr(text) | Val::BStr(text) => {
                    let text = String::from_utf8_lossy(&text);
                    match screen.is_terminal {
                        true => printable(&text) + "\n",
                        false => text.into_owned() + "\n",
                    }
                }
                value => {
                    let json = value.to_string();
                    if depth(&json) > MAX_RESULT_DEPTH {
                        return Err(Failure::usage(format!(
                            "--jq: the output is nested more than {MAX_RESULT_DEPTH} levels deep"
                        )));
                    }
                    if serde_json::from_str::<&RawValue>(&json).is_err() {
                        let message = "--jq: the result is not valid JSON, such as NaN, infinity or a key that is not a string";
                        return Err(Failure::usage(message));
                    }
                    people::document(&json, screen)
                }
            };
            if text.len() > MAX_BYTES {
                let message = "--jq: the output exceeds 64 MiB; the expression may not terminate";
                return Err(Failure::usage(message));
            }
        }
        Ok(text)
    }

    /// Returns the error of the interpreter, which may quote a large value.
    fn failed(&self, error: jaq_core::Error<Val>) -> Failure {
        const MAX_CHARACTERS: usize = 200;
        let reason = match error.into_val() {
            Val::TStr(text) => printable(&String::from_utf8_lossy(&text)),
            value => printable(&value.to_string()),
        };
        let reason = longest_start(&reason, |start| start.chars().count() <= MAX_CHARACTERS);
        let expression = quoted(&self.expression);
        Failure::usage(format!("--jq: the filter {expression} failed: {reason}"))
    }
}

/// Runs the interpreter on a thread with a large stack, if there is enough memory for one.
fn on_large_stack<T: Send>(run: impl Fn() -> Result<T> + Sync) -> Result<T> {
    let run = |max_stack| {
        END_OF_STACK.set(stack_address().saturating_sub(max_stack));
        run()
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, || run(MAX_STACK)) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => run(MAX_SHARED_STACK),
        }
    })
}

/// Returns the address of a variable, which is close to the end of the used stack.
fn stack_address() -> usize {
    let variable = 0_u8;
    ptr::from_ref(black_box(&variable)).addr()
}

/// Returns the value, or an error if little of the stack is left.
fn check_stack(value: Val) -> Result<Val, jaq_core::Error<Val>> {
    match stack_address() < END_OF_STACK.get() {
        true => Err(jaq_core::Error::str(
            "the recursion is too deep, or does not end",
        )),
        false => Ok(value),
    }
}

/// Adds a check of the stack to each definition of an expression.
fn with_checks(expression: &str) -> Cow<'_, str> {
    let tokens = Lexer::new(expression).lex().unwrap_or_default();
    let mut colons = Vec::new();
    add_colons(&tokens, &mut colons);
    let mut code = Cow::Borrowed(expression);
    // From the last to the first, so that the positions stay valid.
    colons.sort_unstable_by_key(|colon| Reverse(colon.as_ptr().addr()));
    for colon in colons {
        let end = colon.as_ptr().addr() - expression.as_ptr().addr() + colon.len();
        code.to_mut().insert_str(end, CHECK);
    }
    code
}

/// Adds the colons before the bodies of definitions.
fn add_colons<'a>(tokens: &[Token<&'a str>], colons: &mut Vec<&'a str>) {
    for (index, token) in tokens.iter().enumerate() {
        if let [Token("def", _), _, Token(":", _), ..]
        | [
            Token("def", _),
            _,
            Token(_, Tok::Block(_)),
            Token(":", _),
            ..,
        ] = tokens[index..]
        {
            let after = tokens[index..].iter();
            colons.extend(after.map(|token| token.0).find(|text| *text == ":"));
        }
        match &token.1 {
            Tok::Block(tokens) => add_colons(tokens, colons),
            Tok::Str(parts) => parts.iter().for_each(|part| {
                if let StrPart::Term(term) = part {
                    add_colons(std::slice::from_ref(term), colons);
                }
            }),
            Tok::Word | Tok::Var | Tok::Fmt | Tok::Num | Tok::Sym => {}
        }
    }
}

/// Returns the nesting depth of a JSON document.
fn depth(json: &str) -> usize {
    let depths = json_tokens(json).map(|token| token.depth);
    depths.max().unwrap_or_default()
}

fn has_long_number(json: &str) -> bool {
    let mut tokens = json_tokens(json).map(|token| token.text);
    tokens.any(|token| token.len() > MAX_DIGITS && !token.starts_with('"'))
}

/// Parses the JSON in a string.
fn from_json(value: &Val) -> Result<Val, jaq_core::Error<Val>> {
    let (Val::TStr(text) | Val::BStr(text)) = value else {
        return Err(jaq_core::Error::typ(value.clone(), "string"));
    };
    // serde_json limits the depth.
    let is_valid = serde_json::from_slice::<serde_json::Value>(text).is_ok()
        && str::from_utf8(text).is_ok_and(|text| !has_long_number(text));
    let parsed = is_valid.then(|| read::parse_single(text).ok()).flatten();
    parsed.ok_or_else(|| jaq_core::Error::str("the text is not valid JSON"))
}

fn invalid(expression: &str, reason: &str) -> Failure {
    let expression = quoted(expression);
    Failure::usage(format!("--jq: invalid expression {expression}: {reason}"))
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
        found => format!("expected {expected} at {}", quoted(found)),
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
    fn formats_values() {
        let json = r#"["a\"b", 1, null, true, "\\\t\n<é>"]"#;
        check("@csv", json, "\"a\"\"b\",1,,true,\"\\\t\n<é>\"\n");
        check("@tsv", json, "a\"b\t1\t\ttrue\t\\\\\\t\\n<é>\n");
        check(".[4] | @html", json, "\\\t\n&lt;é&gt;\n");
        check(".[4] | @uri", json, "%5C%09%0A%3C%C3%A9%3E\n");
        check("[.[0], .[1]] | @json", json, "[\"a\\\"b\",1]\n");
        check("[.[0], .[1]] | @text", json, "[\"a\\\"b\",1]\n");
        check("[.[0], .[1]] | @sh", json, "'a\"b' 1\n");
        check(".[0] | @base64 | ., @base64d", json, "YSJi\na\"b\n");
    }

    #[test]
    fn an_error_names_the_filter_and_its_reason() {
        let long = format!("error(\"{}\")", "é".repeat(201));
        for (expression, expected) in [
            (".[]", "cannot use \"a\" as iterable (array or object)"),
            ("@csv", "cannot use \"a\" as a row"),
            ("[{}] | @tsv", "cannot use {} in a row"),
            ("error(\"a\\u001b[31mb\")", "a[31mb"),
            ("error({a: 1})", "{\"a\":1}"),
            (&*long, &"é".repeat(200)),
        ] {
            let program = Program::new(expression).expect("an expression");
            let failure = program.run("\"a\"", &Screen::plain());
            let failure = failure.expect_err(expression);
            let filter = profile_sdk::internal::quoted(expression);
            let expected = format!("--jq: the filter {filter} failed: {expected}");
            assert_eq!(failure.message, expected);
        }
    }

    #[test]
    fn in_and_index() {
        check("IN(1, 2)", "2", "true\n");
        check("IN(.[]; 3, 4)", "[1, 2]", "false\n");
        let rows = r#"[{"id": 2, "a": 1}, {"id": 3}]"#;
        check(
            "INDEX(.id)",
            rows,
            "{\"2\":{\"id\":2,\"a\":1},\"3\":{\"id\":3}}\n",
        );
        check("INDEX(.[]; .id) | keys | @csv", rows, "\"2\",\"3\"\n");
    }

    #[track_caller]
    fn check_failure(expression: &str, json: &str, expected: &str) {
        let program = Program::new(expression).expect("an expression");
        let failure = program.run(json, &Screen::plain()).err();
        let message = failure.expect("a failure").message;
        assert!(message.ends_with(expected), "{message}");
    }

    #[test]
    fn numbers_with_many_digits_are_an_error() {
        let digits = "1".repeat(4_000_000);
        let number = "the result has a number of more than 4096 digits";
        check_failure(".", &digits, number);
        for expression in ["fromjson", "tonumber"] {
            let text = format!("\"{digits}\"");
            check_failure(expression, &text, "the text is not valid JSON");
        }
    }

    #[test]
    fn text_with_deeply_nested_json_is_an_error() {
        let json = serde_json::to_string(&"[".repeat(200_000)).unwrap();
        check_failure("fromjson", &json, "the text is not valid JSON");
        check("fromjson | .a", r#""{\"a\": 1.50}""#, "1.50\n");
    }

    #[test]
    fn modules_are_not_loaded() {
        for expression in [
            "import \"a\" as $x; $x",
            "import \"a\" as $x; 1",
            "import \"a\" as a; a::f",
            "include \"a\"; 1",
        ] {
            let start = expression.split(';').next().unwrap_or_default();
            let failure = Program::new(expression).err().expect(start);
            assert!(
                failure
                    .message
                    .ends_with("module \"a\": module loading not supported")
            );
            assert_eq!(failure.kind, crate::outcome::FailureKind::Usage);
        }
    }

    #[test]
    fn deeply_nested_values_do_not_overflow_the_stack() {
        let nested = |depth: usize| format!("reduce range({depth}) as $i (0; [.])");
        for (expression, expected) in [
            (nested(9_999), None),
            (
                format!("{} | length, (tojson | length)", nested(200_000)),
                None,
            ),
            (
                nested(200_000),
                Some("--jq: the output is nested more than 10000 levels deep"),
            ),
            (
                "reduce range(200000) as $i (0; {a: .}) | (tojson | length), .".to_owned(),
                Some("--jq: the output is nested more than 10000 levels deep"),
            ),
        ] {
            let printed =
                Program::new(&expression).and_then(|program| program.run("1", &Screen::plain()));
            let message = printed.err().map(|failure| failure.message);
            assert_eq!(message.as_deref(), expected, "{expression}");
        }
        check_failure(&format!("{} | error", nested(200_000)), "1", "[[[");
        let brackets = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(Program::new(&brackets).is_ok());
    }

    #[test]
    fn endless_recursion_is_an_error() {
        let expected = "the recursion is too deep, or does not end";
        for expression in [
            "def f: 1 + f; f",
            "def f: f | f; f",
            "def f: [f]; f",
            "def f: {a: f}; f",
            "def f(g): g + f(g); f(1)",
            "def f($x): 1 + f($x); f(1)",
            "def f: \"\\(f)\"; f",
            "\"\\(def f: -f; f)\"",
            "def f: def g: 1 + f; g; f",
            "[def f: reduce f as $x (0; .); f]",
            "def f: try (1 + f) catch error; f",
            "def f: f as $x | 1; f",
            "def f: if f then 1 else 2 end; f",
        ] {
            let run = || Program::new(expression)?.run("1", &Screen::plain());
            let failure = run().expect_err(expression);
            assert!(failure.message.ends_with(expected), "{}", failure.message);
        }
        check(
            "def f: if . > 9999 then . else . + 1 | f end; f",
            "1",
            "10000\n",
        );
        check(
            "def f: if . == 0 then 0 else 1 + (. - 1 | f) end; f",
            "2000",
            "2000\n",
        );
        check(
            "def f: .a; path(f), (f |= 2)",
            r#"{"a": 1}"#,
            "[\"a\"]\n{\"a\":2}\n",
        );
        check(
            "{def: 1} | .def, \"def f: 1; \\(def f: 2; f)\"",
            "1",
            "1\ndef f: 1; 2\n",
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

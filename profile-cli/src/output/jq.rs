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
use profile_sdk::{json_tokens, longest_start, quoted};
use serde_json::value::RawValue;

use super::json;
use crate::outcome::{Failure, Result};
use crate::terminal::{Screen, printable};

type Data = data::JustLut<Val>;

/// Functions that are not available, or are replaced: `env` could expose a key, `halt` would end the program, the
/// `fromjson` of the interpreter is recursive without a limit, and `error_empty` is that of `error`.
const EXCLUDED: [&str; 4] = ["env", "halt", "fromjson", "error_empty"];

/// Deletion that keeps the order of fields, and the formats that the interpreter lacks. The prefix of the error is one of [`reason`].
const FORMATS: &str = r#"
def _order($old): if [., $old | type] == ["object", "object"]
  then . as $new | reduce ($old | keys_unsorted[]) as $key ({};
    if $new | has($key) then .[$key] = ($new[$key] | _order($old[$key])) else . end)
  elif [., $old | type] == ["array", "array"] and length == ($old | length)
  then [range(length) as $i | .[$i] | _order($old[$i])] else . end;
def _items($path): if $path == [] then $path else
  getpath($path[:-1]) as $in | $path[-1] as $key
  | if $in | isarray | not then $path
    elif $key | type == "object" then [range($in | length)][$key.start:$key.end][] | $path[:-1] + [.]
    else (if $key < 0 then $key + ($in | length) else $key end)
      | if 0 <= . and . < ($in | length) then $path[:-1] + [.] else empty end end end;
def delpaths($paths): . as $old | [_items($paths[])] | unique | reverse as $last_first
  | (reduce $last_first[] as $path ($old; getpath($path) |= empty)) | _order($old);
def del(f): delpaths([path(f)]);
def _row(f): if isarray then [.[] | if isstring then f elif . == null then "" elif . < [] then tostring
  else error("cannot use ") end] else error("cannot use ") end;
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

    /// The latest value that the expression passed to `error`.
    static RAISED: Cell<Option<Val>> = const { Cell::new(None) };
}

/// Maximum digits of a number, since the interpreter needs the square of their number.
const MAX_DIGITS: usize = 4096;

/// A compiled expression.
pub(super) struct Program {
    filter: Filter<Data>,
}

impl Program {
    pub(super) fn new(expression: &str) -> Result<Self> {
        on_large_stack(|| Self::compile(expression))
    }

    fn compile(expression: &str) -> Result<Self> {
        let formats = load::parse(FORMATS, |parser| parser.defs());
        let definitions = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .chain(formats.into_iter().flatten())
            .filter(|definition| !definition.name.starts_with("halt"));
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .filter(|(name, ..)| !EXCLUDED.contains(name))
            .chain([
                native::run::<Data>(("fromjson", native::v(0), |(_, value)| {
                    native::bome(from_json(&value))
                })),
                native::run::<Data>(("error_empty", native::v(0), |(_, value)| {
                    RAISED.set(Some(value.clone()));
                    native::bome(Err(jaq_core::Error::new(value)))
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
        Ok(Self { filter })
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
            let value =
                value.map_err(|error| Failure::usage(format!("--jq: {}", reason(error))))?;
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
                    json::document(&json, screen)
                }
            };
            if text.len() > MAX_BYTES {
                let message = "--jq: the output exceeds 64 MiB; the expression may not terminate";
                return Err(Failure::usage(message));
            }
        }
        Ok(text)
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
        true => Err(jaq_core::Error::str("_check_stack")),
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
        return Err(jaq_core::Error::str("cannot parse"));
    };
    // serde_json limits the depth.
    let is_valid = serde_json::from_slice::<serde_json::Value>(text).is_ok()
        && str::from_utf8(text).is_ok_and(|text| !has_long_number(text));
    let parsed = is_valid.then(|| read::parse_single(text).ok()).flatten();
    parsed.ok_or_else(|| jaq_core::Error::str("cannot parse"))
}

/// The starts of errors of the interpreter, with reasons that do not contain the values that it quotes: they may
/// be secrets.
const REASONS: [(&str, &str); 5] = [
    (
        "cannot use ",
        "a value has another type than the expression requires",
    ),
    ("cannot index ", "a value cannot be indexed like this"),
    (
        "cannot calculate ",
        "an operator does not accept these values",
    ),
    ("cannot parse", "a text is not what the expression parses"),
    ("_check_stack", "the recursion is too deep, or does not end"),
];

/// Returns the reason for a failed expression, or the text that it passed to `error`.
fn reason(error: jaq_core::Error<Val>) -> String {
    const MAX_CHARACTERS: usize = 200;
    let text = error.to_string();
    let text = text.trim_start_matches('"');
    let known = REASONS.iter().find(|(start, _)| text.starts_with(start));
    match (known, error.into_val(), RAISED.take()) {
        (Some((_, reason)), ..) => (*reason).to_owned(),
        (None, Val::TStr(text), Some(Val::TStr(raised))) if text == raised => {
            let text = printable(&String::from_utf8_lossy(&text));
            longest_start(&text, |start| start.chars().count() <= MAX_CHARACTERS).to_owned()
        }
        _ => "the expression failed".to_owned(),
    }
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
    fn errors_do_not_contain_the_value() {
        for expression in [
            ".[]",
            ".a",
            ". - 1",
            "error({a: .})",
            "tonumber",
            "fromjson",
            "fromdate",
            "test(1)",
        ] {
            let program = Program::new(expression).expect("an expression");
            let failure = program.run("\"canary\"", &Screen::plain()).err();
            let message = failure.expect(expression).message;
            assert!(!message.contains("canary"), "{expression}: {message}");
        }
    }

    #[test]
    fn the_text_of_error_is_the_message() {
        let long = format!("error(\"{}\")", "é".repeat(201));
        for (expression, expected) in [
            ("error(\"no title\")", "no title"),
            ("try error(\"a\") catch error(. + \"\\u001b[31mb\")", "ab"),
            ("try error(\"a\") catch fromdate", "the expression failed"),
            ("error(1)", "the expression failed"),
            (&*long, &"é".repeat(200)),
        ] {
            let program = Program::new(expression).expect("an expression");
            let failure = program.run("null", &Screen::plain()).expect_err(expression);
            assert_eq!(failure.message, format!("--jq: {expected}"));
        }
    }

    #[test]
    fn csv_and_tsv_accept_only_lists_of_scalars() {
        for expression in ["@csv", "@tsv"] {
            for json in ["{\"a\": 1}", "\"a\"", "null", "1", "[[]]", "[{}]"] {
                let program = Program::new(expression).expect("an expression");
                let failure = program.run(json, &Screen::plain()).expect_err(json);
                let expected = "--jq: a value has another type than the expression requires";
                assert_eq!(failure.message, expected);
            }
        }
    }

    #[test]
    fn numbers_with_many_digits_are_an_error() {
        let digits = "1".repeat(4_000_000);
        for (expression, json, expected) in [
            (
                ".",
                digits.clone(),
                "--jq: the result has a number of more than 4096 digits",
            ),
            (
                "fromjson",
                format!("\"{digits}\""),
                "--jq: a text is not what the expression parses",
            ),
            (
                "tonumber",
                format!("\"{digits}\""),
                "--jq: a text is not what the expression parses",
            ),
        ] {
            let program = Program::new(expression).expect("an expression");
            let failure = program.run(&json, &Screen::plain()).err();
            assert_eq!(failure.expect(expression).message, expected);
        }
    }

    #[test]
    fn text_with_deeply_nested_json_is_an_error() {
        let json = serde_json::to_string(&"[".repeat(200_000)).unwrap();
        let program = Program::new("fromjson").expect("an expression");
        let failure = program.run(&json, &Screen::plain()).err();
        let expected = "--jq: a text is not what the expression parses";
        assert_eq!(failure.expect("a failure").message, expected);
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
                nested(200_000),
                Some("--jq: the output is nested more than 10000 levels deep"),
            ),
            (
                "reduce range(200000) as $i (0; {a: .})".to_owned(),
                Some("--jq: the output is nested more than 10000 levels deep"),
            ),
            (format!("{} | length", nested(200_000)), None),
            (format!("{} | tojson | length", nested(200_000)), None),
            (
                "reduce range(200000) as $i (0; {a: .}) | tojson | length".to_owned(),
                None,
            ),
            (
                format!("{} | error", nested(200_000)),
                Some("--jq: the expression failed"),
            ),
        ] {
            let printed =
                Program::new(&expression).and_then(|program| program.run("1", &Screen::plain()));
            let message = printed.err().map(|failure| failure.message);
            assert_eq!(message.as_deref(), expected, "{expression}");
        }
        let brackets = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(Program::new(&brackets).is_ok());
    }

    #[test]
    fn deletion_keeps_the_order_of_fields() {
        let json = r#"{"a": 1, "b": [{"x": 1, "y": 2, "z": 3}], "c": 3, "d": 4}"#;
        check(
            "del(.a) | keys_unsorted | @csv",
            json,
            "\"b\",\"c\",\"d\"\n",
        );
        check(
            "del(.a, .b[].x)",
            json,
            "{\"b\":[{\"y\":2,\"z\":3}],\"c\":3,\"d\":4}\n",
        );
        check(
            "delpaths([[\"b\", 0], [\"a\"]])",
            json,
            "{\"b\":[],\"c\":3,\"d\":4}\n",
        );
        check("map(del(.[0]))", "[[1, 2], [3]]", "[[2],[]]\n");
    }

    #[test]
    fn deletes_several_items() {
        for (expression, expected) in [
            ("del(.[0, 1])", "[3,4]\n"),
            ("del(.[0], .[2])", "[2,4]\n"),
            ("del(.[0, 0])", "[2,3,4]\n"),
            ("del(.[-1, 0])", "[2,3]\n"),
            ("del(.[-1], .[-2])", "[1,2]\n"),
            ("del(.[-1], .[3])", "[1,2,3]\n"),
            ("del(.[-4], .[-2])", "[2,4]\n"),
            ("del(.[0], .[9], .[-9])", "[2,3,4]\n"),
            ("del(.[3], .[2:])", "[1,2]\n"),
            ("del(.[-1], .[1:-1])", "[1]\n"),
            ("del(.[0], .[:2])", "[3,4]\n"),
            ("del(.[2:], .[-3:-1])", "[1]\n"),
            ("del(.[1:3])", "[1,4]\n"),
            ("del(.[] | select(. > 2))", "[1,2]\n"),
            ("delpaths([[0], [1]])", "[3,4]\n"),
            ("delpaths([])", "[1,2,3,4]\n"),
        ] {
            check(expression, "[1, 2, 3, 4]", expected);
        }
    }

    #[test]
    fn endless_recursion_is_an_error() {
        let expected = "--jq: the recursion is too deep, or does not end";
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
            assert_eq!(failure.message, expected, "{expression}");
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

//! Reads in every format of serde what the types of the SDK write.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use profile_sdk::plan::{ApplyReport, DesiredLink, DesiredProfile, Plan, Source, Step, Warning};
use profile_sdk::{
    Analytics, ApiVisible, Badge, BadgeKind, Bio, Color, CountryViews, DailyViews, Days, Devices,
    DisplayName, Extra, Handle, KeyInfo, Link, LinkId, LinkUpdate, LinkUrl, Location, Metric,
    NewLink, Period, Post, PostId, Profile, ProfileUpdate, RateLimit, Scope, Scopes, SiteStats,
    UserStats,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads a value from JSON, and writes and reads it in the formats that describe themselves.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, json: &Value) -> T {
    let value: T = serde_json::from_value(json.clone()).expect(name);
    let read = |format: &str, text: &dyn Debug, read: Result<T, String>| {
        assert_eq!(
            read.as_ref(),
            Ok(&value),
            "{name} in {format}: {json} {text:?}"
        );
    };
    /// Returns the result with the text of the error.
    fn with_text<T, E: std::fmt::Display>(read: Result<T, E>) -> Result<T, String> {
        read.map_err(|error| error.to_string())
    }
    let text = serde_json::to_string(&value).unwrap();
    read("JSON", &text, with_text(serde_json::from_str(&text)));
    let text = serde_yaml_ng::to_string(&value).unwrap();
    read("YAML", &text, with_text(serde_yaml_ng::from_str(&text)));
    // A document is a table, and has no null.
    if !json.to_string().contains("null") {
        let text = toml::to_string(&BTreeMap::from([("value", &value)])).unwrap();
        let table = toml::from_str::<BTreeMap<String, T>>(&text);
        let table = table.map(|mut table| table.remove("value").unwrap());
        read("TOML", &text, with_text(table));
    }
    for bytes in [rmp_serde::to_vec(&value), rmp_serde::to_vec_named(&value)] {
        let bytes = bytes.unwrap();
        read(
            "MessagePack",
            &bytes,
            with_text(rmp_serde::from_slice(&bytes)),
        );
    }
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).unwrap();
    read("CBOR", &bytes, with_text(ciborium::from_reader(&*bytes)));
    let text = ron::to_string(&value).unwrap();
    read("RON", &text, with_text(ron::from_str(&text)));
    value
}

/// Also checks a format that does not describe itself.
fn check_all<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, json: &Value) {
    let value: T = check(name, json);
    let bytes = postcard::to_allocvec(&value).unwrap();
    let read = postcard::from_bytes(&bytes);
    assert_eq!(read.as_ref(), Ok(&value), "{name} in postcard");
}

/// An object with some of these fields.
fn some(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(name, value)| prop::option::of(value).prop_map(move |value| (name, value)))
        .collect();
    let object = |fields: Vec<(&str, Option<Value>)>| {
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    };
    fields.prop_map(object).boxed()
}

fn text(max: usize) -> BoxedStrategy<Value> {
    let characters: Vec<char> = "aé日👩\u{200d}#:'\" \\{}()-1~\n".chars().collect();
    let text = prop::collection::vec(prop::sample::select(characters), 1..=max);
    text.prop_map(|text| text.into_iter().collect::<String>().into())
        .boxed()
}

fn list(items: &BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::vec(items.clone(), 0..3)
        .prop_map(Value::from)
        .boxed()
}

/// The names that a module exports.
fn exports(source: &str) -> BTreeSet<&str> {
    let exports = source.split("pub use ").skip(1);
    let exports = exports.map(|text| text.split_once(';').unwrap().0);
    let declared = ["pub struct ", "pub enum "].map(|start| source.split(start).skip(1));
    let declared = declared.into_iter().flatten();
    let names = exports.chain(declared.map(|text| text.split(['{', '(']).next().unwrap()));
    let names = names.flat_map(|text| text.split([':', '{', '}', ',', ' ', '(', '\n', ';']));
    names
        .filter(|name| name.starts_with(char::is_uppercase))
        .collect()
}

/// The exported types that are not values in a format.
const NOT_WRITTEN: &str = "ApiKey Apply ApplyError ApplyErrorReason Call Client ClientBuilder Clock Error \
    ErrorKind FieldKind HttpService InvalidValue JsonToken Method NewPost Operation OptionalDays ProfileField RateLimitStatus \
    PlanOptions RawCall Request Response ResponseBody RetryPolicy StepState SystemClock Tls Wait";

/// Declares the test of the types with the JSON that they are read from.
macro_rules! types {
    ($([$check:ident] $($type:ident = $json:expr,)*)*) => {
        #[test]
        fn what_is_written_is_read() {
            let runner = &mut TestRunner::new(Config::with_cases(64));
            $($({
                let test = |json| Ok(_ = $check::<$type>(stringify!($type), &json));
                runner.run(&$json, test).unwrap();
            })*)*
        }

        #[test]
        fn all_types_are_checked() {
            let mut all: BTreeSet<_> = [$($(stringify!($type)),*),*].into();
            all.extend(NOT_WRITTEN.split_whitespace());
            let mut exported = exports(include_str!("../../../src/lib.rs"));
            exported.extend(exports(include_str!("../../../src/resources/mod.rs")));
            exported.extend(exports(include_str!("../../../src/plan/mod.rs")));
            assert_eq!(exported, all);
        }
    };
}

fn number() -> BoxedStrategy<Value> {
    (0..i64::MAX as u64).prop_map(Value::from).boxed()
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        any::<i32>().prop_map(|number| json!(f64::from(number) + 0.5)),
        text(5),
    ];
    leaf.prop_recursive(2, 8, 3, |json| {
        prop_oneof![list(&json.clone().boxed()), extra_of(json.boxed())]
    })
    .boxed()
}

fn extra_of(json: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let name = text(4).prop_map(|name| format!("x-{}", name.as_str().unwrap()));
    let fields = prop::collection::btree_map(name, json, 0..3);
    fields
        .prop_map(|fields| fields.into_iter().collect())
        .boxed()
}

/// An object with some of these fields, and others that are kept in `extra`.
fn open(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let both = (some(fields), extra_of(any_json()));
    both.prop_map(|(mut object, extra)| {
        let fields = object.as_object_mut().unwrap();
        fields.extend(extra.as_object().unwrap().clone());
        object
    })
    .boxed()
}

fn id() -> BoxedStrategy<Value> {
    prop_oneof![text(8), number()].boxed()
}

fn color() -> BoxedStrategy<Value> {
    any::<u32>()
        .prop_map(|rgb| json!(format!("#{:06x}", rgb % 0x100_0000)))
        .boxed()
}

fn url() -> BoxedStrategy<Value> {
    number()
        .prop_map(|number| json!(format!("https://a.example/{number}#x")))
        .boxed()
}

fn update() -> BoxedStrategy<Value> {
    some(vec![
        ("display_name", text(32)),
        ("bio", text(9)),
        ("location", text(40)),
        ("accent_color", color()),
        ("text_color", color()),
        ("background_color", color()),
    ])
}

fn with(
    fields: Vec<(&'static str, BoxedStrategy<Value>)>,
    others: BoxedStrategy<Value>,
) -> BoxedStrategy<Value> {
    let mut all = Just(json!({})).boxed();
    for (name, value) in fields {
        all = (all, value)
            .prop_map(move |(mut object, value)| {
                object[name] = value;
                object
            })
            .boxed();
    }
    let both = (all, others);
    both.prop_map(|(mut object, others)| {
        let fields = object.as_object_mut().unwrap();
        fields.extend(others.as_object().unwrap().clone());
        object
    })
    .boxed()
}

fn none() -> BoxedStrategy<Value> {
    Just(json!({})).boxed()
}

fn link() -> BoxedStrategy<Value> {
    open(vec![("id", id()), ("title", text(9)), ("url", text(9))])
}

fn new_link() -> BoxedStrategy<Value> {
    with(vec![("title", text(9)), ("url", url())], none())
}

fn desired_link() -> BoxedStrategy<Value> {
    with(
        vec![("title", text(9)), ("url", url())],
        some(vec![("id", id())]),
    )
}

fn source() -> BoxedStrategy<Value> {
    with(vec![("handle", text(9))], some(vec![("service", url())]))
}

fn step() -> BoxedStrategy<Value> {
    let tag = |name: &str| ("step", Just(json!(name)).boxed());
    let copies = (2_u8..9).prop_map(Value::from).boxed();
    let (edit, create, delete) = (tag("edit_link"), tag("create_link"), tag("delete_link"));
    let edit = vec![edit, ("id", id()), ("from", link()), ("to", new_link())];
    prop_oneof![
        with(
            vec![tag("edit_profile"), ("from", update()), ("to", update())],
            none()
        ),
        with(edit, none()),
        with(
            vec![create, ("to", new_link())],
            some(vec![("copies", copies)])
        ),
        with(vec![delete, ("id", id()), ("from", link())], none()),
    ]
    .boxed()
}

fn warning() -> BoxedStrategy<Value> {
    let tag = |name: &str| ("warning", Just(json!(name)).boxed());
    let texts = [("field", text(9)), ("sent", text(9)), ("stored", text(9))];
    let similar = vec![
        tag("similar_links"),
        ("to", new_link()),
        ("similar", list(&link())),
    ];
    let altered = [vec![tag("altered_text")], texts.into()].concat();
    prop_oneof![
        with(vec![tag("links_not_listed")], none()),
        with(similar, none()),
        with(altered, some(vec![("link", id())])),
    ]
    .boxed()
}

fn plan() -> BoxedStrategy<Value> {
    with(
        vec![
            ("steps", list(&step())),
            ("unchanged_links", number()),
            ("other_links", number()),
        ],
        some(vec![
            ("lacks_links", Just(json!(true)).boxed()),
            ("warnings", list(&warning())),
            ("service", url()),
            ("handle", text(9)),
            ("seen_links", list(&id())),
        ]),
    )
}

fn badge() -> BoxedStrategy<Value> {
    let names = ["id", "name", "description", "color", "kind"];
    open(names.map(|name| (name, text(5))).to_vec())
}

types! {
    [check_all]
    Bio = text(9),
    BadgeKind = text(9),
    Color = color(),
    Days = (1_u16..366).prop_map(Value::from),
    DisplayName = text(32),
    Handle = text(9),
    LinkUpdate = some(vec![("title", text(9)), ("url", url())]),
    LinkUrl = url(),
    Location = text(40),
    NewLink = new_link(),
    ProfileUpdate = update(),
    Scope = text(9),
    [check]
    Analytics = open(vec![("views", any_json()), ("likes", any_json()), ("social", any_json())]),
    ApiVisible = any_json(),
    ApplyReport = with(
        vec![("done", list(&step())), ("not_done", list(&step()))],
        some(vec![("unknown", step()), ("warnings", list(&warning()))]),
    ),
    Badge = badge(),
    CountryViews = with(vec![("code", text(2)), ("views", number())], extra_of(any_json())),
    DailyViews = with(vec![("date", text(9)), ("views", number())], extra_of(any_json())),
    DesiredLink = desired_link(),
    DesiredProfile = some(vec![
        ("source", source()),
        ("profile", update()),
        ("links", list(&desired_link())),
    ]),
    Devices = open(vec![("desktop", number()), ("mobile", number()), ("tablet", number())]),
    Extra = extra_of(any_json()),
    KeyInfo = open(vec![("scopes", any_json()), ("rate_limit", any_json())]),
    Link = link(),
    LinkId = id(),
    Metric = any_json(),
    Period = open(vec![("days", number()), ("views", number())]),
    Plan = plan(),
    Post = open(vec![("id", id()), ("body", text(9))]),
    PostId = id(),
    Profile = open(vec![
        ("handle", text(9)),
        ("bio", text(9)),
        ("links", list(&link())),
        ("badges", list(&badge())),
        ("api_visible", any_json()),
        ("key", open(vec![("scopes", any_json())])),
    ]),
    RateLimit = any_json(),
    Scopes = any_json(),
    SiteStats = with(vec![("users", number()), ("views", number()), ("links", number())], none()),
    Source = source(),
    Step = step(),
    UserStats = with(
        vec![("total_views", number())],
        open(vec![("devices", open(vec![("tablet", number())]))]),
    ),
    Warning = warning(),
}

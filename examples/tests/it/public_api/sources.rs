//! Parses the sources of a crate, and expands its own macros.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quote::ToTokens as _;
use syn::{Item, ItemMacro, Visibility};

use super::items::{condition_of, format_tokens, is_for_tests};
use crate::repository::root;

pub(super) struct Module {
    /// Other crates can name the module's path.
    pub(super) is_public: bool,
    /// The features that the module needs, as `cfg` attributes.
    pub(super) condition: String,
    pub(super) items: Vec<Item>,
}

/// Returns all modules of a crate.
pub(super) fn modules_of(name: &str) -> Vec<Module> {
    let mut modules = Vec::new();
    let root = root().join(name).join("src");
    let lib = Module {
        is_public: true,
        condition: String::new(),
        items: parse(&root.join("lib.rs")),
    };
    collect(lib, &root, &mut modules);
    let macros = macros_of(&modules);
    for module in &mut modules {
        module.items = expanded(std::mem::take(&mut module.items), &macros);
    }
    modules
}

fn collect(module: Module, folder: &Path, modules: &mut Vec<Module>) {
    for item in &module.items {
        let Item::Mod(inner) = item else { continue };
        if is_for_tests(&inner.attrs) {
            continue;
        }
        let name = inner.ident.to_string();
        let items = match &inner.content {
            Some((_, items)) => items.clone(),
            None => parse(&file_of(folder, &name)),
        };
        let inner = Module {
            is_public: module.is_public && matches!(inner.vis, Visibility::Public(_)),
            condition: format!("{}{}", module.condition, condition_of(&inner.attrs)),
            items,
        };
        collect(inner, &folder.join(name), modules);
    }
    modules.push(module);
}

fn file_of(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(format!("{name}.rs"));
    match file.exists() {
        true => file,
        false => folder.join(name).join("mod.rs"),
    }
}

fn parse(path: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(path).unwrap();
    syn::parse_file(&text).unwrap().items
}

/// Returns the bodies of the crate's macros, by name.
fn macros_of(modules: &[Module]) -> BTreeMap<String, String> {
    let items = modules.iter().flat_map(|module| &module.items);
    let rules = items.filter_map(|item| match item {
        Item::Macro(rule) => Some((rule.ident.as_ref()?.to_string(), body_of(rule))),
        _ => None,
    });
    rules.collect()
}

/// Returns the body of a macro with a single rule, whose first argument is `$name`.
fn body_of(rule: &ItemMacro) -> String {
    let text = rule.mac.tokens.to_string();
    let (_, body) = text.split_once("=>").unwrap();
    let body = body.trim().trim_end_matches(';').trim();
    let body = body
        .strip_prefix('{')
        .and_then(|body| body.strip_suffix('}'));
    format_tokens(body.unwrap()).replace("$(#[$docs])*", "")
}

fn expanded(items: Vec<Item>, macros: &BTreeMap<String, String>) -> Vec<Item> {
    let mut all = Vec::new();
    for item in items {
        match &item {
            Item::Macro(call) if call.ident.is_none() => {
                let name = call.mac.path.to_token_stream().to_string();
                if let Some(body) = macros.get(&name) {
                    all.extend(expanded(expand(body, call), macros));
                }
            }
            _ => all.push(item),
        }
    }
    all
}

fn expand(body: &str, call: &ItemMacro) -> Vec<Item> {
    if body.contains("$output") {
        return syn::parse_file(&expand_calls(body, call)).unwrap().items;
    }
    let arguments: Vec<_> = call.mac.tokens.clone().into_iter().collect();
    let is_name =
        |token: &&proc_macro2::TokenTree| matches!(token, proc_macro2::TokenTree::Ident(_));
    let name = arguments
        .iter()
        .find(is_name)
        .expect("the first argument of the macro is a name");
    let body = body.replace("$name", &name.to_string()).replace('$', "");
    syn::parse_file(&body)
        .unwrap_or_else(|error| panic!("{name}: {error}: {body}"))
        .items
}

/// Expands a macro whose body is repeated for each row `name(argument: Type) -> Output;`.
fn expand_calls(body: &str, call: &ItemMacro) -> String {
    let (start, repeated) = body.split_once("$(").unwrap();
    let (repeated, end) = repeated.rsplit_once(")*").unwrap();
    let rows = format_tokens(&call.mac.tokens.to_string());
    let rows = rows.split_terminator(';').map(|row| {
        let (name, row) = row.split_once('(').unwrap();
        let (arguments, output) = row.rsplit_once(") ->").unwrap();
        repeated
            .replace("$name", name.trim())
            .replace("$($argument: $type),*", arguments)
            .replace("$($argument),*", "")
            .replace("$output", output.trim())
    });
    format!("{start}{}{end}", rows.collect::<String>())
}

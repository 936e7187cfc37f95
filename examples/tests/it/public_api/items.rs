//! Lists the public parts of an item, one per line.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Type, UseTree, Visibility};

use super::sources::Module;

/// The lines of each exported item, by its name.
pub(super) struct Listing<'a> {
    exported: &'a BTreeSet<String>,
    /// Private traits. Their implementations are not listed.
    private_traits: BTreeSet<String>,
    items: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Listing<'a> {
    pub(super) fn of(modules: &[Module], exported: &'a BTreeSet<String>) -> Self {
        let items = modules.iter().flat_map(|module| &module.items);
        let traits = items.filter_map(|item| match item {
            Item::Trait(item) => Some(item.ident.to_string()),
            _ => None,
        });
        let mut listing = Self {
            exported,
            private_traits: traits.filter(|name| !exported.contains(name)).collect(),
            items: BTreeMap::new(),
        };
        modules.iter().for_each(|module| listing.add(module));
        listing
    }

    pub(super) fn into_items(self) -> BTreeMap<String, BTreeSet<String>> {
        self.items
    }

    fn add(&mut self, module: &Module) {
        for item in &module.items {
            match item {
                Item::Impl(block) if !is_for_tests(&block.attrs) => self.add_impl(block, module),
                _ => self.add_item(item, module),
            }
        }
    }

    fn add_item(&mut self, item: &Item, module: &Module) {
        let Some((name, attributes)) = public_name(item) else {
            return;
        };
        let condition = format!("{}{}", module.condition, condition_of(attributes));
        if let Some(declaration) = declaration(item.clone()) {
            self.line(&name, format!("{condition}{declaration}"));
        }
    }

    fn add_impl(&mut self, block: &ItemImpl, module: &Module) {
        let Some(name) = name_of(&block.self_ty) else {
            return;
        };
        let condition = format!("{}{}", module.condition, condition_of(&block.attrs));
        if let Some((_, of_trait, _)) = &block.trait_ {
            if of_trait
                .get_ident()
                .is_some_and(|name| self.is_private_trait(name))
            {
                return;
            }
            let generics = text(&block.generics);
            let (of_trait, itself) = (text(of_trait), text(&block.self_ty));
            self.line(
                &name,
                format!("{condition}impl{generics} {of_trait} for {itself}"),
            );
            return;
        }
        for part in &block.items {
            let (line, attributes) = match part {
                ImplItem::Fn(function) if is_public(&function.vis) => {
                    (format!("pub {}", text(&function.sig)), &function.attrs)
                }
                ImplItem::Const(constant) if is_public(&constant.vis) => {
                    let (name, of_type) = (&constant.ident, text(&constant.ty));
                    let value = text(&constant.expr);
                    (
                        format!("pub const {name}: {of_type} = {value}"),
                        &constant.attrs,
                    )
                }
                _ => continue,
            };
            let condition = format!("{condition}{}", condition_of(attributes));
            self.line(
                &name,
                format!("{condition}{}", line.replace("(mut self", "(self")),
            );
        }
    }

    fn is_private_trait(&self, name: &syn::Ident) -> bool {
        self.private_traits.contains(&name.to_string())
    }

    fn line(&mut self, name: &str, line: String) {
        if self.exported.contains(name) {
            self.items.entry(name.to_owned()).or_default().insert(line);
        }
    }
}

/// Returns the names that a public module exports.
pub(super) fn exports_of(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Use(export) if is_public(&export.vis) && !is_for_tests(&export.attrs) => {
                add_leaves(&export.tree, &mut names);
            }
            _ => names.extend(public_name(item).map(|(name, _)| name)),
        }
    }
    names
}

fn add_leaves(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => add_leaves(&path.tree, names),
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_leaves(tree, names)),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(rename) => names.push(rename.rename.to_string()),
        UseTree::Glob(_) => panic!("glob exports are not supported"),
    }
}

/// Returns the name and attributes of a public item.
fn public_name(item: &Item) -> Option<(String, &Vec<Attribute>)> {
    let (vis, name, attributes) = match item {
        Item::Const(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Enum(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Fn(item) => (&item.vis, &item.sig.ident, &item.attrs),
        Item::Struct(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Trait(item) => (&item.vis, &item.ident, &item.attrs),
        Item::Type(item) => (&item.vis, &item.ident, &item.attrs),
        _ => return None,
    };
    (is_public(vis) && !is_for_tests(attributes)).then(|| (name.to_string(), attributes))
}

/// Renders an item without documentation, function bodies and private parts.
fn declaration(item: Item) -> Option<String> {
    let rendered = match item {
        Item::Const(item) => format!(
            "pub const {}: {} = {}",
            item.ident,
            text(&item.ty),
            text(&item.expr)
        ),
        Item::Fn(item) => format!("pub {}", text(&item.sig)),
        Item::Struct(item) => {
            let head = format!(
                "{}pub struct {}{}",
                api_attributes(&item.attrs),
                item.ident,
                text(&item.generics)
            );
            format!("{head}{}", fields(&item.fields))
        }
        Item::Enum(item) => {
            let variants = item.variants.iter().map(|variant| {
                format!(
                    "{}{}{}",
                    api_attributes(&variant.attrs),
                    variant.ident,
                    variant_fields(&variant.fields)
                )
            });
            let variants: Vec<_> = variants.collect();
            let head = format!(
                "{}pub enum {}{}",
                api_attributes(&item.attrs),
                item.ident,
                text(&item.generics)
            );
            format!("{head} {{ {} }}", variants.join(", "))
        }
        Item::Trait(mut item) => {
            item.attrs.clear();
            for part in &mut item.items {
                if let syn::TraitItem::Fn(function) = part {
                    function.attrs.clear();
                    function.default = None;
                }
            }
            text(&item)
        }
        Item::Type(item) => format!("pub type {} = {}", item.ident, text(&item.ty)),
        _ => return None,
    };
    Some(rendered)
}

/// Renders the public fields, and `..` for private ones.
fn fields(all: &Fields) -> String {
    let is_public_field = |field: &&syn::Field| is_public(&field.vis);
    let mut public: Vec<_> = all.iter().filter(is_public_field).map(field).collect();
    if public.len() < all.len() {
        public.push("..".to_owned());
    }
    enclosed(all, &public)
}

fn variant_fields(all: &Fields) -> String {
    enclosed(all, &all.iter().map(field).collect::<Vec<_>>())
}

fn enclosed(all: &Fields, fields: &[String]) -> String {
    match all {
        Fields::Named(_) => format!(" {{ {} }}", fields.join(", ")),
        Fields::Unnamed(_) => format!("({})", fields.join(", ")),
        Fields::Unit => String::new(),
    }
}

fn field(field: &syn::Field) -> String {
    let vis = if is_public(&field.vis) { "pub " } else { "" };
    let name = field
        .ident
        .as_ref()
        .map_or(String::new(), |name| format!("{name}: "));
    format!("{vis}{name}{}", text(&field.ty))
}

/// Returns the name of a type without its path, parameters and references.
fn name_of(named: &Type) -> Option<String> {
    match named {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Reference(reference) => name_of(&reference.elem),
        _ => None,
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

/// Renders the attributes that belong to the API.
fn api_attributes(attributes: &[Attribute]) -> String {
    let names = ["derive", "non_exhaustive"];
    let listed = attributes
        .iter()
        .filter(|one| names.iter().any(|name| one.path().is_ident(name)));
    listed
        .map(|attribute| format!("{} ", text(attribute)))
        .collect()
}

/// Renders the `cfg` attributes, which state the features that the item needs.
pub(super) fn condition_of(attributes: &[Attribute]) -> String {
    let conditions = attributes.iter().filter(|one| one.path().is_ident("cfg"));
    conditions
        .map(|attribute| format!("{} ", text(attribute)))
        .collect()
}

/// Returns `true` if the item exists only for tests or fuzzing.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    let condition = condition_of(attributes);
    ["(test", "(fuzzing", "any(test"]
        .iter()
        .any(|name| condition.contains(name))
}

fn text(tokens: &impl ToTokens) -> String {
    format_tokens(&tokens.to_token_stream().to_string())
}

/// Formats tokens with the usual spacing.
pub(super) fn format_tokens(tokens: &str) -> String {
    let rules = [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" ;", ";"),
        (" :", ":"),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("[ ", "["),
        (" ]", "]"),
        ("# [", "#["),
        (" !", "!"),
        (" ?", "?"),
        ("$ ", "$"),
        (") *", ")*"),
        (") . ", ")."),
        ("->(", "-> ("),
        ("=(", "= ("),
        (",>", ">"),
        (",)", ")"),
    ];
    let spaced = tokens.split_whitespace().collect::<Vec<_>>().join(" ");
    rules
        .iter()
        .fold(spaced, |text, (from, to)| text.replace(from, to))
}

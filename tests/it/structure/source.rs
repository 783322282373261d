//! The production code of the workspace, parsed: what cargo compiles without `cfg(test)`.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, Item, ItemMod, Stmt, TraitItem, Visibility};
use toml::Table;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The texts of all Rust files below a directory.
pub(crate) fn collect(dir: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|it| it == "rs") {
            texts.push(fs::read_to_string(&path).unwrap());
        }
    }
}

/// A package of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the root of the workspace.
    pub(crate) dir: PathBuf,
    pub(crate) manifest: Table,
}

impl Package {
    /// Its library and its programs.
    pub(crate) fn targets(&self) -> Vec<Target> {
        ["src/lib.rs", "src/main.rs"]
            .iter()
            .map(|file| self.dir.join(file))
            .filter(|file| root().join(file).exists())
            .map(|file| Target::read(&file))
            .collect()
    }
}

/// The members of the workspace, in the order of its manifest.
pub(crate) fn packages() -> Vec<Package> {
    let workspace = manifest(Path::new(""));
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let package = |member: &toml::Value| {
        let dir = PathBuf::from(member.as_str().unwrap());
        let manifest = manifest(&dir);
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        Package {
            name,
            dir,
            manifest,
        }
    };
    members.iter().map(package).collect()
}

/// The packages whose code is delivered: neither doubles for tests nor tests nor examples.
pub(crate) fn production() -> Vec<Package> {
    let mut packages = packages();
    let others = ["scorel-testkit", "scorel-example-feature", "scorel-tests"];
    packages.retain(|package| !others.contains(&&*package.name));
    packages
}

fn manifest(dir: &Path) -> Table {
    let path = root().join(dir).join("Cargo.toml");
    fs::read_to_string(path).unwrap().parse().unwrap()
}

/// What one call of rustc compiles: a tree of modules.
pub(crate) struct Target {
    pub(crate) files: Vec<SourceFile>,
    /// The first is the root.
    pub(crate) modules: Vec<Module>,
}

pub(crate) struct SourceFile {
    /// Relative to the root of the workspace.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// The lines, from 1, of what only tests compile.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
}

pub(crate) struct Module {
    /// Without `crate`.
    pub(crate) path: Vec<String>,
    pub(crate) parent: Option<usize>,
    /// Whether it is `pub mod`.
    pub(crate) is_public: bool,
    pub(crate) file: usize,
    /// Without modules, which are elements of [`Target::modules`], and without tests.
    pub(crate) items: Vec<Item>,
}

impl Target {
    fn read(root_file: &Path) -> Self {
        let mut target = Self {
            files: Vec::new(),
            modules: Vec::new(),
        };
        let dir = root_file.parent().unwrap().to_owned();
        target.read_file(root_file, &dir, Vec::new(), None);
        target
    }

    /// Reads a file whose modules have their files in `dir`.
    fn read_file(&mut self, file: &Path, dir: &Path, path: Vec<String>, parent: Option<usize>) {
        let text = fs::read_to_string(root().join(file))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let syntax =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let index = self.files.len();
        self.files.push(SourceFile {
            path: file.to_owned(),
            text,
            test_lines: Vec::new(),
        });
        self.add_module(syntax.items, index, dir, path, parent);
    }

    fn add_module(
        &mut self,
        items: Vec<Item>,
        file: usize,
        dir: &Path,
        path: Vec<String>,
        parent: Option<usize>,
    ) {
        let index = self.modules.len();
        self.modules.push(Module {
            path,
            parent,
            is_public: false,
            file,
            items: Vec::new(),
        });
        for item in items {
            if is_for_tests(attributes(&item)) {
                let lines = item.span().start().line..=item.span().end().line;
                self.files[file].test_lines.push(lines);
            } else if let Item::Mod(module) = item {
                self.add_child(module, index, dir);
            } else {
                self.modules[index].items.push(without_tests(item));
            }
        }
    }

    fn add_child(&mut self, module: ItemMod, parent: usize, dir: &Path) {
        let name = module.ident.to_string();
        let mut path = self.modules[parent].path.clone();
        path.push(name.clone());
        let has_path = module.attrs.iter().any(|attr| attr.path().is_ident("path"));
        assert!(!has_path, "{path:?}: a module is where its name says");
        let index = self.modules.len();
        match module.content {
            Some((_, items)) => {
                let file = self.modules[parent].file;
                self.add_module(items, file, &dir.join(name), path, Some(parent));
            }
            None => {
                let file = dir.join(format!("{name}.rs"));
                self.read_file(&file, &dir.join(name), path, Some(parent));
            }
        }
        self.modules[index].is_public = matches!(module.vis, Visibility::Public(_));
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .map(|list| list.tokens.to_string())
        .any(|condition| condition == "test" || condition.starts_with("all (test ,"))
}

fn without_tests(mut item: Item) -> Item {
    match &mut item {
        Item::Impl(item) => item
            .items
            .retain(|item| !is_for_tests(impl_item_attributes(item))),
        Item::Trait(item) => item
            .items
            .retain(|item| !matches!(item, TraitItem::Fn(f) if is_for_tests(&f.attrs))),
        Item::Fn(item) => item
            .block
            .stmts
            .retain(|stmt| !matches!(stmt, Stmt::Item(item) if is_for_tests(attributes(item)))),
        _ => {}
    }
    item
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn impl_item_attributes(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        _ => &[],
    }
}

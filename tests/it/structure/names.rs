//! Where a name of a crate is defined, through imports and re-exports.

use std::cell::RefCell;
use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, UseTree, Visibility};

use super::source::Target;

/// What the modules of a target define and import.
pub(crate) struct Names {
    scopes: Vec<Scope>,
    /// What the path that is being resolved has found through imports with `*`: modules import each other by many ways.
    through_globs: RefCell<HashMap<(usize, String), Vec<Meaning>>>,
}

#[derive(Default)]
struct Scope {
    parent: Option<usize>,
    bindings: HashMap<String, Vec<Binding>>,
    /// The modules that are imported with `*`.
    globs: Vec<Vec<String>>,
    /// Identifiers in calls of macros between items: some of them become items.
    from_macros: Vec<String>,
}

#[derive(Clone)]
enum Binding {
    Module(usize),
    Item,
    Import(Vec<String>),
}

/// What a path leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Module(usize),
    Item { module: usize, name: String },
}

impl Meaning {
    const fn is_module(&self) -> bool {
        matches!(self, Self::Module(_))
    }
}

/// An import, as one path: `use a::{b, c as d}` is two of them.
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// The name that it binds; `*` for all names of a module.
    pub(crate) name: String,
}

/// Imports lead to imports.
const MAX_DEPTH: usize = 24;

impl Names {
    pub(crate) fn of(target: &Target) -> Self {
        let mut scopes: Vec<Scope> = target
            .modules
            .iter()
            .map(|module| Scope {
                parent: module.parent,
                ..Scope::default()
            })
            .collect();
        for (index, module) in target.modules.iter().enumerate() {
            if let (Some(parent), Some(name)) = (module.parent, module.path.last()) {
                scopes[parent].bind(name, Binding::Module(index));
            }
            for item in &module.items {
                scopes[index].add(item);
            }
        }
        Self {
            scopes,
            through_globs: RefCell::default(),
        }
    }

    /// Adds the imports inside functions: where they are matters little.
    pub(crate) fn import(&mut self, module: usize, imports: Vec<Import>) {
        self.scopes[module].import(imports);
    }

    /// What a path in a module means; nothing if it leads out of the crate or to a local name.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> Vec<Meaning> {
        self.through_globs.borrow_mut().clear();
        self.resolve_within(module, path, 0)
    }

    fn resolve_within(&self, module: usize, path: &[String], depth: usize) -> Vec<Meaning> {
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        let mut meanings = match &**first {
            "crate" => vec![Meaning::Module(0)],
            "self" => vec![Meaning::Module(module)],
            "super" => self.parent(module),
            name => self.look_up(module, name, depth),
        };
        for name in rest {
            // A function may have the name of a module; only the module has names in it.
            if meanings.iter().any(Meaning::is_module) {
                meanings.retain(Meaning::is_module);
            }
            meanings = meanings
                .into_iter()
                .flat_map(|meaning| match meaning {
                    Meaning::Module(module) if name == "super" => self.parent(module),
                    Meaning::Module(module) if name == "self" => vec![Meaning::Module(module)],
                    Meaning::Module(module) => self.look_up(module, name, depth),
                    // A variant, or something of an `impl`.
                    item @ Meaning::Item { .. } => vec![item],
                })
                .collect();
        }
        meanings
    }

    fn parent(&self, module: usize) -> Vec<Meaning> {
        let parent = self.scopes[module].parent;
        parent.map(Meaning::Module).into_iter().collect()
    }

    fn look_up(&self, module: usize, name: &str, depth: usize) -> Vec<Meaning> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let scope = &self.scopes[module];
        let bindings = scope.bindings.get(name).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<Meaning> = bindings
            .iter()
            .flat_map(|binding| match binding {
                Binding::Module(module) => vec![Meaning::Module(*module)],
                Binding::Item => vec![item(module, name)],
                Binding::Import(path) => self.resolve_within(module, path, depth + 1),
            })
            .collect();
        if found.is_empty() && scope.from_macros.iter().any(|ident| ident == name) {
            found.push(item(module, name));
        }
        if found.is_empty() {
            found = self.look_up_globs(module, name, depth + 1);
        }
        found.dedup();
        found
    }

    fn look_up_globs(&self, module: usize, name: &str, depth: usize) -> Vec<Meaning> {
        let key = (module, name.to_owned());
        if let Some(found) = self.through_globs.borrow().get(&key) {
            return found.clone();
        }
        // A `*` may lead to itself.
        let through_globs = |found| self.through_globs.borrow_mut().insert(key.clone(), found);
        through_globs(Vec::new());
        let globs = self.scopes[module].globs.iter();
        let found: Vec<_> = globs
            .flat_map(|path| self.resolve_within(module, path, depth))
            .flat_map(|meaning| match meaning {
                Meaning::Module(module) => self.look_up(module, name, depth),
                Meaning::Item { .. } => Vec::new(),
            })
            .collect();
        through_globs(found.clone());
        found
    }
}

fn item(module: usize, name: &str) -> Meaning {
    let name = name.to_owned();
    Meaning::Item { module, name }
}

impl Scope {
    fn bind(&mut self, name: &str, binding: Binding) {
        self.bindings
            .entry(name.to_owned())
            .or_default()
            .push(binding);
    }

    fn import(&mut self, imports: Vec<Import>) {
        for import in imports {
            if import.name == "*" {
                self.globs.push(import.path);
            } else {
                self.bind(&import.name, Binding::Import(import.path));
            }
        }
    }

    fn add(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Use(item) => return self.import(imports(&item.tree)),
            Item::Macro(item) => match &item.ident {
                Some(ident) => ident,
                None => return identifiers(item.mac.tokens.clone(), &mut self.from_macros),
            },
            _ => return,
        };
        self.bind(&name.to_string(), Binding::Item);
    }
}

fn identifiers(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The paths of a `use`.
pub(crate) fn imports(tree: &UseTree) -> Vec<Import> {
    let mut found = Vec::new();
    collect(tree, &mut Vec::new(), &mut found);
    found
}

fn collect(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            collect(&tree.tree, path, found);
            path.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                collect(tree, path, found);
            }
        }
        UseTree::Name(tree) if tree.ident == "self" => {
            let name = path.last().cloned().unwrap_or_default();
            let path = path.clone();
            found.push(Import { path, name });
        }
        UseTree::Name(tree) => add_import(path, &tree.ident, &tree.ident, found),
        UseTree::Rename(tree) => add_import(path, &tree.ident, &tree.rename, found),
        UseTree::Glob(_) => found.push(Import {
            path: path.clone(),
            name: "*".to_owned(),
        }),
    }
}

fn add_import(path: &[String], last: &syn::Ident, name: &syn::Ident, found: &mut Vec<Import>) {
    let mut path = path.to_vec();
    path.push(last.to_string());
    let name = name.to_string();
    found.push(Import { path, name });
}

/// Whether a `use` hands names on instead of using them.
pub(crate) fn is_re_export(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

//! Which file uses what another file of its crate defines.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMacro, ItemUse, LitStr, Macro, Meta};

use super::names::{Import, Meaning, Names, imports, is_re_export};
use super::source::Target;

/// For each file, the files whose names it uses, and the names.
pub(crate) type Arrows = BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>>;

pub(crate) fn arrows(target: &Target) -> Arrows {
    let mut names = Names::of(target);
    let used: Vec<Paths> = target
        .modules
        .iter()
        .map(|module| Paths::of(&module.items))
        .collect();
    let mut used_paths = Vec::new();
    for (module, mut paths) in used.into_iter().enumerate() {
        names.import(module, mem::take(&mut paths.local_imports));
        used_paths.push(paths.used);
    }
    let mut arrows = Arrows::new();
    for (module, paths) in used_paths.iter().enumerate() {
        let file = target.modules[module].file;
        for path in paths {
            for meaning in names.resolve(module, path) {
                let Meaning::Item { module, name } = meaning else {
                    continue;
                };
                let definer = target.modules[module].file;
                if definer != file {
                    let to = arrows.entry(file).or_default();
                    to.entry(definer).or_default().insert(name);
                }
            }
        }
    }
    arrows
}

/// The paths that a module writes.
#[derive(Default)]
struct Paths {
    /// Each once: to find out what one means takes longer than to read it.
    used: BTreeSet<Vec<String>>,
    local_imports: Vec<Import>,
    depth: usize,
}

impl Paths {
    fn of(items: &[Item]) -> Self {
        let mut paths = Self::default();
        for item in items {
            paths.visit_item(item);
        }
        paths
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        // Colons since the last identifier, and whether a dot stands before the next: then it is a
        // field or a method.
        let (mut colons, mut after_dot) = (0, false);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_path(&mut path);
                    }
                    if !after_dot {
                        path.push(ident.to_string());
                    }
                    (colons, after_dot) = (0, false);
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Punct(punct) => after_dot = punct.as_char() == '.',
                TokenTree::Group(group) => {
                    self.add_tokens(group.stream());
                    after_dot &= group.delimiter() == Delimiter::None;
                }
                TokenTree::Literal(_) => after_dot = false,
            }
            colons = 0;
            self.end_path(&mut path);
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.used.insert(mem::take(path));
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.used
            .insert(segments.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.add_tokens(call.tokens.clone());
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        self.visit_macro(&item.mac);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let imports = imports(&item.tree);
        if !is_re_export(&item.vis) {
            let paths = imports.iter().map(|import| import.path.clone());
            self.used.extend(paths);
        }
        if self.depth > 0 {
            self.local_imports.extend(imports);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    /// Attributes name functions in texts: `#[serde(default = "path")]`.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::List(list) = &attribute.meta else {
            return;
        };
        for token in list.tokens.clone() {
            if let TokenTree::Literal(literal) = token
                && let Ok(text) = syn::parse_str::<LitStr>(&literal.to_string())
                && let Ok(path) = text.parse::<syn::Path>()
            {
                self.visit_path(&path);
            }
        }
    }
}

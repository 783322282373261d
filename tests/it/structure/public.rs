//! The public items of programs, and the visibility of a lane's state.

use syn::{Fields, Item, Visibility};

use super::names::imports;
use super::source::{Package, Target, production};

fn library(name: &str) -> Target {
    let package: Option<Package> = production().into_iter().find(|it| it.name == name);
    package.unwrap().targets().remove(0)
}

#[test]
fn programs_export_their_main_function_and_nothing_else() {
    for program in ["scoreld", "scorelctl"] {
        let exported = exported(&library(program));
        assert_eq!(exported, ["main"], "{program}");
    }
}

/// What the root of a library makes public. The lint `unreachable_pub` sees to the rest.
fn exported(target: &Target) -> Vec<String> {
    let mut names = Vec::new();
    for item in &target.modules[0].items {
        let (visibility, name) = match item {
            Item::Const(item) => (&item.vis, item.ident.to_string()),
            Item::Enum(item) => (&item.vis, item.ident.to_string()),
            Item::Fn(item) => (&item.vis, item.sig.ident.to_string()),
            Item::Static(item) => (&item.vis, item.ident.to_string()),
            Item::Struct(item) => (&item.vis, item.ident.to_string()),
            Item::Trait(item) => (&item.vis, item.ident.to_string()),
            Item::Type(item) => (&item.vis, item.ident.to_string()),
            Item::Use(item) => {
                if matches!(item.vis, Visibility::Public(_)) {
                    names.extend(imports(&item.tree).into_iter().map(|import| import.name));
                }
                continue;
            }
            _ => continue,
        };
        if matches!(visibility, Visibility::Public(_)) {
            names.push(name);
        }
    }
    names.extend(public_modules(target));
    names
}

fn public_modules(target: &Target) -> Vec<String> {
    let modules = target
        .modules
        .iter()
        .filter(|module| module.path.len() == 1);
    modules
        .filter(|module| module.is_public)
        .map(|module| module.path[0].clone())
        .collect()
}

#[test]
fn the_state_of_a_lane_is_seen_by_the_lane_alone() {
    let session = library("scorel-session");
    let mut found = 0;
    for module in &session.modules {
        for item in &module.items {
            let Item::Struct(item) = item else { continue };
            if item.ident != "LaneState" {
                continue;
            }
            found += 1;
            let Fields::Named(fields) = &item.fields else {
                panic!("LaneState has fields with names");
            };
            for field in &fields.named {
                let reach = visible_in(&field.vis, &module.path);
                assert!(
                    reach.first().is_some_and(|name| name == "lane"),
                    "{:?} of LaneState is visible in crate::{}",
                    field.ident,
                    reach.join("::")
                );
            }
        }
    }
    assert_eq!(found, 1, "LaneState");
}

/// The module in which an item of `module` can be used.
fn visible_in(visibility: &Visibility, module: &[String]) -> Vec<String> {
    let restricted = match visibility {
        Visibility::Inherited => return module.to_vec(),
        Visibility::Public(_) => return Vec::new(),
        Visibility::Restricted(restricted) => restricted,
    };
    let mut reach = module.to_vec();
    for segment in &restricted.path.segments {
        match &*segment.ident.to_string() {
            "crate" => reach.clear(),
            "super" => _ = reach.pop(),
            "self" => {}
            name => reach.push(name.to_owned()),
        }
    }
    reach
}

//! `Glob` and `Grep` against a plain walk over generated trees.

use std::fs;
use std::path::Path;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;

use super::project::Project;

const NAMES: [&str; 8] = ["a", "b.rs", "c.md", ".d", "e e", "a.rs", "ä", "z-1.rs"];
const LINES: [&str; 6] = ["", "needle", "hay", "a needle b", "Needle", "\tneedle\r"];

fn grow(random: &mut StdRng, project: &Project, directory: &str, depth: u32) {
    for name in NAMES {
        let path = format!("{directory}{name}");
        match random.random_range(0..4) {
            0 if depth > 0 => grow(random, project, &format!("{path}/"), depth - 1),
            1 | 2 => {
                let count = random.random_range(0..12);
                let lines = (0..count).map(|_| LINES[random.random_range(0..LINES.len())]);
                project.write(&path, lines.collect::<Vec<_>>().join("\n"));
            }
            _ => {}
        }
    }
}

/// Every path below, in the order of its components; directories end with a slash.
fn paths(root: &Path, below: &str, found: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(root.join(below))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.push(format!("{path}/"));
            paths(root, &format!("{path}/"), found);
        } else {
            found.push(path);
        }
    }
}

fn joined<'a>(lines: impl Iterator<Item = &'a String>) -> String {
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn generated_trees_give_what_a_plain_walk_gives() {
    for seed in 0..25 {
        let project = Project::new();
        project.write("always", "needle");
        grow(&mut StdRng::seed_from_u64(seed), &project, "", 3);
        let mut all = Vec::new();
        paths(&project.path(""), "", &mut all);

        let glob = |pattern| {
            let answer = project.call("Glob", json!({ "pattern": pattern, "limit": 10_000 }));
            let text = answer.ok().to_owned();
            if text.starts_with('[') {
                String::new()
            } else {
                text
            }
        };
        assert_eq!(glob("**"), joined(all.iter()), "seed {seed}");
        let rust = all
            .iter()
            .filter(|path| path.trim_end_matches('/').ends_with(".rs"));
        assert_eq!(glob("**/*.rs"), joined(rust), "seed {seed}");
        let top = all
            .iter()
            .filter(|path| !path.trim_end_matches('/').contains('/'));
        assert_eq!(glob("*"), joined(top), "seed {seed}");

        let mut found = Vec::new();
        for path in all.iter().filter(|path| !path.ends_with('/')) {
            let content = fs::read_to_string(project.path(path)).unwrap();
            let lines = (1..)
                .zip(content.split('\n'))
                .filter(|(_, line)| line.contains("needle"));
            found.extend(lines.map(|(n, line)| {
                format!("{path}:{n}:{}", line.strip_suffix('\r').unwrap_or(line))
            }));
        }
        let answer = project.call("Grep", json!({ "pattern": "needle", "limit": 100_000 }));
        assert_eq!(answer.ok(), joined(found.iter()), "seed {seed}");
        assert_eq!(answer.details["matchingLines"], json!(found.len()));
    }
}

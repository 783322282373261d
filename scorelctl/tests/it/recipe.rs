//! The worked example of `CONTRIBUTING.md`.

use std::fs;
use std::path::Path;

#[test]
fn the_verb_of_the_guide_is_the_program_s_own() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
    let guide = fs::read_to_string(guide).unwrap();
    let verb = include_str!("../../src/commands/end_wait.rs");
    let example = format!("```rust,ignore\n{verb}```\n");
    assert!(
        guide.contains(&example),
        "the guide shows another verb than this one"
    );
}

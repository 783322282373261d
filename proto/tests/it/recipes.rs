//! The code in `CONTRIBUTING.md` is code of this repository.

use std::fs;
use std::path::Path;

#[test]
fn each_recipe_shows_code_of_the_file_that_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let mut parts = guide.split("```rust\n");
    let mut before = parts.next().unwrap();
    let mut count = 0;
    for part in parts {
        let (code, after) = part.split_once("```").unwrap();
        let named = before.trim_end().rsplit_once("<!-- ");
        let file = named.and_then(|(_, rest)| rest.strip_suffix(" -->"));
        let file = file.unwrap_or_else(|| panic!("no file is named above:\n{code}"));
        let source = fs::read_to_string(root.join(file)).unwrap();
        assert!(source.contains(code), "{file} has other code than:\n{code}");
        before = after;
        count += 1;
    }
    assert!(count >= 6, "{count} recipes with code");
}

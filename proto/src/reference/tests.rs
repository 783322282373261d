//! The generated reference is complete and current.

use std::path::PathBuf;

use super::reference_markdown;
use crate::{ErrorCode, METHODS, PersistentBody, TransientBody};

/// Set this variable to write the page anew.
const REWRITE: &str = "SCOREL_REWRITE_DOCS";

#[test]
fn the_page_in_docs_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol-reference.md");
    let page = reference_markdown();
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/protocol-reference.md is out of date; set {REWRITE}=1 and run this again"
    );
}

#[test]
fn the_page_names_every_method_event_type_and_error() {
    let page = reference_markdown();
    for info in METHODS {
        let name = info.name;
        assert!(
            page.contains(&format!("\n#### `{name}`\n")),
            "{name} has no section"
        );
    }
    for name in PersistentBody::TYPES.iter().chain(TransientBody::TYPES) {
        assert!(
            page.contains(&format!("\n#### `{name}` event\n")),
            "{name} has no section"
        );
    }
    for code in ErrorCode::ALL {
        assert!(
            page.contains(&format!("| {} | `{code}` |", code.number())),
            "{code}"
        );
    }
}

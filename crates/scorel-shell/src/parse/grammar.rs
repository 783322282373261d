//! The grammar of the shell, and what it must be kept from.

use tree_sitter::{Node, Parser, Tree};

/// The deepest nesting of scripts and syntax; the walk is recursive.
pub(super) const DEEPEST: usize = 60;

/// The greatest number of pipes in a command.
const MOST_PIPES: usize = 1_000;

pub(super) fn tree(source: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    parser.parse(masked(source), None)
}

/// Returns whether the grammar would take quadratic time.
pub(super) fn is_intricate(source: &str) -> bool {
    let pipes = source.bytes().filter(|byte| *byte == b'|').count();
    let mut depth: usize = 0;
    let mut deepest = 0;
    for byte in source.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    pipes > MOST_PIPES || deepest > DEEPEST
}

/// The text with every byte beyond ASCII, and some dashes, replaced by `Z`, which keeps offsets.
///
/// The grammar's scanner passes code points to a `ctype` function of the C library, which reads out of
/// bounds for most of them (<https://github.com/tree-sitter/tree-sitter-bash/issues/337>).
fn masked(source: &str) -> Vec<u8> {
    let mask = |byte: u8| match byte {
        b'\n' | b'\t' | b' '..=b'~' => byte,
        _ => b'Z',
    };
    let mut masked: Vec<u8> = source.bytes().map(mask).collect();
    for dash in lone_dashes(&masked) {
        masked[dash] = b'Z';
    }
    masked
}

/// The offsets of words `-` before a here-document, as in `python3 - <<EOF`: the grammar leaves them
/// out of its tree. Any letter is a word in their place.
fn lone_dashes(source: &[u8]) -> Vec<usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let is_lone = |dash: &usize| {
        let (before, after) = (&source[..*dash], &source[dash + 1..]);
        let blanks = after.iter().take_while(|byte| is_blank(byte)).count();
        before.last().is_some_and(is_blank) && blanks > 0 && after[blanks..].starts_with(b"<<")
    };
    let dashes = (0..source.len()).filter(|index| source[*index] == b'-');
    dashes.filter(is_lone).collect()
}

/// Returns whether a node starts or ends inside a multi-byte character.
pub(super) fn splits_letters(source: &str, root: Node<'_>) -> bool {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if !source.is_char_boundary(node.start_byte()) || !source.is_char_boundary(node.end_byte())
        {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// Returns whether a node is a word of the grammar, such as `case` or `export`, or a brace or `!` in its place.
/// It gets the parent, since a node looks for its own from the root on.
pub(super) fn is_reserved(node: Node<'_>, parent: Node<'_>) -> bool {
    match node.kind() {
        "{" | "}" => parent.kind() == "compound_statement",
        "!" => parent.kind() == "negated_command",
        kind => !node.is_named() && kind.bytes().all(|byte| byte.is_ascii_alphabetic()),
    }
}

/// A node's children with the fields of the grammar that they are.
pub(super) fn fields(node: Node<'_>) -> Vec<(Option<&'static str>, Node<'_>)> {
    let mut walk = node.walk();
    let mut fields = Vec::new();
    let mut is_at_child = walk.goto_first_child();
    while is_at_child {
        fields.push((walk.field_name(), walk.node()));
        is_at_child = walk.goto_next_sibling();
    }
    fields
}

pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

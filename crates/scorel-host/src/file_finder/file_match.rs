/// A query in lower case.
#[derive(Debug)]
pub(super) struct Folded(String);

impl Folded {
    pub(super) fn new(query: &str) -> Self {
        Self(query.to_lowercase())
    }
}

/// Where a path has the query, from the best place to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    WholeName,
    /// The name without its extension.
    WholeStem,
    BeginOfName,
    /// Behind a character of the name that is neither letter nor digit.
    BeginOfWord,
    InName,
    InPath,
    /// The query's characters are in the name, with others between them.
    ScatteredInName,
    ScatteredInPath,
}

/// How well a path matches a query; the best is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileMatch {
    place: Place,
    length: usize,
}

impl FileMatch {
    /// The match of a path in lower case, if it is one.
    pub(super) fn of(Folded(query): &Folded, path: &str) -> Option<Self> {
        // Most paths of a large project do not match, and this looks at each character once.
        if !has_in_order(path, query) {
            return None;
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Some(Self {
            place: place(query, path, name),
            length: path.len(),
        })
    }
}

fn place(query: &str, path: &str, name: &str) -> Place {
    let Some(begin) = name.find(query) else {
        return if path.contains(query) {
            Place::InPath
        } else if has_in_order(name, query) {
            Place::ScatteredInName
        } else {
            Place::ScatteredInPath
        };
    };
    let after = &name[begin + query.len()..];
    match (begin, after) {
        (0, "") => Place::WholeName,
        (0, after) if after.starts_with('.') => Place::WholeStem,
        (0, _) => Place::BeginOfName,
        _ if name[..begin].ends_with(|before: char| !before.is_alphanumeric()) => {
            Place::BeginOfWord
        }
        _ => Place::InName,
    }
}

/// Whether the text has the characters of the query in their order.
fn has_in_order(text: &str, query: &str) -> bool {
    let mut rest = text.chars();
    query
        .chars()
        .all(|wanted| rest.any(|character| character == wanted))
}

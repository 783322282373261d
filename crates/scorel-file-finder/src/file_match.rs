use memchr::memmem::Finder;

/// A query in lower case.
#[derive(Debug)]
pub(crate) struct Folded {
    text: String,
    /// Made once: to prepare the search takes longer than to search one path.
    finder: Finder<'static>,
}

impl Folded {
    pub(crate) fn new(query: &str) -> Self {
        let text = query.to_lowercase();
        Self {
            finder: Finder::new(&text).into_owned(),
            text,
        }
    }

    fn place_in(&self, text: &str) -> Option<usize> {
        self.finder.find(text.as_bytes())
    }

    /// The place of the query that begins here in a name.
    fn place_from(&self, name: &str, begin: usize) -> Place {
        match (begin, &name[begin + self.text.len()..]) {
            (0, "") => Place::WholeName,
            (0, after) if after.starts_with('.') => Place::WholeStem,
            (0, _) => Place::BeginOfName,
            _ if name[..begin].ends_with(|before: char| !before.is_alphanumeric()) => {
                Place::BeginOfWord
            }
            _ => Place::InName,
        }
    }

    /// Returns whether the text has the characters of the query in their order.
    fn is_scattered_in(&self, text: &str) -> bool {
        if !self.text.is_ascii() {
            let mut rest = text.chars();
            return self
                .text
                .chars()
                .all(|wanted| rest.any(|character| character == wanted));
        }
        let mut rest = text.bytes();
        self.text
            .bytes()
            .all(|wanted| rest.any(|byte| byte == wanted))
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

/// The rank of a path for a query; the best is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileMatch {
    place: Place,
    length: usize,
}

impl FileMatch {
    /// The match of a path in lower case, if it is one.
    pub(crate) fn of(query: &Folded, path: &str) -> Option<Self> {
        let name = || memchr::memrchr(b'/', path.as_bytes()).map_or(path, |at| &path[at + 1..]);
        // Most paths of a large project do not match, and are looked at twice.
        let place = if query.place_in(path).is_some() {
            let name = name();
            let begin = query.place_in(name);
            begin.map_or(Place::InPath, |begin| query.place_from(name, begin))
        } else if !query.is_scattered_in(path) {
            return None;
        } else if query.is_scattered_in(name()) {
            Place::ScatteredInName
        } else {
            Place::ScatteredInPath
        };
        Some(Self {
            place,
            length: path.len(),
        })
    }
}

use std::fmt;

/// Similarity above which a known word is suggested.
const SIMILAR: f64 = 0.8;

/// A mistake in a file that describes hooks, a plugin or an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// The key at fault, with what it stands in.
    pub key: Option<String>,
    /// Line and column, counted from 1.
    pub place: Option<(usize, usize)>,
    /// A sentence without its full stop.
    pub reason: String,
    /// The nearest valid word.
    pub suggestion: Option<String>,
}

impl Problem {
    /// One of the file as a whole.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..Self::default()
        }
    }

    /// One of a key.
    pub fn of(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            key: Some(key.into()),
            ..Self::new(reason)
        }
    }

    /// With the known word that is most like the written one, if one is alike.
    #[must_use]
    pub fn suggest<'a>(mut self, written: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.suggestion = nearest(written, known).map(str::to_owned);
        self
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self {
            place: Some((error.line(), error.column())),
            ..Self::new(format!("it is not JSON: {error}"))
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{key}`: ")?;
        }
        write!(f, "{}", self.reason)?;
        match &self.suggestion {
            Some(word) => write!(f, "; did you mean `{word}`?"),
            None => Ok(()),
        }
    }
}

/// The known word that is most like `written`, if one is alike. Case, `_` and `-` count for nothing.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace(['_', '-'], "");
    let written = plain(written);
    let rated = known
        .into_iter()
        .map(|word| (strsim::jaro_winkler(&written, &plain(word)), word));
    rated
        .filter(|(rate, _)| *rate > SIMILAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, word)| word)
}

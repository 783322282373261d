use std::collections::BTreeSet;

use crate::problem::{Problem, ProblemCode};

/// Problems and warnings of a package so far, each once: two workflows may share files.
#[derive(Debug, Default)]
pub(crate) struct Findings(BTreeSet<Problem>);

impl Findings {
    pub(crate) fn add(
        &mut self,
        file: &str,
        pointer: impl Into<String>,
        code: ProblemCode,
        message: impl Into<String>,
    ) {
        self.0.insert(Problem {
            file: file.to_owned(),
            pointer: pointer.into(),
            code,
            message: message.into(),
        });
    }

    /// The problems, and the warnings.
    pub(crate) fn split(self) -> (Vec<Problem>, Vec<Problem>) {
        self.0.into_iter().partition(|it| !it.code.is_warning())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

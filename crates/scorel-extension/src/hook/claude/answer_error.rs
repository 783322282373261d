/// The reason why an answer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("it exited with {code}{}", said(line))]
    Exit { code: i32, line: String },
    #[error("its answer is no JSON: {0}")]
    Json(String),
    #[error("its answer is not UTF-8")]
    Encoding,
    #[error("it answered about `{0}`")]
    OtherEvent(String),
    #[error("`{field}` of its answer cannot be `{value}`")]
    Value { field: &'static str, value: String },
}

fn said(line: &str) -> String {
    match line {
        "" => String::new(),
        line => format!(": {line}"),
    }
}

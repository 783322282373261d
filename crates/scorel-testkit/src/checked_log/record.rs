use serde_json::Value;

/// One record of a checked log.
#[derive(Debug, Clone)]
pub struct CheckedRecord {
    pub seq: u64,
    /// Without the newline.
    pub line: String,
    pub value: Value,
}

impl CheckedRecord {
    pub fn type_name(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    pub fn turn_id(&self) -> Option<&str> {
        self.value["turnId"].as_str()
    }

    /// The role of a message; `None` for other records.
    pub fn role(&self) -> Option<&str> {
        self.value["message"]["role"].as_str()
    }

    /// The text blocks of a message, concatenated.
    pub fn text(&self) -> String {
        let blocks = self.value["message"]["content"].as_array();
        let texts = blocks.into_iter().flatten();
        texts.filter_map(|block| block["text"].as_str()).collect()
    }
}

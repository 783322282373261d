use serde::Deserialize;

/// The address of a document about this program, by which authorization servers know it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ClientDocument(String);

impl ClientDocument {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ClientDocument {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let rest = text.strip_prefix("https://");
        let path = rest.and_then(|it| it.split_once('/')).map(|it| it.1);
        let is_plain = || text.chars().all(|it| it.is_ascii_graphic() && it != '#');
        match path.is_some_and(|it| !it.is_empty()) && is_plain() {
            true => Ok(Self(text)),
            false => Err("expected an address with `https` and a path"),
        }
    }
}

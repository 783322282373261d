//! Adding a server at the end of a file, and taking one out.

use scorel_extension::nearest;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::config_file::ConfigFile;
use super::file_text::{FileText, repeated};
use crate::origin::DocumentOrigin;
use crate::parse::{origin_of, read};
use crate::problems::check_change;
use crate::text_place::{line_end, line_start};
use crate::{EditConfigError, McpServer, McpServerName, McpTransport};

impl ConfigFile {
    /// Adds a server of which no more is said than the way to it. Every other byte stays.
    ///
    /// # Errors
    /// There is one of this name, or the file would not be valid. On every error the file is unchanged.
    pub fn add_server(&self, server: &McpServer) -> Result<(), EditConfigError> {
        let name = &server.name;
        repeated(|| {
            let file = FileText::read(self.path(), self.layer())?;
            let origin = origin_of(&file.target, &file.bytes)?;
            let known = read(&origin)?.mcp.servers;
            if known.iter().any(|it| it.get_ref().name == *name) {
                let reason = format!("there is a server `{name}` already");
                return Err(EditConfigError::refused(Some("name"), reason, None));
            }
            let mut text = origin.text().to_owned();
            if !text.is_empty() {
                text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
            }
            text.push_str(&table(server));
            self.replace(&file, &origin, text)
        })
    }

    /// Returns whether there is a server of this name.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn has_server(&self, name: &McpServerName) -> Result<bool, EditConfigError> {
        let file = FileText::read(self.path(), self.layer())?;
        let origin = origin_of(&file.target, &file.bytes)?;
        let mut known = read(&origin)?.mcp.servers.into_iter();
        Ok(known.any(|it| it.get_ref().name == *name))
    }

    /// Takes a server out. Every other byte stays.
    ///
    /// # Errors
    /// There is none of this name, or it is not written as `[[mcp.servers]]`. On every error the file is unchanged.
    pub fn remove_server(&self, name: &str) -> Result<(), EditConfigError> {
        repeated(|| {
            let file = FileText::read(self.path(), self.layer())?;
            let origin = origin_of(&file.target, &file.bytes)?;
            let known = read(&origin)?.mcp.servers;
            let mut names = known.iter().map(|it| it.get_ref().name.as_str());
            let Some(at) = names.position(|it| it == name) else {
                let names = known.iter().map(|it| it.get_ref().name.as_str());
                let meant = nearest(name, names).map(str::to_owned);
                let reason = format!("there is no server `{name}` in {}", self.path().display());
                return Err(EditConfigError::refused(Some("name"), reason, meant));
            };
            let by_hand = || EditConfigError::Unsafe {
                path: self.path().to_owned(),
                table: "mcp.servers".to_owned(),
            };
            let text = without(origin.text(), at).ok_or_else(by_hand)?;
            if !is_without(origin.text(), &text, at) {
                return Err(by_hand());
            }
            self.replace(&file, &origin, text)
        })
    }

    fn replace(
        &self,
        file: &FileText,
        origin: &DocumentOrigin,
        text: String,
    ) -> Result<(), EditConfigError> {
        let after = DocumentOrigin::new(origin.path().to_owned(), text);
        check_change(self.layer(), origin, &after).map_err(|it| it.within(origin.text()))?;
        file.replace(after.text())
    }
}

/// The text without the server at this place in the list.
fn without(text: &str, at: usize) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let mcp = document.get_ref().get("mcp")?.get_ref().as_table()?;
    let server = mcp.get("servers")?.get_ref().as_array()?.get(at)?;
    let begin = line_start(text, server.span().start);
    if !text[begin..].starts_with("[[") {
        return None;
    }
    let end = line_end(text, end(server));
    // The empty line before it was made with it.
    let before = text[..begin].strip_suffix("\n\n");
    let kept = before.map_or(begin, |before| before.len() + 1);
    Some(format!("{}{}", &text[..kept], &text[end..]))
}

/// The place where a value ends, with the tables that have headers below it.
fn end(value: &Spanned<DeValue<'_>>) -> usize {
    let own = value.span().end;
    let table = value.get_ref().as_table();
    let inner = table.into_iter().flat_map(DeTable::iter);
    inner.map(|(_, value)| end(value)).fold(own, usize::max)
}

/// Returns whether the second text says what the first one says, but for this server.
fn is_without(before: &str, after: &str, at: usize) -> bool {
    let parsed = |text: &str| text.parse::<Table>().unwrap_or_default();
    let (mut expected, found) = (parsed(before), parsed(after));
    let Some(Value::Table(mcp)) = expected.get_mut("mcp") else {
        return false;
    };
    let Some(Value::Array(servers)) = mcp.get_mut("servers") else {
        return false;
    };
    if at < servers.len() {
        servers.remove(at);
    }
    if servers.is_empty() {
        mcp.remove("servers");
    }
    if mcp.is_empty() && found.get("mcp").is_none() {
        expected.remove("mcp");
    }
    expected == found
}

fn table(server: &McpServer) -> String {
    let mut lines = vec![("name", text(server.name.as_str()))];
    match &server.transport {
        McpTransport::Stdio(command) => {
            lines.push(("command", text(&command.program)));
            if !command.arguments.is_empty() {
                let arguments = command.arguments.iter().cloned().map(Value::String);
                lines.push(("args", Value::Array(arguments.collect()).to_string()));
            }
            let env = command.env.iter();
            let env = env.map(|(name, it)| (name.as_str(), it.as_str()));
            lines.extend(inline("env", env));
            let secret = command.secret_env.iter();
            let secret = secret.map(|(name, it)| (name.as_str(), it.as_str()));
            lines.extend(inline("secretEnv", secret));
        }
        McpTransport::Http(endpoint) => {
            lines.push(("url", text(&endpoint.url)));
            let headers = endpoint.headers.iter();
            let headers = headers.map(|(name, it)| (name.as_str(), it.as_str()));
            lines.extend(inline("headers", headers));
            let secret = endpoint.secret_headers.iter();
            let secret = secret.map(|(name, it)| (name.as_str(), it.as_str()));
            lines.extend(inline("secretHeaders", secret));
            if let Some(login) = &endpoint.login {
                lines.push(("auth", text("oauth")));
                let client = login.client.iter();
                lines.extend(client.clone().map(|it| ("clientId", text(&it.id))));
                let secret = client.filter_map(|it| it.secret.as_ref());
                lines.extend(secret.map(|it| ("clientSecretEnv", text(it.as_str()))));
            }
        }
    }
    let lines = lines
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"));
    format!("[[mcp.servers]]\n{}", lines.collect::<String>())
}

fn text(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// A table on one line; none if it is empty.
fn inline<'a>(
    key: &'static str,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<(&'static str, String)> {
    let pairs = pairs.map(|(name, value)| format!("{} = {}", text(name), text(value)));
    let pairs: Vec<String> = pairs.collect();
    (!pairs.is_empty()).then(|| (key, format!("{{ {} }}", pairs.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ConfigSource, McpEndpoint, McpLogin};

    const BEFORE: &str = "# mine\n[runtime]\nmaxSteps = 7 # few\n";

    #[test]
    fn a_server_is_read_back_as_it_was_written_and_taken_out_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, BEFORE).unwrap();
        let file = ConfigFile::user(&path);
        let pair = |name: &str, value: &str| [(name.to_owned(), value.to_owned())].into();
        let words = ["python3", "a \\ b", "it's \"x\"\n"].map(str::to_owned);
        let (env, secret) = (pair("A", "\"'"), pair("TOKEN", "DB_TOKEN"));
        let wanted = McpServer::of_command("db", &words, &env, &secret).unwrap();
        file.add_server(&wanted).unwrap();
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(kept.starts_with(BEFORE), "{kept}");
        let config = ConfigSource::open(&path).unwrap().current(None);
        assert_eq!(config.mcp.servers, std::slice::from_ref(&wanted));
        let again = file.add_server(&wanted).unwrap_err();
        assert!(again.to_string().contains("`db` already"), "{again}");
        file.remove_server("db").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), BEFORE);
        let gone = file.remove_server("db").unwrap_err();
        assert!(gone.to_string().contains("no server `db`"), "{gone}");
    }

    #[test]
    fn a_server_by_http_is_read_back_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let file = ConfigFile::user(&path);
        let pair = |name: &str, value: &str| [(name.to_owned(), value.to_owned())].into();
        let (plain, secret) = (pair("X-Team", "red \"1\""), pair("Authorization", "TOKEN"));
        let url = "https://mcp.example.com/mcp";
        let login = McpLogin::given(Some("it's \"us\""), Some("CLIENT_KEY")).unwrap();
        let mut wanted = McpServer::of_endpoint("far", url, &plain, &secret).unwrap();
        let endpoint = McpEndpoint::given(url, &plain, &secret, Some(login)).unwrap();
        wanted.transport = McpTransport::Http(endpoint);
        file.add_server(&wanted).unwrap();
        let config = ConfigSource::open(&path).unwrap().current(None);
        assert_eq!(config.mcp.servers, std::slice::from_ref(&wanted));
    }

    #[test]
    fn what_is_beside_a_server_stays_when_it_is_taken_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let text = "[[mcp.servers]]\nname = 'a'\ncommand = 'x'\n# of a\n[mcp.servers.env]\nA = '''\n[[mcp.servers]]\n'''\n\n\
                    # of b\n[[mcp.servers]]\nname = 'b'\ncommand = 'y'\n[tools]\npreset = 'all'\n";
        std::fs::write(&path, text).unwrap();
        let file = ConfigFile::user(&path);
        file.remove_server("a").unwrap();
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            after,
            "\n# of b\n[[mcp.servers]]\nname = 'b'\ncommand = 'y'\n[tools]\npreset = 'all'\n"
        );
        file.remove_server("b").unwrap();
        let after = std::fs::read_to_string(&path).unwrap();
        assert_eq!(after, "\n# of b\n[tools]\npreset = 'all'\n");
        let inline = "mcp.servers = [{ name = 'a', command = 'x' }]\n";
        std::fs::write(&path, inline).unwrap();
        let refused = file.remove_server("a").unwrap_err();
        assert!(refused.to_string().contains("by hand"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), inline);
    }
}

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXIT_CODES: &str = "\
Exit codes:
  0  success; for `check`: the files are valid
  1  `check`: a file is invalid; `get`: the key has no value
  2  wrong usage; `show` and `get`: no such key
  3  refused, and nothing was changed; or a file could not be read or written";

#[derive(Debug, Clone, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct ConfigArgs {
    /// The home directory [default: $SCOREL_HOME, or ~/.scorel]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    /// Write JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// The file of the project, .scorel/config.toml, instead of the user's (for set, unset and edit)
    #[arg(long, global = true)]
    pub(crate) project: bool,

    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting with its value and the line that it is from
    Show {
        /// Only keys that begin with this, such as `runtime`
        #[arg(value_name = "PREFIX")]
        prefix: Option<String>,
    },
    /// Print the value of a key
    Get {
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Set a key; the rest of the file stays as it is, byte for byte
    Set {
        #[arg(value_name = "KEY")]
        key: String,
        /// A value as TOML writes it, or a text
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
    /// Remove a key, so that its default applies
    Unset {
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// List all that is wrong with the files
    Check {
        /// Only this file, as if it were the user's
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Add the hooks of a settings file of Claude Code as `[[hooks]]`; those that are there already stay
    ImportHooks {
        /// The settings file [default: ~/.claude/settings.json]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Add an MCP server; nothing of it is started or asked
    AddServer(AddServerArgs),
    /// Show the MCP servers of Claude Code, Codex and Gemini, and of .mcp.json in the working directory, and what of them
    /// cannot be taken over
    ImportServers {
        /// Add them as `[[mcp.servers]]`; those that are there already stay. Secrets are named, and not copied
        #[arg(long)]
        write: bool,
    },
    /// Remove an MCP server
    RemoveServer {
        /// Its name
        #[arg(value_name = "SERVER")]
        name: String,
    },
    /// Open a copy of the file in $VISUAL or $EDITOR, and put it in place if it is valid
    Edit,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AddServerArgs {
    /// Its name: small letters, digits and `-`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// An environment variable that it gets
    #[arg(long, value_name = "VAR=VALUE", value_parser = pair)]
    pub(crate) env: Vec<(String, String)>,
    /// An environment variable that gets a secret, by the secret's name
    #[arg(long, value_name = "VAR=NAME", value_parser = pair)]
    pub(crate) secret_env: Vec<(String, String)>,
    /// The address of a server that is reached by HTTP
    #[arg(long, value_name = "URL", conflicts_with_all = ["env", "secret_env", "command"])]
    pub(crate) url: Option<String>,
    /// A header of each request
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, requires = "url")]
    pub(crate) header: Vec<(String, String)>,
    /// A header that has a secret, by the secret's name
    #[arg(long, value_name = "NAME=SECRET", value_parser = pair, requires = "url")]
    pub(crate) secret_header: Vec<(String, String)>,
    /// The server is logged in to by OAuth
    #[arg(long, requires = "url")]
    pub(crate) oauth: bool,
    /// The client's name at the authorization server, where it was registered by hand
    #[arg(long, value_name = "CLIENT", requires = "oauth")]
    pub(crate) client_id: Option<String>,
    /// The secret of that client, by the secret's name
    #[arg(long, value_name = "NAME", requires = "client_id")]
    pub(crate) client_secret_env: Option<String>,
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required_unless_present = "url", last = true)]
    pub(crate) command: Vec<String>,
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("expected a name, `=` and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

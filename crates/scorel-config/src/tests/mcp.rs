//! `[mcp]` of the user's file and of a project's.

use std::time::Duration;

use super::{user, with_project};
use crate::{Config, McpServer, McpShare, McpTransport};

const DB: &str = "[[mcp.servers]]\nname = 'db'\ncommand = 'db-server'\n";

#[test]
fn servers_are_kept_in_their_order_and_those_of_a_project_apart() {
    let own = format!(
        "[mcp]\ndisabled = ['web']\n{DB}args = ['--fast']\n\
         [[mcp.servers]]\nname = 'web'\ntransport = 'http'\nurl = 'https://example.org/mcp'\n\
         idleSeconds = 0\nshare = 'session'\n"
    );
    let config = user(&own).unwrap();
    let [db, web] = config.mcp.servers.as_slice() else {
        panic!("{:?}", config.mcp);
    };
    let McpTransport::Stdio(command) = &db.transport else {
        panic!("{db:?}");
    };
    assert_eq!(command.line(), "db-server --fast");
    assert_eq!(db.timeout, Duration::from_secs(60));
    assert_eq!(db.idle, Some(McpServer::IDLE));
    assert!(matches!(web.transport, McpTransport::Http(_)));
    assert_eq!((web.idle, web.share), (None, McpShare::Session));
    assert_eq!(config.mcp.disabled, std::slice::from_ref(&web.name));
    let config = with_project(&config, DB).unwrap();
    assert_eq!(config.mcp.project_servers.len(), 1);
    assert_eq!(config.mcp.servers.len(), 2);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    let config = with_project(&config, "[mcp]\ndisabled = ['db']\n").unwrap();
    assert_eq!(config.mcp.disabled.len(), 1, "a project turns nothing off");
    assert_eq!(config.warnings[0].key, "mcp.disabled");
}

#[test]
fn a_server_that_is_none_is_reported_with_its_place() {
    let more = |rest: &str| format!("[runtime]\n{DB}{rest}\n");
    let web = |rest: &str| {
        let entry = DB.replace("command = 'db-server'", "url = 'https://a.example/'");
        format!("{entry}{rest}\n")
    };
    for (text, said) in [
        (
            more("memory = 3"),
            ":5:10: `mcp.servers.memory`: invalid value",
        ),
        (more("timeoutSeconds = 0"), "a whole number from 1 to 3600"),
        (more("timeoutSecond = 3"), "did you mean `timeoutSeconds`?"),
        (
            more("transport = 'sse'"),
            "`mcp.servers.transport` cannot be `sse`",
        ),
        (more("transport = 'htpt'"), "did you mean `http`?"),
        (
            more("url = 'https://a.example/'"),
            ":2:1: `mcp.servers.transport`: it is missing",
        ),
        (
            more("transport = 'stdio'\nurl = 'https://a.example/'"),
            "`mcp.servers.url`: it is for `transport = \"http\"`",
        ),
        (
            more("transport = 'http'\nurl = 'https://a.example/'"),
            "`mcp.servers.command`: it is for `transport = \"stdio\"`",
        ),
        (more("cwd = 'here'"), "expected an absolute path"),
        (more("allow = ['a*b']"), "expected the name of a tool"),
        (
            more("env = { A = '1' }\nsecretEnv = { A = 'B' }"),
            "`A` is in `env` too",
        ),
        (
            more(DB),
            ":5:1: `mcp.servers.name`: there is another server `db`",
        ),
        (DB.replace("'db'", "'Db'"), "has small letters"),
        (
            DB.replace("'db-server'", "' '"),
            "`mcp.servers.command`: it is missing",
        ),
        (
            DB.replace("command = 'db-server'", "url = 'ftp://a'"),
            "`mcp.servers.url`: ",
        ),
        (
            DB.replace(
                "command = 'db-server'",
                "url = 'http://a/'\nheaders = { 'a b' = 'c' }",
            ),
            "is not the name of a header",
        ),
        (
            web("clientId = 'scorel'"),
            "`mcp.servers.clientId`: it is for `auth = \"oauth\"`",
        ),
        (
            web("auth = 'oauth'\nclientSecretEnv = 'KEY'"),
            "`mcp.servers.clientSecretEnv`: it is the secret of a `clientId`",
        ),
        (
            web("auth = 'oauth'\nclientId = \"a\\n\""),
            "`mcp.servers.clientId`: expected the name",
        ),
        (
            more("clientId = 'scorel'"),
            "`mcp.servers.clientId`: it is for `transport = \"http\"`",
        ),
    ] {
        let error = user(&text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
    let believing = format!("{DB}trustReadOnly = true\n");
    assert!(user(&believing).unwrap().mcp.servers[0].trust_read_only);
    let error = with_project(&Config::default(), &believing).unwrap_err();
    assert!(
        error.to_string().contains("only the user's file"),
        "{error}"
    );
}

//! A client for the protocol's conformance suite, which gives it the address of a server.
//!
//! It does what a turn would: it connects, lists the tools and calls those that the scenario names. Where a login is wanted it
//! plays the person with the browser.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};
use reqwest::header::LOCATION;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use scorel_mcp_client::{McpClient, McpPort, McpSettings, McpStart};
use scorel_mcp_http::HttpReach;
use scorel_oauth::{ClientNames, LoginAnswer, OAuth};
use serde_json::{Value, json};
use tokio::sync::watch;

/// The address to which the browser is sent.
const REDIRECT: &str = "http://127.0.0.1:49152/callback";

/// The document by which the suite's authorization server knows a client.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// The secret of the client that the suite has registered by hand.
const SECRET: &str = "CLIENT_SECRET";

/// Logins that are tried: servers ask for more rights at a call.
const MAX_LOGINS: usize = 3;

#[derive(Debug)]
struct ServerAt {
    url: String,
    reach: HttpReach,
}

impl McpPort for ServerAt {
    fn start(&self) -> BoxFuture<'_, Result<McpStart, String>> {
        let server = self.reach.server(&self.url, &[].into(), [], true);
        Box::pin(ready(server.map(|it| McpStart::Http(Box::new(it)))))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args()
        .next_back()
        .ok_or("an address is missing")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let home = tempfile::tempdir()?;
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    if let Some(secret) = context["client_secret"].as_str() {
        write_secret(home.path(), secret)?;
    }
    let reach = HttpReach::new(home.path());
    let oauth = Arc::clone(reach.oauth());
    let port = ServerAt {
        url: url.clone(),
        reach,
    };
    let settings = McpSettings {
        name: "server".to_owned(),
        trust_read_only: false,
        timeout: Duration::from_secs(5),
        idle: None,
    };
    let client = McpClient::new(settings, Arc::new(port), Arc::default());
    let mut logins = 0;
    loop {
        let failure = match work(&client, &scenario).await {
            Ok(()) => break,
            Err(failure) => failure,
        };
        if client.login().is_none() || logins == MAX_LOGINS {
            return Err(failure);
        }
        logins += 1;
        log_in(&oauth, &url, &context).await?;
        client.process().restart();
    }
    client.process().close().await;
    Ok(())
}

/// As a person writes it into the file for secrets.
fn write_secret(home: &Path, secret: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(home.join("env"))?;
    writeln!(file, "{SECRET}={secret}")
}

async fn work(client: &McpClient, scenario: &str) -> Result<(), Box<dyn Error>> {
    let listing = client.listing().await?;
    for tool in &listing.tools {
        let arguments: Value = match scenario {
            "tools_call" => json!({ "a": 5, "b": 3 }),
            _ => json!({}),
        };
        client
            .call(&tool.name, &arguments, false, watch::Sender::new(None))
            .await?;
    }
    Ok(())
}

/// Goes through a login as a person with a browser does.
async fn log_in(oauth: &OAuth, url: &str, context: &Value) -> Result<(), Box<dyn Error>> {
    let id = context["client_id"].as_str();
    let names = ClientNames {
        document: Some(DOCUMENT),
        id,
        secret: id.map(|_| SECRET),
    };
    let begun = oauth.begin(url, REDIRECT, names).await?;
    let browser = Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .tls_certs_only([])
        .build()?;
    let page = browser.get(&begun.url).send().await?;
    let place = page
        .headers()
        .get(LOCATION)
        .ok_or("the page sends the browser nowhere")?;
    let place = Url::parse(place.to_str()?)?;
    let parameter = |name: &str| {
        let mut pairs = place.query_pairs();
        pairs
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    };
    let answer = LoginAnswer {
        login_id: begun.login_id,
        code: parameter("code").ok_or("there is no code")?,
        state: parameter("state").unwrap_or_default(),
        issuer: parameter("iss"),
    };
    oauth.finish(&answer).await?;
    Ok(())
}

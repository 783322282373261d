//! Finding the authorization server of a resource.

use reqwest::{StatusCode, Url};
use serde::Deserialize;

use crate::challenge::Challenge;
use crate::checked_address::checked;
use crate::error::OAuthError;
use crate::http::OAuthHttp;
use crate::server_metadata::ServerMetadata;

/// A request that a server answers with its challenge, if it wants a login at all.
const PROBE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"scorel","version":"1"}}}"#;

/// A resource, with the server that gives tokens for it.
#[derive(Debug)]
pub(crate) struct Discovered {
    /// Its identifier, for which tokens are asked.
    pub(crate) resource: String,
    pub(crate) server: ServerMetadata,
    /// The scopes to ask for; `None` leaves that to the server.
    pub(crate) scope: Option<String>,
}

/// The description of a resource (RFC 9728).
#[derive(Debug, Deserialize)]
struct ResourceMetadata {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
}

/// Asks a resource for its challenge.
pub(crate) async fn probe(http: &OAuthHttp, url: &Url) -> Result<Challenge, OAuthError> {
    let answer = http.post_json(url, PROBE.to_owned()).await?;
    Ok(Challenge::of(&answer.headers))
}

/// Finds out who gives tokens for a resource.
pub(crate) async fn discover(
    http: &OAuthHttp,
    url: &Url,
    challenge: &Challenge,
) -> Result<Discovered, OAuthError> {
    let own = identifier(url);
    let Some(metadata) = resource_metadata(http, url, challenge).await? else {
        let server = server_metadata(http, &root(url)).await?;
        return Ok(Discovered {
            resource: own,
            server: server.unwrap_or_else(|| ServerMetadata::usual(url)),
            scope: challenge.scope.clone(),
        });
    };
    // A token for another resource would be of use to whoever described it so.
    if !covers(&metadata.resource, url) {
        let reason = format!(
            "the server describes itself as {}, which it is not",
            metadata.resource
        );
        return Err(OAuthError::Refused(reason));
    }
    let issuer = metadata.authorization_servers.first();
    let issuer = issuer.ok_or_else(|| refused("the server names no authorization server"))?;
    let server = server_metadata(http, issuer).await?;
    let server = server.ok_or_else(|| refused(&format!("{issuer} does not describe itself")))?;
    server.check()?;
    let supported = metadata.scopes_supported.map(|it| it.join(" "));
    let mut scope = challenge.scope.clone().or(supported);
    if server.offers_offline_access()
        && let Some(scope) = &mut scope
    {
        // Else some give no token to refresh with.
        scope.push_str(" offline_access");
    }
    Ok(Discovered {
        resource: metadata.resource,
        server,
        scope,
    })
}

async fn resource_metadata(
    http: &OAuthHttp,
    url: &Url,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, OAuthError> {
    let name = "oauth-protected-resource";
    let places = match &challenge.resource_metadata {
        Some(told) => vec![checked(told)?],
        None => vec![well_known(url, name, url.path()), well_known(url, name, "")],
    };
    for place in places {
        let answer = http.get(&place).await?;
        if !answer.status.is_client_error() {
            return answer.json("the description of the resource").map(Some);
        }
    }
    Ok(None)
}

/// The description of an authorization server; `None` if it has none.
async fn server_metadata(
    http: &OAuthHttp,
    issuer: &str,
) -> Result<Option<ServerMetadata>, OAuthError> {
    let url = checked(issuer)?;
    let (oauth, openid) = ("oauth-authorization-server", "openid-configuration");
    let path = url.path().trim_end_matches('/');
    let mut places = vec![
        well_known(&url, oauth, path),
        well_known(&url, openid, path),
    ];
    if !path.is_empty() {
        let mut appended = url.clone();
        appended.set_path(&format!("{path}/.well-known/{openid}"));
        places.push(appended);
    }
    for place in places {
        let answer = http.get(&place).await?;
        if answer.status == StatusCode::NOT_FOUND || answer.status.is_client_error() {
            continue;
        }
        let found: ServerMetadata = answer.json("the description of the authorization server")?;
        // Else a document of one server could send a login to another.
        if found.issuer.trim_end_matches('/') != issuer.trim_end_matches('/') {
            let reason = format!("{issuer} describes itself as {}", found.issuer);
            return Err(OAuthError::Refused(reason));
        }
        return Ok(Some(found));
    }
    Ok(None)
}

fn refused(reason: &str) -> OAuthError {
    OAuthError::Refused(reason.to_owned())
}

fn well_known(url: &Url, name: &str, path: &str) -> Url {
    let mut place = url.clone();
    let path = path.trim_end_matches('/');
    place.set_path(&format!("/.well-known/{name}{path}"));
    place.set_query(None);
    place.set_fragment(None);
    place
}

fn root(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The canonical address of a resource.
pub(crate) fn identifier(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}

/// Returns whether a resource is at the address, or above it at the same host.
fn covers(resource: &str, url: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let path = resource.path().trim_end_matches('/');
    let rest = url.path().strip_prefix(path);
    resource.origin() == url.origin() && rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn well_known_places_have_the_path_behind_them() {
        let place = well_known(&url("https://a.example/x/mcp?k=1"), "name", "/x/mcp");
        assert_eq!(place.as_str(), "https://a.example/.well-known/name/x/mcp");
        let root = well_known(&url("https://a.example/"), "name", "/");
        assert_eq!(root.as_str(), "https://a.example/.well-known/name");
    }

    #[test]
    fn a_resource_is_the_address_or_above_it() {
        for (resource, is_covered) in [
            ("https://a.example/mcp", true),
            ("https://a.example/mcp/", true),
            ("https://a.example", true),
            ("https://a.example/mc", false),
            ("https://b.example/mcp", false),
            ("https://a.example:8443/mcp", false),
            ("nothing", false),
        ] {
            assert_eq!(
                covers(resource, &url("https://a.example/mcp")),
                is_covered,
                "{resource}"
            );
        }
    }
}

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_engine::spawn_blocking;
use scorel_home::SecretStore;
use scorel_proto::ErrorChain;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::form_urlencoded::byte_serialize;

use crate::client_names::ClientNames;
use crate::error::OAuthError;
use crate::http::OAuthHttp;
use crate::server_metadata::ServerMetadata;

/// The name by which an authorization server knows this program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientIdentity {
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The name of a secret that is looked up at each use, and kept nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret_name: Option<String>,
    /// The secret goes in the header `Authorization`, and not in the form.
    #[serde(default)]
    is_in_header: bool,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

impl std::fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClientIdentity({})", self.id)
    }
}

impl ClientIdentity {
    /// One for a login: that of a registration by hand, else the address of a document about this program where such a
    /// one counts, else a registration.
    pub(crate) async fn new(
        http: &OAuthHttp,
        server: &ServerMetadata,
        names: ClientNames<'_>,
        redirect: &str,
        scope: Option<&str>,
    ) -> Result<Self, OAuthError> {
        if let Some(known) = Self::known(server, names) {
            return Ok(known);
        }
        let Some(place) = server.registration_endpoint()? else {
            let reason = format!(
                "{} registers no clients; register one there by hand, and give its name as `clientId` in the server's entry",
                server.issuer
            );
            return Err(OAuthError::Refused(reason));
        };
        let methods = &server.token_endpoint_auth_methods_supported;
        let method = match methods.first() {
            Some(first) if !methods.iter().any(|it| it == "none") => first,
            _ => "none",
        };
        let mut wanted = json!({
            "client_name": "Scorel",
            "application_type": "native",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        });
        if let Some(scope) = scope {
            wanted["scope"] = scope.into();
        }
        let answer = http.post_json(&place, wanted.to_string()).await?;
        let registered: Registered = answer.json("the registration")?;
        let method = registered.token_endpoint_auth_method;
        Ok(Self {
            id: registered.client_id,
            is_in_header: method.as_deref().unwrap_or(method_of(methods)) == "client_secret_basic",
            secret: registered.client_secret,
            secret_name: None,
        })
    }

    /// One that the server knows already.
    fn known(server: &ServerMetadata, names: ClientNames<'_>) -> Option<Self> {
        let document = names.document;
        let document = document.filter(|_| server.client_id_metadata_document_supported);
        let methods = &server.token_endpoint_auth_methods_supported;
        Some(Self {
            id: names.id.or(document)?.to_owned(),
            secret: None,
            secret_name: names.secret.map(str::to_owned),
            // A server that names no method takes this one, by RFC 8414.
            is_in_header: methods.is_empty()
                || methods.iter().any(|it| it == "client_secret_basic"),
        })
    }

    /// With its secret as it is now.
    pub(crate) async fn proven(&self, secrets: &Arc<SecretStore>) -> Result<Self, OAuthError> {
        let Some(name) = self.secret_name.clone() else {
            return Ok(self.clone());
        };
        let (store, of) = (Arc::clone(secrets), name.clone());
        let read = spawn_blocking(move || store.resolve(&of)).await;
        let read = read.map_err(|_| OAuthError::Storage("the secret was not read".to_owned()))?;
        let read = read.map_err(|error| OAuthError::Storage(ErrorChain(&error).to_string()))?;
        let file = secrets.file().display();
        let missing = || format!("the login needs the secret `{name}`: put `{name}=…` into {file}");
        Ok(Self {
            secret: Some(read.ok_or_else(|| OAuthError::Storage(missing()))?),
            ..self.clone()
        })
    }

    /// The fields by which the program names itself in a form.
    pub(crate) fn fields(&self) -> Vec<(&str, &str)> {
        let mut fields = Vec::new();
        if self.authorization().is_none() {
            fields.push(("client_id", self.id.as_str()));
            fields.extend(self.secret.as_deref().map(|it| ("client_secret", it)));
        }
        fields
    }

    /// The header by which it does.
    pub(crate) fn authorization(&self) -> Option<String> {
        let secret = self.secret.as_deref().filter(|_| self.is_in_header)?;
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.id), encoded(secret));
        Some(format!("Basic {}", STANDARD.encode(pair)))
    }
}

fn method_of(methods: &[String]) -> &str {
    methods.first().map_or("client_secret_post", String::as_str)
}

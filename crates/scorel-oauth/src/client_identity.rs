use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::form_urlencoded::byte_serialize;

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
    /// One for a login: the address of a document about this program where such a one counts, else a registration.
    pub(crate) async fn new(
        http: &OAuthHttp,
        server: &ServerMetadata,
        document: Option<&str>,
        redirect: &str,
        scope: Option<&str>,
    ) -> Result<Self, OAuthError> {
        if let Some(document) = document.filter(|_| server.client_id_metadata_document_supported) {
            return Ok(Self {
                id: document.to_owned(),
                secret: None,
                is_in_header: false,
            });
        }
        let Some(place) = server.registration_endpoint()? else {
            let reason = format!(
                "{} registers no clients; `mcp.clientDocument` may name the address of a document about this one",
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

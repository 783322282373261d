use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::Url;
use scorel_engine::spawn_blocking;
use scorel_home::{Home, SecretStore};
use tokio::time::Instant;

use crate::challenge::Challenge;
use crate::checked_address::checked;
use crate::client_identity::ClientIdentity;
use crate::client_names::ClientNames;
use crate::credentials::{Credential, CredentialFile};
use crate::discovery::{Discovered, discover, probe};
use crate::error::OAuthError;
use crate::grant::Grant;
use crate::http::OAuthHttp;
use crate::login::{BegunLogin, LoginAnswer, OpenLogin, OpenLogins};
use crate::pkce::{challenge, unguessable};

/// The logins of a daemon.
#[derive(Debug)]
pub struct OAuth {
    http: OAuthHttp,
    file: Arc<CredentialFile>,
    secrets: Arc<SecretStore>,
    open: Mutex<OpenLogins>,
    known: Mutex<BTreeMap<String, Arc<KnownLogin>>>,
}

/// The login to one address, as it is known.
#[derive(Debug, Default)]
struct KnownLogin {
    /// Held while tokens are read or asked for, so that all who wait for one share it.
    credential: tokio::sync::Mutex<Option<Option<Credential>>>,
    challenge: Mutex<Option<Challenge>>,
}

impl OAuth {
    pub fn new(home: &Path) -> Self {
        Self {
            http: OAuthHttp::new(),
            file: Arc::new(CredentialFile::new(home)),
            secrets: Arc::new(SecretStore::new(Home::unopened(home).env())),
            open: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// The token for an address, refreshed if its time is over; `None` before a login.
    ///
    /// # Errors
    /// The login is over, or cannot be renewed now.
    pub async fn token(self: &Arc<Self>, url: &str) -> Result<Option<String>, OAuthError> {
        self.token_but(url, None).await
    }

    /// The token after `refused` was: another that is known by now, or a new one.
    ///
    /// # Errors
    /// As [`Self::token`].
    pub async fn token_after(
        self: &Arc<Self>,
        url: &str,
        refused: &str,
    ) -> Result<Option<String>, OAuthError> {
        self.token_but(url, Some(refused)).await
    }

    async fn token_but(
        self: &Arc<Self>,
        url: &str,
        refused: Option<&str>,
    ) -> Result<Option<String>, OAuthError> {
        let (oauth, url) = (Arc::clone(self), url.to_owned());
        let refused = refused.map(str::to_owned);
        // Not dropped with a call that is cancelled: the new tokens would be lost, and the old ones are void.
        let asked = tokio::spawn(async move { oauth.token_now(&url, refused.as_deref()).await });
        let lost = |_| Err(OAuthError::Unreachable("the token was not read".to_owned()));
        asked.await.unwrap_or_else(lost)
    }

    async fn token_now(
        &self,
        url: &str,
        refused: Option<&str>,
    ) -> Result<Option<String>, OAuthError> {
        let known = self.known(url);
        let mut held = known.credential.lock().await;
        let Some(credential) = self.read(url, &mut held).await? else {
            return Ok(None);
        };
        let Some(grant) = &credential.grant else {
            return Err(OAuthError::LoginNeeded("the login is over".to_owned()));
        };
        if !grant.has_expired() && Some(grant.access_token.as_str()) != refused {
            return Ok(Some(grant.access_token.clone()));
        }
        let renewed = self.renewed(&credential).await;
        let grant = match renewed {
            Err(OAuthError::LoginNeeded(_)) => None,
            Err(error) => return Err(error),
            Ok(ref grant) => Some(grant.clone()),
        };
        let token = grant.as_ref().map(|it| it.access_token.clone());
        let credential = Credential {
            grant,
            ..credential
        };
        *held = Some(Some(credential.clone()));
        self.keep(credential).await?;
        renewed.map(|_| token)
    }

    /// Notes the challenge with which an address has refused a request: the next login answers it.
    pub fn challenged(&self, url: &str, challenge: Challenge) {
        let known = self.known(url);
        *known.challenge() = Some(challenge);
    }

    /// Begins a login to an address, under one of these names or one that is new.
    ///
    /// # Errors
    /// No authorization server is found, or none that is safe; or it is another than before.
    pub async fn begin(
        &self,
        url: &str,
        redirect: &str,
        names: ClientNames<'_>,
    ) -> Result<BegunLogin, OAuthError> {
        let address = checked(url)?;
        checked(redirect)?;
        let known = self.known(url);
        let noted = known.challenge().clone();
        let asked = match noted {
            Some(challenge) => challenge,
            None => probe(&self.http, &address).await?,
        };
        let found = discover(&self.http, &address, &asked).await?;
        let before = self.read(url, &mut *known.credential.lock().await).await?;
        if let Some(before) = before
            .as_ref()
            .filter(|it| it.issuer != found.server.issuer)
        {
            return Err(OAuthError::Refused(format!(
                "{} gave the tokens until now, and {} wants to: log out first if that is right",
                before.issuer, found.server.issuer
            )));
        }
        let granted = before.and_then(|it| it.grant?.scope);
        let scope = united(
            found.scope.as_deref(),
            granted.filter(|_| asked.wants_more()),
        );
        self.open_login(url, redirect, names, found, scope).await
    }

    async fn open_login(
        &self,
        url: &str,
        redirect: &str,
        names: ClientNames<'_>,
        found: Discovered,
        scope: Option<String>,
    ) -> Result<BegunLogin, OAuthError> {
        let Discovered {
            resource, server, ..
        } = found;
        let scope = scope.as_deref();
        let client = ClientIdentity::new(&self.http, &server, names, redirect, scope).await?;
        // Said before a person goes to the page.
        client.proven(&self.secrets).await?;
        let login = OpenLogin {
            id: unguessable(),
            began: Instant::now(),
            url: url.to_owned(),
            resource,
            names_issuer: server.authorization_response_iss_parameter_supported,
            token_endpoint: server.token_endpoint()?,
            client,
            redirect: redirect.to_owned(),
            state: unguessable(),
            verifier: unguessable(),
            issuer: server.issuer.clone(),
        };
        let page = page(server.authorization_endpoint()?, &login, scope);
        let begun = BegunLogin {
            login_id: login.id.clone(),
            url: page.into(),
        };
        lock(&self.open).add(login);
        Ok(begun)
    }

    /// Ends a login with the answer of the browser. Returns the address that it is for.
    ///
    /// # Errors
    /// The answer is not one to this login, or there is no token for it.
    pub async fn finish(&self, answer: &LoginAnswer) -> Result<String, OAuthError> {
        let login = lock(&self.open).take(&answer.login_id)?;
        login.check(answer)?;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", answer.code.as_str()),
            ("redirect_uri", login.redirect.as_str()),
            ("code_verifier", login.verifier.as_str()),
            ("resource", login.resource.as_str()),
        ];
        let client = login.client.proven(&self.secrets).await?;
        form.extend(client.fields());
        let authorization = client.authorization();
        let answer = self
            .http
            .post_form(&login.token_endpoint, &form, authorization);
        let grant = Grant::read(&answer.await?, None)?;
        let credential = Credential {
            url: login.url.clone(),
            resource: login.resource,
            issuer: login.issuer,
            token_endpoint: login.token_endpoint.into(),
            client: login.client,
            grant: Some(grant),
        };
        let known = self.known(&login.url);
        let mut held = known.credential.lock().await;
        self.keep(credential.clone()).await?;
        *held = Some(Some(credential));
        *known.challenge() = None;
        Ok(login.url)
    }

    /// Forgets the login to an address, and returns whether there was one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub async fn logout(&self, url: &str) -> Result<bool, OAuthError> {
        let known = self.known(url);
        let mut held = known.credential.lock().await;
        let (file, of) = (Arc::clone(&self.file), url.to_owned());
        let was = stored(spawn_blocking(move || file.forget(&of)).await)?;
        *held = Some(None);
        Ok(was)
    }

    async fn renewed(&self, credential: &Credential) -> Result<Grant, OAuthError> {
        let before = credential.grant.as_ref();
        let Some(refresh) = before.and_then(|it| it.refresh_token.as_deref()) else {
            return Err(OAuthError::LoginNeeded("the login is over".to_owned()));
        };
        let mut form = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
            ("resource", credential.resource.as_str()),
        ];
        let client = credential.client.proven(&self.secrets).await?;
        form.extend(client.fields());
        let (place, authorization) = (checked(&credential.token_endpoint)?, client.authorization());
        let answer = self.http.post_form(&place, &form, authorization).await?;
        Grant::read(&answer, before)
    }

    async fn read(
        &self,
        url: &str,
        held: &mut Option<Option<Credential>>,
    ) -> Result<Option<Credential>, OAuthError> {
        if let Some(known) = held {
            return Ok(known.clone());
        }
        let (file, of) = (Arc::clone(&self.file), url.to_owned());
        let read = stored(spawn_blocking(move || file.of(&of)).await)?;
        *held = Some(read.clone());
        Ok(read)
    }

    async fn keep(&self, credential: Credential) -> Result<(), OAuthError> {
        let file = Arc::clone(&self.file);
        stored(spawn_blocking(move || file.keep(credential)).await)
    }

    fn known(&self, url: &str) -> Arc<KnownLogin> {
        Arc::clone(lock(&self.known).entry(url.to_owned()).or_default())
    }
}

impl KnownLogin {
    fn challenge(&self) -> MutexGuard<'_, Option<Challenge>> {
        lock(&self.challenge)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stored<T, E>(done: Result<Result<T, OAuthError>, E>) -> Result<T, OAuthError> {
    done.unwrap_or_else(|_| {
        Err(OAuthError::Storage(
            "the credentials were not kept".to_owned(),
        ))
    })
}

/// The scopes of two texts, each once.
fn united(one: Option<&str>, other: Option<String>) -> Option<String> {
    let Some(other) = other else {
        return one.map(str::to_owned);
    };
    let mut scopes: Vec<&str> = other.split_whitespace().collect();
    for scope in one.unwrap_or_default().split_whitespace() {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Some(scopes.join(" "))
}

/// The page on which a person logs in.
fn page(mut url: Url, login: &OpenLogin, scope: Option<&str>) -> Url {
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &login.client.id)
        .append_pair("redirect_uri", &login.redirect)
        .append_pair("state", &login.state)
        .append_pair("code_challenge", &challenge(&login.verifier))
        .append_pair("code_challenge_method", "S256")
        .append_pair("resource", &login.resource);
    if let Some(scope) = scope {
        url.query_pairs_mut().append_pair("scope", scope);
    }
    url
}

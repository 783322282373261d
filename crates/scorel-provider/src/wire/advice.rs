//! Hints for failed calls, for users.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::{ErrorCategory, ProviderError};

use super::ModelEndpoint;
use crate::Retirement;
use crate::http::error_text;

/// Below this Jaro-Winkler similarity a name is not suggested as the one that was meant.
const SIMILAR: f64 = 0.75;
/// The number of names that are suggested at most.
const MOST_NAMES: usize = 3;

/// The models that an endpoint serves.
pub(crate) trait ServedModels: Debug + Send + Sync {
    /// Their ids, from the endpoint where it lists them, else from the built-in table.
    fn ids(&self) -> BoxFuture<'_, Vec<String>>;
}

/// Facts for the hint of a failed call.
#[derive(Debug, Clone)]
pub(crate) struct CallAdvice {
    /// The environment variables that conventionally carry the key.
    pub(crate) key_variables: &'static [&'static str],
    pub(crate) models: Arc<dyn ServedModels>,
    /// The table's entry about the end of the model.
    pub(crate) retirement: Option<Retirement>,
}

impl CallAdvice {
    /// The error with a hint, unless it has one or nothing is known to help. Asks the endpoint for
    /// its models if it does not know the one that was named.
    pub(super) async fn with_names<D>(
        &self,
        endpoint: &ModelEndpoint<D>,
        error: ProviderError,
    ) -> ProviderError {
        if error.category != ErrorCategory::NotFound || error.hint.is_some() {
            return self.at_once(endpoint, error);
        }
        let hint = match &self.retirement {
            Some(retirement) => retired_model(&endpoint.model.id, retirement),
            None => unknown_model(&endpoint.model.id, &self.models.ids().await),
        };
        // The names are the endpoint's.
        let hint = Some(error_text(&hint, endpoint.key.as_ref()));
        ProviderError { hint, ..error }
    }

    /// The same without a question to the endpoint.
    pub(super) fn at_once<D>(
        &self,
        endpoint: &ModelEndpoint<D>,
        error: ProviderError,
    ) -> ProviderError {
        let hint = error.hint.clone().or_else(|| self.hint(endpoint, &error));
        ProviderError { hint, ..error }
    }

    fn hint<D>(&self, endpoint: &ModelEndpoint<D>, error: &ProviderError) -> Option<String> {
        let model = &endpoint.model;
        Some(match (error.category, error.status) {
            (ErrorCategory::Auth, Some(403)) => format!(
                "the key is not allowed to do this: check the account's permissions and region, and \
                 whether it may use {}",
                model.id
            ),
            (ErrorCategory::Auth, _) if endpoint.key.is_none() => {
                format!("no key was sent: set one{}", self.variables())
            }
            (ErrorCategory::Auth, _) => {
                format!("the key was not accepted: check it{}", self.variables())
            }
            (ErrorCategory::Quota, _) => format!(
                "the account's quota or credit at {} is used up: raise it there, or use another model",
                model.provider
            ),
            (ErrorCategory::ContextOverflow, _) => format!(
                "the conversation is longer than {} takes (taken to be {} tokens): go on in a new \
                 session, or use a model with a larger context window",
                model.id, model.context_window
            ),
            (ErrorCategory::NotFound, _) => unknown_model(&model.id, &[]),
            _ => return None,
        })
    }

    fn variables(&self) -> String {
        match self.key_variables {
            [] => String::new(),
            variables => format!(" in {}", variables.join(" or ")),
        }
    }
}

/// The endpoint may have switched it off before the day that it announced.
fn retired_model(model: &str, retirement: &Retirement) -> String {
    let (on, successor) = (retirement.on, retirement.successor.as_deref());
    let then = successor.map_or_else(String::new, |id| format!("; use {id} instead"));
    format!("{model} was announced to be retired on {on}{then}")
}

fn unknown_model(wanted: &str, served: &[String]) -> String {
    let names = nearest(wanted, served);
    if served.iter().any(|id| id == wanted) {
        format!("{wanted} is listed there, but the account may not be allowed to use it")
    } else if names.is_empty() {
        format!("check the model's id, {wanted}, and the base URL")
    } else {
        format!(
            "{wanted} is not known there; the nearest names are {}",
            names.join(", ")
        )
    }
}

/// The most similar names, the best first. Versions of one family come before other names: ids begin
/// with the family.
fn nearest<'a>(wanted: &str, served: &'a [String]) -> Vec<&'a str> {
    let wanted = wanted.to_ascii_lowercase();
    let rated = served.iter().map(|id| {
        let lower = id.to_ascii_lowercase();
        let pairs = wanted.bytes().zip(lower.bytes());
        let shared = pairs.take_while(|(one, other)| one == other).count();
        (shared, strsim::jaro_winkler(&wanted, &lower), id.as_str())
    });
    let mut rated: Vec<_> = rated
        .filter(|(_, similarity, _)| *similarity > SIMILAR)
        .collect();
    rated.sort_by(
        |(shared, similarity, _), (other_shared, other_similarity, _)| {
            let by_family = other_shared.cmp(shared);
            by_family.then(other_similarity.total_cmp(similarity))
        },
    );
    rated.truncate(MOST_NAMES);
    rated.into_iter().map(|(.., id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::{retired_model, unknown_model};
    use crate::Retirement;

    #[test]
    fn a_retired_model_has_a_successor() {
        let retirement = Retirement {
            on: jiff::civil::date(2026, 5, 15),
            successor: Some("grok-4.3".to_owned()),
        };
        assert_eq!(
            retired_model("grok-3", &retirement),
            "grok-3 was announced to be retired on 2026-05-15; use grok-4.3 instead"
        );
    }

    #[test]
    fn the_nearest_names_are_suggested() {
        let served = ["gpt-5.5", "gpt-5.5-mini", "gpt-4.1", "o3", "whisper-1"].map(str::to_owned);
        let hint = unknown_model("gpt-5.6", &served);
        assert!(
            hint.ends_with("the nearest names are gpt-5.5, gpt-5.5-mini, gpt-4.1"),
            "{hint}"
        );
        let hint = unknown_model("claude", &served);
        assert!(hint.contains("base URL"), "{hint}");
        let hint = unknown_model("o3", &served);
        assert!(hint.contains("may not be allowed"), "{hint}");
    }
}

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use scorel_proto::{ClientId, ClientName};

/// The most names that are kept; of more, those that were given last.
const MAX_NAMES: usize = 64;

/// The names that clients gave since the daemon started.
#[derive(Debug, Default)]
pub(crate) struct ClientNames(Mutex<VecDeque<ClientName>>);

impl ClientNames {
    pub(crate) fn list(&self) -> Vec<ClientName> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.iter().cloned().collect()
    }

    /// Gives a client a name. `tell` gets all names if that changed one, in the order of the changes.
    pub(crate) fn set(
        &self,
        client_id: ClientId,
        name: String,
        tell: impl FnOnce(Vec<ClientName>),
    ) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let given = ClientName { client_id, name };
        if names.contains(&given) {
            return;
        }
        names.retain(|known| known.client_id != client_id);
        names.push_back(given);
        if names.len() > MAX_NAMES {
            names.pop_front();
        }
        tell(names.iter().cloned().collect());
    }
}

use super::SessionState;

/// Codes of notices that are remembered. A daemon has a handful.
const MAX_NOTICES: usize = 64;

impl SessionState {
    /// Remembers what the user was told.
    pub(super) fn noticed(&mut self, code: &str) {
        let is_known = self.notices.iter().any(|known| known == code);
        if !is_known && self.notices.len() < MAX_NOTICES {
            self.notices.push(code.to_owned());
        }
    }
}

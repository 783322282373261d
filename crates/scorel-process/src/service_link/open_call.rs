use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;
use serde_json::value::to_raw_value;

use super::ServiceLink;

/// Counts a call, and withdraws it if it is dropped without an answer.
pub(super) struct OpenCall<'a> {
    link: &'a ServiceLink,
    id: AtomicU64,
    is_sent: AtomicBool,
    is_answered: AtomicBool,
}

impl<'a> OpenCall<'a> {
    pub(super) fn new(link: &'a ServiceLink) -> Self {
        link.calls.fetch_add(1, Ordering::AcqRel);
        Self {
            link,
            id: AtomicU64::new(0),
            is_sent: AtomicBool::new(false),
            is_answered: AtomicBool::new(false),
        }
    }

    pub(super) fn sent(&self, id: u64) {
        self.id.store(id, Ordering::Release);
        self.is_sent.store(true, Ordering::Release);
    }

    pub(super) fn answered(&self) {
        self.is_answered.store(true, Ordering::Release);
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.is_sent.load(Ordering::Acquire) && !self.is_answered.load(Ordering::Acquire) {
            let params = to_raw_value(&json!({ "id": self.id.load(Ordering::Acquire) }));
            // Without room the process does not read, and would not see this either.
            let _told = params.is_ok_and(|it| self.link.notify("$/cancelRequest", &it));
        }
        self.link.touch();
        self.link.calls.fetch_sub(1, Ordering::AcqRel);
    }
}

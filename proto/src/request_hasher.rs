use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{BlobHash, Message, RequestProof};

/// Computes the hash of a request, one message after the other. A clone goes on from where it was made, so a
/// request that extends another one costs its new messages.
#[derive(Debug, Clone)]
pub struct RequestHasher {
    digest: Sha256,
    tools: BlobHash,
}

impl RequestHasher {
    /// Begins with what a request begins with.
    pub fn new(system: &str, tools: &BlobHash) -> Self {
        let mut hasher = Self {
            digest: Sha256::new(),
            tools: tools.clone(),
        };
        hasher.line(system);
        hasher.digest.update(tools.as_str());
        hasher.digest.update(b"\n");
        hasher
    }

    /// Adds the next message of the context.
    pub fn add(&mut self, message: &Message) {
        self.line(message);
    }

    /// The proof of the request with the messages so far.
    pub fn proof(&self) -> RequestProof {
        let mut request_sha256 = String::with_capacity(64);
        for byte in self.digest.clone().finalize() {
            write!(request_sha256, "{byte:02x}").expect("a string takes everything");
        }
        RequestProof {
            request_sha256,
            tool_set_digest: self.tools.clone(),
        }
    }

    fn line(&mut self, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(&mut self.digest, value).expect("its keys are strings");
        self.digest.update(b"\n");
    }
}

#[cfg(test)]
mod tests {
    use super::RequestHasher;
    use crate::{BlobHash, Message};

    fn tools() -> BlobHash {
        "a".repeat(64).parse().expect("64 digits")
    }

    fn hash(system: &str, messages: &[&str]) -> String {
        let mut hasher = RequestHasher::new(system, &tools());
        for text in messages {
            hasher.add(&Message::user(*text));
        }
        hasher.proof().request_sha256
    }

    #[test]
    fn the_hash_is_that_of_the_lines() {
        let lines = format!(
            "\"Be \\\"brief\\\".\"\n{}\n{}\n",
            tools(),
            r#"{"role":"user","content":[{"type":"text","text":"Hi"}]}"#
        );
        let expected = <sha2::Sha256 as sha2::Digest>::digest(lines.as_bytes());
        let expected: String = expected.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash("Be \"brief\".", &["Hi"]), expected);
    }

    #[test]
    fn every_part_counts_and_none_runs_into_the_next() {
        let all = [
            hash("a", &["b", "c"]),
            hash("a", &["bc"]),
            hash("a", &["c", "b"]),
            hash("ab", &["c"]),
            hash("a", &["b"]),
            hash("", &["b"]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
    }

    #[test]
    fn a_clone_goes_on() {
        let mut first = RequestHasher::new("a", &tools());
        first.add(&Message::user("b"));
        let mut second = first.clone();
        second.add(&Message::user("c"));
        assert_eq!(first.proof().request_sha256, hash("a", &["b"]));
        assert_eq!(second.proof().request_sha256, hash("a", &["b", "c"]));
    }
}

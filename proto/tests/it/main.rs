//! Tests of the protocol as other programs see it: the JSON of every type, the schemas, the manual.

#![expect(clippy::unwrap_used, reason = "a test fails where its assumption does")]

mod decode;
mod golden;
mod goldens;
mod manual;
mod openrpc;
mod samples;

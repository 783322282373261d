//! Tests of the protocol as other programs see it: the JSON of every type, the schemas, and the pages
//! that describe them.

#![expect(clippy::unwrap_used, reason = "a test fails where its assumption does")]

mod clients;
mod decode;
mod estimate;
mod golden;
mod goldens;
mod limits;
mod links;
mod manual;
mod openrpc;
mod recipes;
mod samples;

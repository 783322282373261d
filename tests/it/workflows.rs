//! Workflow packages: checked, added, imported, listed.

mod import;
mod verbs;

use scorel_testkit::DaemonUnderTest;

use crate::under_test::scorelctl;

pub(crate) use import::published;

/// `scorelctl workflow`: true for success, and what it said.
async fn workflow(daemon: &DaemonUnderTest, arguments: &[&str]) -> (bool, String) {
    let arguments = [&["workflow"], arguments].concat();
    let done = scorelctl(daemon, &arguments, &[]).await;
    let text = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(text).unwrap())
}

//! Putting right what was found. Nothing here runs while a daemon may.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::finding::{Finding, Repair};
use crate::receipts;
use crate::report::Failure;
use crate::rewrite;

/// What became of the findings that can be repaired.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) repaired: Vec<Finding>,
    pub(crate) failures: Vec<Failure>,
}

/// Repairs what can be repaired. Findings with the same repair of the same file need it once.
pub(crate) fn repair(mut found: Vec<Finding>) -> Done {
    found.retain(|finding| finding.repair.is_some());
    found.sort_by_key(|finding| finding.repair.as_ref().map(rank));
    let mut done = Done::default();
    let mut tried = HashMap::new();
    for finding in found {
        let Some(repair) = finding.repair.clone() else {
            continue;
        };
        let key = (finding.path.clone(), rank(&repair));
        let succeeded = *tried.entry(key).or_insert_with(|| {
            let result = apply(&repair, &finding);
            let failed = result.err().map(|reason| Failure {
                path: finding.path.clone(),
                reason,
            });
            let succeeded = failed.is_none();
            done.failures.extend(failed);
            succeeded
        });
        if succeeded {
            done.repaired.push(finding);
        }
    }
    done
}

/// What can be read after a repair comes after it.
const fn rank(repair: &Repair) -> u8 {
    match repair {
        Repair::SetMode(_) => 0,
        Repair::MoveTail => 1,
        Repair::RewriteLog => 2,
        Repair::RewriteReceipts => 3,
        Repair::Remove => 4,
        Repair::RemoveDirectory => 5,
    }
}

fn apply(repair: &Repair, finding: &Finding) -> Result<(), String> {
    let path = &finding.path;
    let text = |error: std::io::Error| error.to_string();
    match repair {
        Repair::SetMode(mode) => {
            fs::set_permissions(path, Permissions::from_mode(*mode)).map_err(text)
        }
        Repair::Remove => remove(path).map_err(text),
        Repair::RemoveDirectory => fs::remove_dir(path).map_err(text),
        Repair::RewriteReceipts => receipts::rewrite(path).map_err(text),
        Repair::MoveTail => rewrite::move_tail(path),
        Repair::RewriteLog => match finding.session {
            Some(id) => rewrite::rewrite_log(path, id),
            None => Err("it belongs to no session".to_owned()),
        },
    }
}

/// A repair before this one may have removed it.
fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

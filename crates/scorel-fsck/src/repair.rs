//! Applies repairs. The caller holds the home's lock, so no daemon runs.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use scorel_journal::if_present;

use crate::finding::{Finding, Repair};
use crate::receipts;
use crate::report::RepairFailure;
use crate::rewrite;

/// The outcome of one pass of repairs.
#[derive(Debug, Default)]
pub(crate) struct RepairOutcome {
    pub(crate) repaired: Vec<Finding>,
    pub(crate) failures: Vec<RepairFailure>,
}

/// Applies the repairs of the findings, each repair once per file.
pub(crate) fn repair(mut found: Vec<Finding>) -> RepairOutcome {
    found.retain(|finding| finding.repair.is_some());
    found.sort_by_key(|finding| finding.repair.as_ref().map(rank));
    let mut done = RepairOutcome::default();
    let mut tried = HashMap::new();
    for finding in found {
        let Some(repair) = finding.repair.clone() else {
            continue;
        };
        let key = (finding.path.clone(), rank(&repair));
        let succeeded = *tried.entry(key).or_insert_with(|| {
            let result = apply(&repair, &finding);
            let failed = result.err().map(|reason| RepairFailure {
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

/// The order of repairs: a file must be readable before it is rewritten, and rewritten before something next to
/// it is removed.
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
        // An earlier repair may have removed it.
        Repair::Remove => if_present(fs::remove_file(path)).map(drop).map_err(text),
        Repair::RemoveDirectory => fs::remove_dir(path).map_err(text),
        Repair::RewriteReceipts => receipts::rewrite(path).map_err(text),
        Repair::MoveTail => rewrite::move_tail(path),
        Repair::RewriteLog => match finding.session {
            Some(id) => rewrite::rewrite_log(path, id),
            None => Err("the log belongs to no session".to_owned()),
        },
    }
}

//! Restores of files: clients begin them, a job carries them out.
//!
//! In: a record that says which files get which state. Out: the record of its end. Everything that the job
//! needs is in the first record, so a daemon that finds one without an end does the same again.

mod begin;
mod cancelled;
mod commands;
mod plan;
mod task;

pub use begin::{BegunRestore, RestoreChoice, RestorePoint};

use crate::SessionError;
use crate::lane::{Section, SessionFeature};
use task::RestoreJob;

/// Restores, as the sessions know them.
#[derive(Debug)]
pub(crate) struct Restores;

impl SessionFeature for Restores {
    fn recover(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let Some(restore) = section.view().state.restore else {
            return Ok(());
        };
        if !restore.cancelled {
            // A restore that shows no progress is carried out all the same.
            let _not_shown = section.reserve_for_progress();
        }
        section.begin_job(Box::new(RestoreJob(restore)));
        if restore.cancelled {
            section.cancel_job();
        }
        Ok(())
    }
}

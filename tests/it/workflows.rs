//! Workflow packages: checked, added, listed.

mod verbs;

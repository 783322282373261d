//! Items for people: their states, and how their files differ from those that were trusted.

use scorel_proto::{ItemContent, TrustFile, TrustItem, TrustState, TrustedFileChange};

use super::canonical;
use super::item_files::ItemFiles;
use super::project_item::ProjectItem;
use super::store::ItemIdentity;
use super::trust_entry::{TrustEntry, TrustedItems};

/// Files of an item in a reply.
const MAX_SHOWN: usize = 200;

/// An item as it is now. Reads its files.
pub(super) fn item(trusted: &TrustedItems, it: &ProjectItem) -> TrustItem {
    let entry = trusted.get(&it.item);
    let config = it.config.as_ref().map(canonical::digest);
    let scanned = match it.obstacle() {
        Some(obstacle) => Err(obstacle),
        None => ItemFiles::scan(&it.source),
    };
    let identity = ItemIdentity {
        item: &it.item,
        config: config.as_deref(),
    };
    let (digest, mut problem) = match &scanned {
        Ok(files) => (Some(identity.digest(files)), None),
        Err(problem) => (None, Some(problem.clone())),
    };
    let state = match entry {
        _ if it.is_shadowed => TrustState::Shadowed,
        None => TrustState::Untrusted,
        Some(entry) if digest.as_ref() == Some(&entry.digest) => TrustState::Trusted,
        Some(_) => TrustState::Changed,
    };
    if it.is_shadowed {
        problem =
            Some("you have one of this name, which the project's does not replace".to_owned());
    }
    let files = scanned.unwrap_or_default();
    let is_changed = state == TrustState::Changed;
    let mut shown = match entry {
        Some(entry) if is_changed => changes(&entry.files, &files),
        _ => unchanged(&files),
    };
    let more_files = shown.len().saturating_sub(MAX_SHOWN) as u64;
    shown.truncate(MAX_SHOWN);
    TrustItem {
        item: it.item.clone(),
        state,
        path: it.source.path().display().to_string(),
        digest: digest.filter(|_| problem.is_none()),
        files: shown,
        more_files,
        config_changed: is_changed && entry.is_some_and(|entry| entry.config != config),
        content: it.content.clone(),
        problem,
    }
}

/// An item that was trusted and that the project does not have any more.
pub(super) fn gone(item: &str, entry: &TrustEntry) -> TrustItem {
    TrustItem {
        item: item.to_owned(),
        state: TrustState::Changed,
        path: String::new(),
        digest: None,
        files: Vec::new(),
        more_files: 0,
        config_changed: entry.config.is_some(),
        content: ItemContent::default(),
        problem: Some("the project does not have it any more".to_owned()),
    }
}

fn unchanged(files: &ItemFiles) -> Vec<TrustFile> {
    let file = |path: &String| TrustFile {
        path: path.clone(),
        change: None,
    };
    files.0.keys().map(file).collect()
}

fn changes(before: &ItemFiles, now: &ItemFiles) -> Vec<TrustFile> {
    let mut changes = Vec::new();
    let mut add = |path: &String, change| {
        changes.push(TrustFile {
            path: path.clone(),
            change: Some(change),
        });
    };
    for (path, file) in &now.0 {
        match before.0.get(path) {
            None => add(path, TrustedFileChange::Added),
            Some(known) if known != file => add(path, TrustedFileChange::Modified),
            Some(_) => {}
        }
    }
    let removed = before.0.keys().filter(|path| !now.0.contains_key(*path));
    for path in removed {
        add(path, TrustedFileChange::Removed);
    }
    changes
}

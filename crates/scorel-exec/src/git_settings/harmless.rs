//! Settings that run no program, name no file that git obeys, and lead no work tree elsewhere.
//!
//! Listed is what is harmless and not what is dangerous: every version of git has more of that.

/// Sections with their harmless keys.
const HARMLESS: [(&str, &[&str]); 21] = [
    ("author", &["email", "name"]),
    (
        "branch",
        &["description", "merge", "pushremote", "rebase", "remote"],
    ),
    ("color", &["branch", "diff", "status", "ui"]),
    ("commit", &["cleanup", "gpgsign", "verbose"]),
    ("committer", &["email", "name"]),
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "eol",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "precomposeunicode",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "sparsecheckout",
            "sparsecheckoutcone",
            "symlinks",
            "whitespace",
        ],
    ),
    ("diff", &["algorithm", "colormoved", "renames"]),
    (
        "extensions",
        &[
            "objectformat",
            "partialclone",
            "refstorage",
            "worktreeconfig",
        ],
    ),
    ("fetch", &["prune", "prunetags"]),
    ("gc", &["auto"]),
    ("index", &["sparse"]),
    ("init", &["defaultbranch"]),
    ("merge", &["conflictstyle", "ff"]),
    ("pull", &["ff", "rebase"]),
    ("push", &["autosetupremote", "default", "followtags"]),
    ("rebase", &["autosquash", "autostash", "updaterefs"]),
    (
        "remote",
        &[
            "fetch",
            "partialclonefilter",
            "promisor",
            "prune",
            "pushurl",
            "tagopt",
            "url",
        ],
    ),
    ("rerere", &["autoupdate", "enabled"]),
    ("submodule", &["active", "url"]),
    ("tag", &["gpgsign", "sort"]),
    ("user", &["email", "name", "signingkey"]),
];

/// Schemes of URLs by which git reaches other machines.
const SCHEMES: [&str; 6] = ["ftp", "ftps", "git", "http", "https", "ssh"];

pub(super) fn is_harmless((section, key): (&str, &str), value: Option<&str>) -> bool {
    let mut sections = HARMLESS.iter().filter(|(name, _)| *name == section);
    // A URL `ext::…` runs a program, and other prefixes of this form name one of git's helpers.
    sections.any(|(_, keys)| keys.contains(&key))
        && !value.is_some_and(|it| it.contains("::"))
        && (!is_remote((section, key)) || value.is_some_and(leads_elsewhere))
}

/// Returns whether the value says where a remote is.
pub(super) fn is_remote(parts: (&str, &str)) -> bool {
    matches!(parts, ("remote", "url" | "pushurl"))
}

/// Returns whether a URL is of another machine. `git push` to one of this machine, a path, runs the hooks
/// that are there, and for a scheme that git does not know it runs a program.
fn leads_elsewhere(url: &str) -> bool {
    match url.split_once("://") {
        Some((scheme, _)) => SCHEMES.contains(&scheme),
        // `HOST:PATH`.
        None => url.split('/').next().is_some_and(|it| it.contains(':')),
    }
}

//! The built-in asking rules.

use crate::Rule;

/// Commands that the mode `workspace` asks about although the sandbox allows them: those that destroy
/// history or work irrecoverably, and those that publish something.
///
/// Commands whose effect git's reflog undoes, such as `rebase` and `commit --amend`, are not among
/// them; those that take the reflog or the objects away are.
const PATTERNS: [&str; 53] = [
    "git push *",
    "git reset --hard *",
    "git reset --merge *",
    "git clean *",
    "git checkout -- *",
    "git checkout --force *",
    "git checkout -B *",
    "git restore --worktree *",
    "git switch --discard-changes *",
    "git switch --force *",
    "git switch -C *",
    "git stash drop *",
    "git stash clear *",
    "git branch -D *",
    "git branch --force *",
    "git tag --delete *",
    "git rm --force *",
    "git mv --force *",
    "git worktree remove --force *",
    "git submodule update --force *",
    "git submodule deinit --force *",
    "git read-tree --reset *",
    "git checkout-index --force *",
    "git update-ref -d *",
    "git reflog expire *",
    "git reflog delete *",
    "git gc --prune* *",
    "git prune *",
    "git filter-branch *",
    "git filter-repo *",
    "rm --recursive *",
    "xargs * rm *",
    "find * -delete *",
    "find * -exec rm *",
    "find * -execdir rm *",
    "truncate *",
    "shred *",
    "dd * of=* *",
    "npm publish *",
    "npm unpublish *",
    "pnpm publish *",
    "yarn publish *",
    "yarn npm publish *",
    "cargo publish *",
    "cargo yank *",
    "cargo workspaces publish *",
    "twine upload *",
    "poetry publish *",
    "uv publish *",
    "hatch publish *",
    "gem push *",
    "docker push *",
    "podman push *",
];

/// The built-in asking rules, which the mode `workspace` starts with.
///
/// # Panics
///
/// Never: a test parses them.
#[must_use]
pub fn builtin_ask() -> Vec<Rule> {
    let rule = |pattern: &str| format!("Bash({pattern})").parse();
    let rules = PATTERNS.iter().map(|pattern| rule(pattern));
    rules
        .collect::<Result<_, _>>()
        .expect("the built-in rules parse")
}

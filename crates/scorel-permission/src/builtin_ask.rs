//! The built-in asking rules.

use crate::Rule;

/// Commands that the mode `workspace` asks about although the sandbox allows them: those that destroy
/// history or work irrecoverably, and those that publish something.
///
/// Commands whose effect git's reflog undoes, such as `rebase` and `commit --amend`, are not among
/// them; those that take the reflog or the objects away are.
const PATTERNS: [&str; 53] = [
    // Others get what is pushed, and may have fetched it before it is taken back.
    "git push *",
    // They overwrite or remove changes that are in no commit; `-B` and `-C` move a branch that exists.
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
    // A stash is in no branch: once it is dropped, only its hash leads there.
    "git stash drop *",
    "git stash clear *",
    // They take away the name of commits that nothing else may lead to.
    "git branch -D *",
    "git branch --force *",
    "git tag --delete *",
    // They remove files and work trees in spite of changes that are in no commit.
    "git rm --force *",
    "git mv --force *",
    "git worktree remove --force *",
    "git submodule update --force *",
    "git submodule deinit --force *",
    // Names that scripts use for the same.
    "git read-tree --reset *",
    "git checkout-index --force *",
    // They take away the reflog, or the objects, by which all of the above could be undone.
    "git update-ref -d *",
    "git reflog expire *",
    "git reflog delete *",
    "git gc --prune* *",
    "git prune *",
    "git filter-branch *",
    "git filter-repo *",
    // They remove or overwrite files, which no trash keeps.
    "rm --recursive *",
    "xargs * rm *",
    "find * -delete *",
    "find * -exec rm *",
    "find * -execdir rm *",
    "truncate *",
    "shred *",
    "dd * of=* *",
    // They publish under the name of the user; most registries keep a version for ever.
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
pub fn builtin_ask() -> Vec<Rule> {
    let rule = |pattern: &str| format!("Bash({pattern})").parse();
    let rules = PATTERNS.iter().map(|pattern| rule(pattern));
    rules
        .collect::<Result<_, _>>()
        .expect("the built-in rules parse")
}

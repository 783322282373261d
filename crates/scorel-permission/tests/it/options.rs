//! Options are read as their program reads them.

use scorel_permission::{Decision, Mode, Policy};

use crate::support::{decide, judge, policy};

/// They look as if they only read, and do more.
const DO_MORE: [&str; 70] = [
    "sed '-e1e touch PWN' p f",
    "sed '-e1e touch PWNe' p f",
    "sed -ee p",
    "sed -ee p run.txt",
    "sed -n '-e1e touch PWN' f",
    "sed -n '-e1e touch PWN;e' p f",
    "sed '-re1w PWN' p f",
    "sed '-re1w PWNe' p f",
    "sed -ne '1e touch PWN' f",
    "sed -nE -e p -e '1w PWN' f",
    "sed --expression='1e touch PWN' f",
    "sed --expr '1e touch PWN' f",
    "sed -e p --exp='w PWN' f",
    "sed -e p -- '1e' f; sed -- 1e f",
    "sed -fscript f",
    "sed -nfscript f",
    "sed --fi=script f",
    "sed -l5 -e1e f",
    "sed -l 5 1e f",
    "sed -ibak p f",
    "sed -nibak p f",
    "sed --in-pl p f",
    "sed -s -i p f",
    "sed -E -i.bak -e p f",
    "sleep 0 & wait -np 'a[$(touch PWN)]'",
    "wait -fnp 'a[$(touch PWN)]'",
    "uniq a b",
    "uniq -c a b",
    "uniq -f 1 a b",
    "uniq -- a b",
    "uniq src/*",
    "uniq $x",
    "sort -ob a",
    "sort -nob a",
    "sort -k1 -o b a",
    "sort --out=b a",
    "sort -u --compress-prog=./evil a",
    "sort -T /etc a",
    "sort --files0-from=list",
    "sort --unknown a",
    "date -s 12:00",
    "date -us 12:00",
    "date --se=12:00",
    "date 010203",
    "hostname evil",
    "hostname -F f",
    "rg --pre ./evil x",
    "rg --pre=./evil x",
    "rg x $y",
    "fd -x ./evil",
    "fd -Hx ./evil",
    "fd --exec-b ./evil",
    "file -C -m magic",
    "file -bC",
    "tree -o out",
    "tree -ao out",
    "awk -fscript f",
    "awk -v x=1 -f script f",
    "awk -F: '{ system($1) }' f",
    "awk --fil=script f",
    "jq -nf script",
    "jq -L. 'include \"x\"; .'",
    "jq --from-file script",
    "printf -va[x] 1",
    "read -ra a[x]",
    "find . -name x -delete",
    "find . -fprintf out x",
    "git diff --outp=x",
    "git log -Oorder",
    "git grep -nO./evil x",
];

/// Commands that only read, with options in many forms.
const READ: [&str; 96] = [
    "sed -n -e p f",
    "sed -ne p f",
    "sed -nep f",
    "sed -n -e 1p -e 2p f",
    "sed -nE '/a|b/p' f",
    "sed -En 's/a/b/p' f",
    "sed --quiet --expression=p f",
    "sed --expression p f",
    "sed -s -n '1p' a b",
    "sed -z 's/a/b/g' f",
    "sed -u 's/a/b/' f",
    "sed --regexp-extended 's/(a)/b/' f",
    "sed -l 80 p f",
    "sed '1,5!d' f",
    "uniq",
    "uniq -c",
    "uniq -c a",
    "uniq -cd a",
    "uniq -f1 -s2 a",
    "uniq --count --skip-fields=1 a",
    "uniq -w 10 a",
    "sort -k2,2n -t: a",
    "sort -t : -k 2n a",
    "sort -rnk2 a",
    "sort --key=2 --reverse a",
    "sort -u a b",
    "sort -S 10M a",
    "sort -c a",
    "sort --parallel=2 a",
    "date",
    "date -u",
    "date -d yesterday +%F",
    "date --date='1 day ago' '+%Y-%m-%d'",
    "date -Iseconds",
    "date --iso-8601=s",
    "date -r f +%s",
    "hostname",
    "hostname -f",
    "hostname -I",
    "rg -n --pretty x",
    "rg -tpy x src",
    "rg -A3 -B 2 -C1 x",
    "rg -g '!target' -e x -e y",
    "rg --type-list",
    "rg -uu --hidden x",
    "rg --max-count=1 -l x",
    "grep -rnE x src",
    "grep -A 3 -m1 -ne x f",
    "grep --include='*.rs' -r x .",
    "grep --color=always -5 x f",
    "fd -e rs",
    "fd -t f -d 2 x",
    "fd -HI x src",
    "file -b x",
    "file --mime-type x",
    "tree -L 2 -I target",
    "tree -a src",
    "awk '{ print $2 }' f",
    "awk -F, -v x=1 '{ print x }' f",
    "awk -F ',' '{ print }' f",
    "jq -r .a f",
    "jq -rc '.a[]' f",
    "jq --arg a b '.[$a]' f",
    "jq -e --argjson a 1 '. == $a' f",
    "jq --indent 2 . f",
    "jq -n --tab '{}'",
    "head -n5 f",
    "head -5 f",
    "head -c 10 a b",
    "tail -n +5 f",
    "tail -5 f",
    "cut -d, -f1,2 f",
    "cut -d ' ' -f 1 f",
    "ls -lahS --color=auto src",
    "ls -I target",
    "diff -u -U5 --label a a b",
    "diff -rq a b",
    "wc -lc f",
    "stat -c %s f",
    "find . -newer a -size +1k -o -name b -print",
    "find . -type f -name '-delete'",
    "printf '%s' -v",
    "printf -- '-v'",
    "read -r -p 'name? ' name",
    "read -rs -t 5 x",
    "test -n x -a -z y",
    "[ -f a ] && [ a -nt b ]",
    "wait -n",
    "wait 12",
    "git config user.name",
    "git config --global user.email",
    "git config --local --get user.name",
    "git config --type=bool core.bare",
    "git config --get-regexp '^user'",
    "git config --show-origin --list",
    "git diff -U5 --text -S x -- src",
];

/// In the mode `workspace` they are asked about, each for this rule.
const BUILT_IN: [(&str, &str); 75] = [
    ("git checkout Makefile", "git checkout -- *"),
    ("git checkout README", "git checkout -- *"),
    ("git checkout LICENSE", "git checkout -- *"),
    ("git checkout Dockerfile", "git checkout -- *"),
    ("git checkout docker/Dockerfile", "git checkout -- *"),
    ("git checkout '*.rs'", "git checkout -- *"),
    ("git checkout -q Makefile", "git checkout -- *"),
    ("git -C sub checkout Makefile", "git checkout -- *"),
    ("git checkout --theirs src/x", "git checkout -- *"),
    ("git checkout -2 main src", "git checkout -- *"),
    ("git checkout --conflict merge x.rs", "git checkout -- *"),
    (
        "git checkout --pathspec-from-file list",
        "git checkout -- *",
    ),
    ("git checkout -p", "git checkout -- *"),
    ("git mv -kf a b", "git mv --force *"),
    ("git checkout -qf main", "git checkout --force *"),
    ("git checkout --for main", "git checkout --force *"),
    ("git checkout -B main", "git checkout -B *"),
    ("git checkout -qB main origin/x", "git checkout -B *"),
    ("git checkout -Bmain", "git checkout -B *"),
    ("git switch -C main", "git switch -C *"),
    ("git switch --force-create main", "git switch -C *"),
    ("git switch -qf main", "git switch --force *"),
    ("git branch -f main x", "git branch --force *"),
    ("git branch --forc main x", "git branch --force *"),
    ("git branch -qf main x", "git branch --force *"),
    ("git branch -M a b", "git branch --force *"),
    ("git branch -m -f a b", "git branch --force *"),
    ("git branch -qD x", "git branch -D *"),
    ("git branch -df x", "git branch -D *"),
    ("git read-tree --reset -u HEAD", "git read-tree --reset *"),
    ("git read-tree -u --reset HEAD", "git read-tree --reset *"),
    ("git checkout-index -f -a", "git checkout-index --force *"),
    ("git checkout-index -af", "git checkout-index --force *"),
    (
        "git checkout-index --all --force",
        "git checkout-index --force *",
    ),
    (
        "git submodule update --force",
        "git submodule update --force *",
    ),
    (
        "git submodule update --init -f",
        "git submodule update --force *",
    ),
    (
        "git submodule -q update --force",
        "git submodule update --force *",
    ),
    (
        "git submodule deinit -f x",
        "git submodule deinit --force *",
    ),
    ("git reset --h", "git reset --hard *"),
    (
        "find . -exec sh -c 'rm \"$1\"' x {} \\;",
        "find * -exec rm *",
    ),
    ("find . | xargs -n1 sh -c 'rm $0'", "xargs * rm *"),
    ("git reset -q --hard", "git reset --hard *"),
    ("git restore -s HEAD src", "git restore --worktree *"),
    ("git restore -sHEAD -W src", "git restore --worktree *"),
    ("git restore -sS src", "git restore --worktree *"),
    ("git clean -e x -fd", "git clean *"),
    ("git tag -fd v1", "git tag --delete *"),
    ("git --git-dir=x push", "git push *"),
    ("git --git-dir x push", "git push *"),
    ("git -p --no-replace-objects push", "git push *"),
    ("rm -vfr src", "rm --recursive *"),
    ("rm --recurs --force src", "rm --recursive *"),
    ("npm --registry x publish", "npm publish *"),
    ("npm --registry=x publish", "npm publish *"),
    ("npm -w a publish", "npm publish *"),
    ("npm --prefix a --unknown publish", "npm publish *"),
    ("npm --unknown x publish", "npm publish *"),
    ("npm publ", "npm publish *"),
    ("npm unpub x", "npm unpublish *"),
    ("pnpm -r --filter x publish", "pnpm publish *"),
    ("yarn workspace a publish", "yarn publish *"),
    ("yarn --cwd a npm publish", "yarn npm publish *"),
    ("cargo +stable publish", "cargo publish *"),
    ("cargo --config x=1 publish", "cargo publish *"),
    ("cargo +nightly -Z x --color always yank a", "cargo yank *"),
    ("cargo workspaces publish", "cargo workspaces publish *"),
    (
        "cargo +stable workspaces publish --yes",
        "cargo workspaces publish *",
    ),
    ("docker image push x", "docker push *"),
    ("docker --context c push x", "docker push *"),
    ("docker -H h -l debug image push x", "docker push *"),
    ("podman --url u push x", "podman push *"),
    ("python3 -m twine upload dist/x", "twine upload *"),
    ("python -Im twine upload dist/x", "twine upload *"),
    ("poetry -C a publish", "poetry publish *"),
    ("uv --directory a publish", "uv publish *"),
];

/// Commands that change nothing which cannot be had back.
const HELD: [&str; 40] = [
    "git checkout main",
    "git checkout HEAD",
    "git checkout FETCH_HEAD",
    "git checkout HEAD~1",
    "git checkout -",
    "git checkout v1.2.3",
    "git checkout feature/parser",
    "git checkout PROJ-12-parser",
    "git checkout -b Makefile",
    "git checkout -t origin/x",
    "git checkout --detach x",
    "git checkout --orphan x",
    "git switch main",
    "git switch -c x",
    "git switch -cf",
    "git branch x",
    "git branch -m a b",
    "git branch -d x",
    "git branch --format=x",
    "git branch -u origin/f",
    "git branch -t f x",
    "git read-tree -m HEAD",
    "git submodule update --init",
    "git submodule update --depth 1",
    "git reset -q HEAD x",
    "git restore -S src",
    "git restore --staged --source HEAD src",
    "git clean -nfd",
    "git tag -m -d v1",
    "git commit -m --force -a",
    "rm -f x",
    "rm -- -r",
    "npm --registry x install publish",
    "npm pack publish",
    "npm run publish",
    "cargo +stable build",
    "cargo --color always test publish",
    "docker image ls push",
    "docker --context push ps",
    "python3 -m twine check dist/x",
];

fn different<'a>(policy: &Policy, commands: &[&'a str], expected: Decision) -> Vec<&'a str> {
    let all = commands.iter().copied();
    all.filter(|command| decide(policy, command) != expected)
        .collect()
}

#[test]
fn what_does_more_than_read_is_asked_about() {
    for mode in [Mode::Readonly, Mode::Ask] {
        let policy = policy(mode, &[], &[], &[]);
        assert_eq!(different(&policy, &DO_MORE, Decision::Ask), [""; 0]);
    }
    let broad = policy(
        Mode::Ask,
        &[],
        &[],
        &["Bash(sed *)", "Bash(uniq *)", "Bash(sort *)"],
    );
    let of_those = DO_MORE
        .iter()
        .filter(|it| it.starts_with(['s', 'u']) && !it.contains(';'));
    let of_those: Vec<&str> = of_those.copied().collect();
    assert_eq!(different(&broad, &of_those, Decision::Ask), [""; 0]);
}

#[test]
fn what_only_reads_needs_no_rule_in_whichever_form() {
    for mode in [Mode::Readonly, Mode::Ask, Mode::Workspace, Mode::Full] {
        let policy = policy(mode, &[], &[], &[]);
        assert_eq!(
            different(&policy, &READ, Decision::Allow),
            [""; 0],
            "{mode}"
        );
    }
}

#[test]
fn what_discards_or_publishes_is_asked_about_in_whichever_form() {
    let policy = policy(Mode::Workspace, &[], &[], &[]);
    let wrong = BUILT_IN.iter().filter_map(|(command, rule)| {
        let decided = judge(&policy, command).rule.map(|rule| rule.to_string());
        (decided != Some(format!("Bash({rule})"))).then_some((command, decided))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(different(&policy, &HELD, Decision::Allow), [""; 0]);
}

#[test]
fn a_file_that_an_option_or_operand_names_falls_under_the_rules() {
    let denied = policy(
        Mode::Workspace,
        &["Write(src/**)", "Read(secrets/**)"],
        &[],
        &["Bash"],
    );
    let named = [
        "uniq a src/x",
        "uniq -c a src/x",
        "uniq -f 1 a src/x",
        "uniq src/*",
        "sort -osrc/x a",
        "sort -no src/x a",
        "sort --output=src/x a",
        "sort --out src/x a",
        "tee -a src/x",
        "grep -f secrets/key x",
        "grep -rnfsecrets/key x",
        "grep --file secrets/key x",
        "grep -e x secrets/key",
        "diff --from-file secrets/key a",
        "sort secrets/key",
        "sort -k1 secrets/key",
        "date -f secrets/key",
        "find . -newer secrets/key",
        "jq --rawfile a secrets/key -n '$a'",
        "git grep -e x -- secrets/key",
        "git commit -F secrets/key",
        "git commit --file=secrets/key",
        "tar -cf a -T secrets/key",
        "xargs -a secrets/key echo",
        "head -n 5 secrets/key",
        "cut -d : -f 1 secrets/key",
        "rg -f secrets/key x",
        "curl -K secrets/key",
    ];
    assert_eq!(different(&denied, &named, Decision::Deny), [""; 0]);
    for command in [
        "uniq src/x",
        "sort src/x",
        "sed -n p src/x",
        "cut -d, -f1 src/x",
    ] {
        assert_eq!(decide(&denied, command), Decision::Allow, "{command}");
    }
}

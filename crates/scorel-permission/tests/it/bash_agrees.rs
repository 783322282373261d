//! A real shell never runs a program that was not judged.
//!
//! Random commands are judged under rules that do not allow the program `evil`. Those that are allowed
//! anyway, because `evil` seems to be only text in them, are run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use scorel_permission::{BaseDirs, Decision, Mode, Policy, Rules};

use crate::support::{list, run_in};

/// What the commands are made from by inserting and removing.
const BASES: [&str; 25] = [
    "ls -la x",
    "echo 'a b' \"c $x\" | cat",
    "cat <<'EOF'\nbody 'x\nEOF\nls",
    "cat <<EOF\nbody $x\nEOF",
    "cat <<'ls'\nbody\\\nls\nls\n",
    "cat <<-EOF\n\tbody\n\tEOF\nls",
    "for f in a b; do echo \"$f\"; done",
    "if [ -f a ]; then ls; fi",
    "echo $(echo a)",
    "x=$(ls); echo \"$x\"",
    "case $x in a) ls;; esac",
    "find . -name 'a' -exec cat {} +",
    "sh -c 'ls; echo a'",
    "ls | xargs echo",
    "echo a \\\n b # c",
    "[[ $x == a* ]] && ls",
    "echo `ls`",
    "cat < a > b 2>&1",
    "git log --format='%h %s'",
    "echo $'a\\n' ${x%.a} a{b,c}",
    "sed -n '1,2p' a",
    "env A=1 ls",
    "time ls",
    "{ ls; echo; }",
    "(cd a && ls)",
];

const TOKENS: [&str; 84] = [
    "evil",
    " evil ",
    ";evil;",
    "\nevil\n",
    " ",
    "\n",
    "\t",
    ";",
    "&&",
    "|",
    "||",
    "&",
    "|&",
    "\"",
    "'",
    "\\",
    "\\\n",
    "$(",
    ")",
    "`",
    "(",
    "{ ",
    " }",
    "<<EOF\n",
    "<<'EOF'\n",
    "\nEOF\n",
    "<<-EOF\n",
    "\tEOF\n",
    "EOF",
    "<<<",
    "#",
    " #",
    "$'",
    "$\"",
    "$x",
    "${x}",
    "${",
    "}",
    "x=",
    "y+=",
    "z[",
    "]=",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "else ",
    "case x in ",
    "x) ",
    ";;",
    " esac",
    "in ",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    "! ",
    "<(",
    ">(",
    "$((",
    "))",
    "((",
    "{a,",
    "*",
    "~",
    " < a",
    " > b",
    "2>&1",
    ">&",
    "f() ",
    "é",
    "time ",
    "eval ",
    "exec ",
    "xargs ",
    "find . -exec ",
    " \\;",
    " {} +",
    "sh -c ",
    "$IFS",
    "select ",
    "function ",
];

const ALLOW: [&str; 7] = [
    "Bash(ls *)",
    "Bash(echo *)",
    "Bash(cat *)",
    "Bash(git *)",
    "Bash(xargs *)",
    "Bash(a *)",
    "Bash(body *)",
];

/// The programs that can be found; `evil` leaves a mark.
fn install(directory: &Path) {
    let programs = directory.join("bin");
    fs::create_dir(&programs).unwrap();
    for name in [
        "bash", "sh", "ls", "cat", "find", "xargs", "sed", "env", "true",
    ] {
        let found = ["/usr/bin", "/bin"]
            .iter()
            .map(|path| Path::new(path).join(name))
            .find(|path| path.exists());
        if let Some(found) = found {
            std::os::unix::fs::symlink(found, programs.join(name)).unwrap();
        }
    }
    for name in ["git", "a", "body", "evil"] {
        let mark = directory.join("mark");
        let text = if name == "evil" {
            format!("#!/bin/sh\n: > '{}'\n", mark.display())
        } else {
            "#!/bin/sh\n".to_owned()
        };
        let path = programs.join(name);
        fs::write(&path, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, mode).unwrap();
    }
}

fn boundary(text: &str, random: &mut StdRng) -> usize {
    let mut place = random.random_range(0..=text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

fn command(random: &mut StdRng) -> String {
    let mut text = (*BASES.choose(random).unwrap()).to_owned();
    if random.random_bool(0.5) {
        text.push_str(["; ", " && ", " | ", "\n", " "].choose(random).unwrap());
        text.push_str(BASES.choose(random).unwrap());
    }
    for _ in 0..random.random_range(1..6) {
        let place = boundary(&text, random);
        if random.random_bool(0.25) && place < text.len() {
            text.remove(place);
        } else {
            text.insert_str(place, TOKENS.choose(random).unwrap());
        }
    }
    if !text.contains("evil") {
        let place = boundary(&text, random);
        text.insert_str(place, TOKENS[..4].choose(random).unwrap());
    }
    text
}

/// Returns whether the shell runs `evil`; nothing if there is no shell.
fn runs_evil(text: &str, directory: &Path) -> Option<bool> {
    Command::new("/usr/bin/timeout")
        .args(["-k", "1", "2", "bash", "-c", text])
        .current_dir(directory)
        .env_clear()
        .env("PATH", directory.join("bin"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    Some(fs::remove_file(directory.join("mark")).is_ok())
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn a_shell_runs_nothing_that_was_not_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    install(&path);
    if runs_evil("evil", &path) != Some(true) {
        println!(
            "skipped: a_shell_runs_nothing_that_was_not_allowed: no bash and timeout in /usr/bin"
        );
        return;
    }
    let rules = Rules {
        allow: list(&ALLOW),
        ..Rules::default()
    };
    let policy = Policy::new(
        Mode::Ask,
        rules,
        BaseDirs::new(&path, &path, Path::new("/nowhere")),
    );
    let seed = number("SCOREL_SEED").unwrap_or_else(rand::random);
    println!("SCOREL_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..number("SCOREL_COMMANDS").unwrap_or(3_000) {
        let text = command(&mut random);
        if policy.judge(&run_in(&path, &text)).decision == Decision::Allow {
            assert_eq!(runs_evil(&text, &path), Some(false), "{text:?}");
        }
    }
}

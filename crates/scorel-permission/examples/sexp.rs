//! fuzz
use rand_like::R;
use scorel_permission::*;
use std::path::Path;
mod rand_like {
    pub struct R(pub u64);
    impl R {
        pub fn n(&mut self, k: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % k
        }
    }
}
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let count: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut r = R(seed * 7919 + 12345);
    let toks = [
        "ls",
        "echo",
        "cat",
        "evil",
        "evil",
        "evil",
        " ",
        " ",
        " ",
        " ",
        " ",
        "\n",
        "\n",
        ";",
        "&&",
        "|",
        "||",
        "&",
        "\"",
        "\"",
        "'",
        "'",
        "\\",
        "\\",
        "$(",
        ")",
        "`",
        "`",
        "(",
        ")",
        "{ ",
        " }",
        "<<EOF\n",
        "<<'EOF'\n",
        "\nEOF\n",
        "<<-EOF\n",
        "\tEOF\n",
        "EOF",
        "#",
        " #",
        "$'",
        "$\"",
        "$x",
        "${x}",
        "${",
        "}",
        "a",
        "=",
        "x=",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        "x) ",
        ";;",
        " esac",
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
        "<<<",
        " < a",
        " > b",
        "2>&1",
        "f() ",
        "\t",
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
        "\\\n",
        "while ",
        "-c",
        "git ",
        "awk ",
        "sed ",
        "-n",
        "env ",
        "A=1 ",
        "select ",
        "function ",
        "coproc ",
        "in ",
        "$@",
        "$#",
        "#}",
        "%",
        "@(",
        "|&",
        ">&",
        "<&",
        "&>",
        "until ",
        "else ",
        "elif ",
        "declare ",
        "export ",
        "local ",
        "y+=",
        "z[",
        "]=",
        "command ",
    ];
    let place = Place::new(
        Path::new("/tmp/fz"),
        Path::new("/tmp/fz"),
        Path::new("/home/u/.scorel"),
    );
    let rules = Rules {
        deny: vec![],
        ask: vec![],
        allow: [
            "Bash(ls *)",
            "Bash(echo *)",
            "Bash(cat *)",
            "Bash(git *)",
            "Bash(xargs *)",
            "Bash(a *)",
            "Bash(x *)",
            "Bash(EOF *)",
        ]
        .iter()
        .map(|r| r.parse().unwrap())
        .collect(),
    };
    let p = Policy::new(Mode::Workspace, rules, place);
    let mut allowed = 0;
    let mut bad = 0;
    let mut withevil = 0;
    for _ in 0..count {
        let seeds = [
            "ls -la x",
            "echo 'a b' \"c $x\" | cat",
            "cat <<'EOF'\nbody 'x\nEOF\nls",
            "cat <<EOF\nbody $x\nEOF",
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
            "while ls; do echo; done",
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
        let mut s: String = seeds[r.n(seeds.len())].to_string();
        if r.n(2) == 0 {
            s.push_str(["; ", " && ", " | ", "\n", " "][r.n(5)]);
            s.push_str(seeds[r.n(seeds.len())]);
        }
        for _ in 0..1 + r.n(5) {
            let mut at = r.n(s.len() + 1);
            while !s.is_char_boundary(at) {
                at -= 1;
            }
            if r.n(4) == 0 && at < s.len() {
                s.remove(at);
            } else {
                s.insert_str(at, toks[r.n(toks.len())]);
            }
        }
        if !s.contains("evil") {
            let mut at = r.n(s.len() + 1);
            while !s.is_char_boundary(at) {
                at -= 1;
            }
            s.insert_str(at, [" evil ", ";evil;", "evil", "\nevil\n"][r.n(4)]);
        }
        let v = p.judge(&Action::Run {
            command: s.clone(),
            directory: "/tmp/fz".into(),
        });
        if v.decision == Decision::Allow && !s.trim().is_empty() {
            allowed += 1;
            if !s.contains("evil") {
                continue;
            }
            withevil += 1;
            let out = std::process::Command::new("timeout")
                .args(["2", "bash", "-c"])
                .arg(&s)
                .current_dir("/tmp/fz")
                .env_clear()
                .env("PATH", "/tmp/fz/bin")
                .env(
                    "BASH_FUNC_evil%%",
                    "() { echo EVILRAN >&2; echo EVILRAN > /tmp/fz/marker; }",
                )
                .stdin(std::process::Stdio::null())
                .output();
            let out = match out {
                Ok(o) => o,
                Err(_) => continue,
            };
            let _ = out;
            if std::path::Path::new("/tmp/fz/marker").exists() {
                let _ = std::fs::remove_file("/tmp/fz/marker");
                bad += 1;
                println!("BAD {s:?}");
            }
        }
    }
    println!("allowed {allowed} withevil {withevil} bad {bad}");
}

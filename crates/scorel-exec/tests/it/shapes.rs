//! Ways in which processes try to survive their command.

/// Scripts that print `ready` when their processes run. `$C` is the number of seconds that they sleep.
pub(crate) const SHAPES: &[(&str, &str)] = &[
    ("double_fork", "( ( sleep $C & ) & ); echo ready; sleep $C"),
    ("setsid", "setsid sleep $C & echo ready; sleep $C"),
    (
        "nohup",
        "nohup sleep $C >/dev/null 2>&1 & echo ready; sleep $C",
    ),
    (
        "fork_storm",
        "for i in {1..50}; do (while :; do sleep $C; done) & done; echo ready; wait",
    ),
    (
        "stopped_child",
        "sleep $C & kill -STOP $!; echo ready; sleep $C",
    ),
    ("pty_child", "script -qec 'echo ready; sleep $C' /dev/null"),
    (
        "closed_stdio",
        "setsid bash -c 'exec <&- >&- 2>&-; trap \"\" HUP; sleep $C; true' & echo ready; sleep $C",
    ),
    (
        "supervisor_killed",
        "P=$PPID; setsid sleep $C & echo ready; setsid bash -c \"kill -9 $P; sleep $C; true\"",
    ),
    (
        "ignores_term",
        "trap '' TERM HUP; (while :; do sleep $C; done) & echo ready; while :; do sleep $C; done",
    ),
    ("disown", "sleep $C & disown; echo ready; sleep $C"),
    ("pipe_held", "(sleep $C; echo late) & echo ready"),
    (
        "renamed",
        "(exec -a innocent sleep $C) & echo ready; exec -a bash sleep $C",
    ),
];

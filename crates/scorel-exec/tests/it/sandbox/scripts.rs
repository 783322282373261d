//! What a sandboxed command tries: a name and a shell script each.

/// Attempts that must fail. A script prints `ESCAPED` where its success has no other effect. `$P` is
/// the project, `$O` a directory outside, `$H` the home directory.
pub(super) const ESCAPES: &[(&str, &str)] = &[
    ("write_a_new_file", "echo x > $O/new"),
    ("overwrite_a_file", "echo x > $O/file"),
    ("append_to_a_file", "echo x >> $O/file"),
    (
        "truncate_a_file",
        "truncate -s 0 $O/file; perl -e 'truncate(\"$O/file\", 0)'",
    ),
    (
        "truncate_while_reading",
        "perl -e 'use Fcntl; sysopen(F, \"$O/file\", O_RDONLY|O_TRUNC)'",
    ),
    ("remove_a_file", "rm -f $O/file"),
    ("make_a_directory", "mkdir $O/new"),
    ("make_a_link", "ln -s /etc/passwd $O/new"),
    ("move_a_file_in", "mv $O/file $P/"),
    ("move_a_file_out", "echo x > $P/new; mv $P/new $O/new"),
    (
        "swap_files",
        "echo x > $P/f; perl -e 'rename(\"$P/f\", \"$O/file\")'",
    ),
    (
        "write_through_a_link",
        "ln -s $O/file $P/link; echo x > $P/link",
    ),
    (
        "write_through_a_linked_directory",
        "ln -s $O $P/dir; echo x > $P/dir/new",
    ),
    (
        "write_through_a_second_name",
        "ln $O/file $P/hard && echo x > $P/hard",
    ),
    (
        "write_through_proc",
        "echo x > /proc/self/root$O/file; echo x > /proc/self/cwd/../outside/new",
    ),
    (
        "write_to_a_start_up_file",
        "echo x >> $H/.bashrc; echo x >> $H/.profile",
    ),
    ("read_a_secret", "cat $H/.ssh/id"),
    (
        "read_a_secret_through_a_link",
        "ln -s $H/.ssh/id $P/id; cat $P/id",
    ),
    (
        "read_a_secret_by_a_second_name",
        "ln $H/.ssh/id $P/id; cat $P/id",
    ),
    (
        "read_a_secret_through_proc",
        "cat /proc/self/root$H/.ssh/id /proc/$PPID/root$H/.ssh/id",
    ),
    (
        "read_the_daemons_home",
        "cat $H/.scorel/env; cp -r $H/.scorel $P/copy; cat $P/copy/env",
    ),
    (
        "read_a_disk",
        "for d in /dev/vda /dev/sda /dev/mem; do head -c 1 $d | grep -q . && echo ESCAPED; done",
    ),
    (
        "read_the_daemons_environment",
        "cat /proc/$DAEMON/environ | grep -q . && echo ESCAPED",
    ),
    (
        "read_the_daemons_memory",
        "head -c 1 /proc/$DAEMON/mem && echo ESCAPED; readlink /proc/$DAEMON/fd/0 /proc/$DAEMON/cwd && echo ESCAPED; cat /proc/$DAEMON/maps | grep -q . && echo ESCAPED",
    ),
    (
        "kill_the_supervisor",
        "kill -9 $PPID && echo ESCAPED; kill -STOP $PPID && echo ESCAPED",
    ),
    ("signal_the_daemon", "kill -0 $DAEMON && echo ESCAPED"),
    (
        "connect_to_the_daemon",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$O/socket\"); print(\"ESCAPED\")'",
    ),
    (
        "connect_with_curl",
        "curl -s --unix-socket $O/socket http://x/ && echo ESCAPED",
    ),
    (
        "connect_to_an_abstract_address",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0$ABSTRACT\"); print(\"ESCAPED\")'",
    ),
    (
        "redirect_a_pair_of_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print(\"ESCAPED\")'",
    ),
    (
        "redirect_a_pair_of_raw_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); print(\"ESCAPED\")'; python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK); print(\"ESCAPED\")'",
    ),
    (
        "ask_a_service_manager",
        "systemd-run --user touch $O/new; systemd-run touch $O/new",
    ),
    (
        "connect_over_tcp",
        "(exec 3<>/dev/tcp/127.0.0.1/$TCP) && echo ESCAPED",
    ),
    (
        "listen_on_tcp",
        "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(\"ESCAPED\")'",
    ),
    (
        "send_over_udp",
        "echo x > /dev/udp/127.0.0.1/$UDP && echo ESCAPED",
    ),
    (
        "use_io_uring",
        "python3 -c 'import ctypes; l = ctypes.CDLL(None, use_errno=True); r = l.syscall(425, 1, ctypes.create_string_buffer(120)); print(\"ESCAPED\" if r >= 0 or ctypes.get_errno() != 1 else \"\")'",
    ),
    (
        "make_x32_calls",
        "python3 -c 'import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39); print(\"ESCAPED\")'",
    ),
    (
        "mount_something",
        "mount -t tmpfs none $P && echo ESCAPED; mount --bind $O $P && echo ESCAPED",
    ),
    (
        "become_root_of_a_namespace",
        "unshare -Urm sh -c 'mount --bind $O $P && echo x > $P/file; echo x > $O/new'",
    ),
    (
        "move_the_root",
        "chroot / sh -c 'echo x > $O/file; cat $H/.ssh/id'",
    ),
    (
        "write_a_device",
        "mknod $P/disk b 254 0 && head -c 1 $P/disk && echo ESCAPED",
    ),
    (
        "replace_a_program",
        "echo x > $H/.cargo/bin/cargo; echo x > $H/.cargo/config.toml",
    ),
];

/// Everyday work that must succeed.
pub(super) const ALLOWED: &[(&str, &str)] = &[
    (
        "write_in_the_project",
        "mkdir -p $P/a/b && echo x > $P/a/b/c && mv $P/a $P/d && rm -r $P/d && ln -s x $P/l",
    ),
    (
        "write_a_temporary_file",
        "f=$(mktemp) && echo x > $f && [ \"$(cat $f)\" = x ]",
    ),
    (
        "use_a_here_document",
        "cat <<< text && cat <<END\nmore\nEND",
    ),
    (
        "use_devices",
        "echo x > /dev/null && head -c 4 /dev/urandom | wc -c && head -c 4 < /dev/zero > /dev/null",
    ),
    ("use_a_terminal", "script -qec 'tty && stty size' /dev/null"),
    (
        "use_a_pair_of_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(); a.send(b\"x\"); assert b.recv(1) == b\"x\"'",
    ),
    (
        "use_a_pair_of_packet_sockets",
        "python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); a.send(b\"x\"); assert b.recv(1) == b\"x\"'",
    ),
    (
        "read_the_system",
        "ls / /etc /usr && cat /etc/passwd /proc/cpuinfo && cat $O/file",
    ),
    ("signal_its_own", "sleep 100 & kill $! && ! wait $!"),
    (
        "commit",
        "git init -q . && echo x > f && git add f && git -c user.name=n -c user.email=e commit -qm m && git log --oneline | grep -q m",
    ),
    (
        "write_a_cache",
        "echo x > $H/.cargo/registry/cache/x && echo x > $H/.cargo/.package-cache",
    ),
    (
        "build_with_cargo",
        "cargo init -q --vcs none --name sample . && cargo build -q --offline && ./target/debug/sample | grep Hello",
    ),
    (
        "install_with_npm",
        "mkdir dep && echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' > dep/package.json && echo '{\"name\":\"app\",\"version\":\"1.0.0\"}' > package.json && npm install --offline --no-audit --no-fund --cache $TMPDIR/npm ./dep && ls node_modules/dep",
    ),
];

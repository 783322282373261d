"""Ways to a socket outside. Each function is tried in a process of its own; one that gets there says so.

Arguments: a directory outside, the project (the working directory), an abstract name outside.
"""
import array
import ctypes
import fcntl
import mmap
import os
import select
import signal
import socket
import struct
import sys
import threading

OUT, PROJECT, ABSTRACT = sys.argv[1:4]
UNIX, STREAM, PACKETS, DATAGRAMS = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM
NEW_USER, NEW_MOUNTS, NEW_NETWORK = 0x10000000, 0x20000, 0x40000000
ROUNDS = 200
libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reach(address, kind=STREAM, client=None):
    client = client or socket.socket(UNIX, kind)
    client.connect(address)
    print("ESCAPED", address, flush=True)


def tried(address):
    try: reach(address)
    except OSError: pass


def bytes_of(path):
    return struct.pack("H", UNIX) + os.fsencode(path) + b"\0"


def a_path(): reach(OUT + "/stream")
def packets(): reach(OUT + "/packets", PACKETS)
def a_wrong_type(): reach(OUT + "/packets")
def an_abstract_name(): reach("\0" + ABSTRACT)
def an_abstract_name_of_packets(): reach("\0" + ABSTRACT, PACKETS)
def a_relative_path(): os.chdir(OUT); reach("stream")
def a_parent(): reach("../outside/stream")
def a_link(): os.symlink(OUT + "/stream", "a_link"); reach("a_link")
def a_link_to_a_directory(): os.symlink(OUT, "a_directory"); reach("a_directory/stream")
def a_link_to_a_link(): os.symlink(OUT + "/stream", "first"); os.symlink("first", "second"); reach("second")
def a_hard_link(): os.link(OUT + "/stream", "hard"); reach("hard")
def a_hard_link_of_a_descriptor(): os.link(f"/proc/self/fd/{os.open(OUT + '/stream', os.O_PATH)}", "hard2", follow_symlinks=True); reach("hard2")
def moved(): os.rename(OUT + "/stream", "moved"); reach("moved")
def the_root_of_this_process(): reach("/proc/self/root" + OUT + "/stream")
def the_root_of_the_first_process(): reach("/proc/1/root" + OUT + "/stream")
def the_root_of_the_parent(): reach(f"/proc/{os.getppid()}/root" + OUT + "/stream")
def the_working_directory(): reach("/proc/self/cwd/../outside/stream")
def a_directory_descriptor(): reach(f"/proc/self/fd/{os.open(OUT, os.O_PATH)}/stream")
def a_descriptor(): reach(f"/proc/self/fd/{os.open(OUT + '/stream', os.O_PATH)}")
def a_descriptor_in_dev(): reach(f"/dev/fd/{os.open(OUT + '/stream', os.O_PATH)}")
def every_descriptor_of_the_first_process():
    for number in range(64):
        for path in f"/proc/1/fd/{number}", f"/proc/1/fd/{number}/stream": tried(path)
def one_that_was_there(): reach("theirs")
def a_hard_link_to_one_that_was_there(): os.link("theirs", "hard3"); reach("hard3")
def a_link_to_one_that_was_there(): os.symlink("theirs", "soft3"); reach("soft3")
def one_that_was_there_by_another_name():
    os.link("theirs", "other"); os.rename("other", "another"); reach("another")
def one_in_a_masked_directory(): reach("home/daemon")
def a_masked_one(): reach("masked")
def one_in_a_protected_directory(): reach("protected/daemon")
def without_a_zero_at_the_end(): libc_connect(struct.pack("H", UNIX) + b"/" * (101 - len(OUT)) + os.fsencode(OUT) + b"/stream")
def with_more_after_the_zero(): libc_connect(bytes_of(OUT + "/stream") + b"x" * 20)
def a_short_length(): libc_connect(bytes_of(OUT + "/streamer"), len(bytes_of(OUT + "/stream")) - 1)


def libc_connect(address, length=None, client=None):
    client = client or socket.socket(UNIX)
    checked(libc.connect(client.fileno(), address, len(address) if length is None else length))
    print("ESCAPED", address, flush=True)


def odd_lengths():
    for length in 0, 1, 2, 111, 128, 129, 0xffffffff, 0x80000000:
        try: libc_connect((bytes_of(OUT + "/stream") + bytes(200)), length)
        except (OSError, ctypes.ArgumentError): pass
    libc_connect(None, 16)
def an_internet_socket(): libc_connect(bytes_of(OUT + "/stream"), client=socket.socket())
def an_internet_socket_opened_fast():
    client = socket.socket()
    checked(libc.sendto(client.fileno(), b"x", 1, 0x20000000, bytes_of(OUT + "/stream"), len(OUT) + 10))
    print("ESCAPED")
def a_datagram(): socket.socket(UNIX, DATAGRAMS).sendto(b"x", OUT + "/datagrams"); print("ESCAPED")
def a_raw_datagram(): socket.socket(UNIX, socket.SOCK_RAW).sendto(b"x", OUT + "/datagrams"); print("ESCAPED")
def a_datagram_without_type(): socket.socket(UNIX, 0); print("ESCAPED")
def a_datagram_by_a_pair(): socket.socketpair(UNIX, DATAGRAMS)[0].sendto(b"x", OUT + "/datagrams"); print("ESCAPED")
def a_datagram_by_bits_above_the_type(): checked(libc.socket(ctypes.c_long(UNIX | 1 << 32), ctypes.c_long(DATAGRAMS | 1 << 32), 0)); print("ESCAPED")
def an_address_of_a_stream(): socket.socket(UNIX).sendto(b"x", OUT + "/stream"); print("ESCAPED")
def an_address_of_a_pair():
    ours, theirs = socket.socketpair(UNIX, PACKETS)
    ours.sendmsg([b"x"], [], 0, OUT + "/packets")
    assert theirs.recv(1) == b"x"
    ours, theirs = socket.socketpair()
    ours.sendto(b"x", OUT + "/stream"); print("ESCAPED")
def a_connected_pair(): reach(OUT + "/stream", client=socket.socketpair()[0])
def a_pair_whose_other_end_is_closed():
    ours, theirs = socket.socketpair(); theirs.close(); reach(OUT + "/stream", client=ours)
def a_socket_that_listens():
    client = socket.socket(UNIX); client.bind("listens"); client.listen(); reach(OUT + "/stream", client=client)
def a_socket_with_a_name(): 
    client = socket.socket(UNIX); client.bind(""); reach(OUT + "/stream", client=client)
def without_blocking():
    client = socket.socket(UNIX); client.setblocking(False); reach(OUT + "/stream", client=client)
def an_undumpable_process(): libc.prctl(4, 0, 0, 0, 0); reach(OUT + "/stream")


def a_thread():
    other = threading.Thread(target=tried, args=[OUT + "/stream"]); other.start(); other.join()
def a_thread_with_its_own_directory():
    def run(): checked(libc.unshare(0x200)); os.chdir(OUT); tried("stream")
    other = threading.Thread(target=run); other.start(); other.join()
def a_new_network(): checked(libc.unshare(NEW_USER | NEW_NETWORK)); reach(OUT + "/stream")
def a_new_network_for_a_name(): checked(libc.unshare(NEW_USER | NEW_NETWORK)); reach("\0" + ABSTRACT)
def a_new_root(): checked(libc.unshare(NEW_USER)); os.chroot(OUT); reach("/stream")
def a_mount():
    checked(libc.unshare(NEW_USER | NEW_MOUNTS)); os.mkdir("mounted")
    libc.mount(os.fsencode(OUT), b"mounted", None, 0x1000, None); reach("mounted/stream")
def new_mounts(): checked(libc.unshare(NEW_USER | NEW_MOUNTS)); reach(OUT + "/stream")
def a_detached_mount():
    checked(libc.unshare(NEW_USER | NEW_MOUNTS))
    tree = checked(libc.syscall(428, -100, os.fsencode(OUT), 1)); os.fchdir(tree); reach("stream")
def the_network_of_the_first_process(): checked(libc.setns(os.open("/proc/1/ns/net", 0), 0)); reach("\0" + ABSTRACT)
def a_descriptor_of_the_first_process():
    for number in range(64):
        if libc.syscall(438, checked(libc.syscall(434, 1, 0)), number, 0) >= 0: print("ESCAPED")
def memory_of_the_first_process():
    open("/proc/1/mem", "rb").read(1); print("ESCAPED")
def an_answer_of_its_own():
    code = (ctypes.c_uint64 * 1)(0x06 | 0x7fc00000 << 32)
    program = struct.pack("HxxxxxxP", 1, ctypes.addressof(code))
    listener = libc.syscall(317, 1, 8, program)
    if listener >= 0: print("ESCAPED")
    reach(OUT + "/stream")
def a_ring(): checked(libc.syscall(425, 1, ctypes.create_string_buffer(120))); print("ESCAPED")
def a_call_of_32_bits():
    # push %rbx; mov $359 (socket), 1, 1, 0; int $0x80; pop %rbx; ret
    code = bytes.fromhex("53b867010000bb01000000b90100000031d2cd805bc3")
    memory = mmap.mmap(-1, 4096, prot=7); memory.write(code)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    if call() >= 0: print("ESCAPED", flush=True)
def a_call_of_x32(): checked(libc.syscall(0x40000000 + 41, UNIX, STREAM, 0)); print("ESCAPED")


def listening(name):
    listener = socket.socket(UNIX); listener.bind(name); listener.listen(ROUNDS * 2)
    return listener


def race(swap, attempt):
    """Whatever `attempt` reaches is either the own listener or nothing."""
    over = threading.Event()
    def run():
        while not over.is_set(): swap()
    other = threading.Thread(target=run); other.start()
    for _ in range(ROUNDS):
        try: attempt()
        except OSError: pass
    over.set(); other.join()


def a_link_that_changes():
    own = listening("own1"); state = [0]
    os.symlink("own1", "changes")
    def swap():
        state[0] ^= 1
        os.symlink(OUT + "/stream" if state[0] else "own1", "changes.new"); os.rename("changes.new", "changes")
    race(swap, lambda: socket.socket(UNIX).connect("changes"))
def a_directory_that_changes():
    os.mkdir("d1"); own = listening("d1/stream"); os.symlink(OUT, "d2")
    swap = lambda: libc.renameat2(-100, b"d1", -100, b"d2", 2)
    race(swap, lambda: socket.socket(UNIX).connect("d1/stream"))
def a_file_that_changes():
    own = listening("own2")
    os.link("theirs", "theirs2")
    swap = lambda: libc.renameat2(-100, b"own2", -100, b"theirs2", 2)
    race(swap, lambda: socket.socket(UNIX).connect("own2"))
def an_address_that_changes():
    name = PROJECT + "/own3"; own = listening(name)
    size = max(len(name), len(OUT) + 7) + 3
    first, second = (bytes_of(path).ljust(size, b"\0") for path in (name, OUT + "/stream"))
    address = ctypes.create_string_buffer(first, size)
    def swap(): ctypes.memmove(address, second, size); ctypes.memmove(address, first, size)
    race(swap, lambda: libc.connect(socket.socket(UNIX).fileno(), address, size))
def a_descriptor_that_changes():
    address = bytes_of(OUT + "/stream"); internet, unix = socket.socket(), socket.socket(UNIX)
    fd = os.dup(internet.fileno())
    def swap(): os.dup2(unix.fileno(), fd); os.dup2(internet.fileno(), fd)
    race(swap, lambda: libc.connect(fd, address, len(address)))
    try: unix.getpeername(); print("ESCAPED")
    except OSError: pass
def a_directory_that_is_left():
    own = listening("stream")
    def swap(): os.chdir(OUT); os.chdir(PROJECT)
    race(swap, lambda: socket.socket(UNIX).connect("stream"))
def callers_that_are_killed():
    for _ in range(20):
        child = os.fork()
        if child == 0:
            while True:
                tried(OUT + "/stream")
        os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
def inode_numbers_of_another_file_system():
    kept = [listening(f"/dev/shm/{number}") for number in range(200)]
    reach(OUT + "/stream")
def many_that_wait():
    full = socket.socket(UNIX); full.bind("full"); full.listen(0)
    def wait():
        try: socket.socket(UNIX).connect("full")
        except OSError: pass
    for _ in range(140): threading.Thread(target=wait, daemon=True).start()
    threading.Timer(1, full.close).start()
    reach(OUT + "/stream")
def a_passed_socket():
    ours, theirs = socket.socketpair(); client = socket.socket(UNIX)
    socket.send_fds(ours, [b"x"], [client.fileno()])
    _, fds, _, _ = socket.recv_fds(theirs, 1, 1); reach(OUT + "/stream", client=socket.socket(fileno=fds[0]))


def main():
    attacks = [(name, it) for name, it in globals().items() if callable(it) and getattr(it, "__module__", "") == "__main__"]
    helpers = {"checked", "reach", "tried", "bytes_of", "libc_connect", "listening", "race", "main"}
    attacks = [(name, it) for name, it in attacks if name not in helpers]
    for name, attack in attacks:
        child = os.fork()
        if child == 0:
            try: attack()
            except Exception as error: print(name, "held:", error, flush=True)
            else: print(name, "ended", flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    print(len(attacks), "attacks")


main()

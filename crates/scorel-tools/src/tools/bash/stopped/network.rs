//! Connections that the sandbox may have denied.

use std::fs;

use super::denial::Denied;
use super::facts::SandboxFacts;
use super::line::Line;

/// A name was not resolved: there is no resolver without the network.
const NO_NAME: [&str; 11] = [
    "could not resolve host",
    "could not resolve proxy",
    "dns error",
    "eai_again",
    "failed to lookup address information",
    "failed to resolve address",
    "getaddrinfo enotfound",
    "name or service not known",
    "no address associated with hostname",
    "temporary failure in name resolution",
    "unable to resolve host address",
];

/// There is no route anywhere.
const NO_ROUTE: [&str; 2] = ["network is unreachable", "enetunreach"];

/// The messages of programs about a socket that they cannot have.
const OF_SOCKETS: [&str; 8] = [
    "bind",
    "connect",
    "connection",
    "dial",
    "getaddrinfo",
    "listen",
    "lookup",
    "socket",
];

/// The names of internet sockets in messages.
const OF_INTERNET: [&str; 4] = ["dial tcp", "dial udp", "lookup", "ping"];

/// The messages of programs about a server that does not answer.
const REFUSED: [&str; 5] = [
    "connection refused",
    "could not connect to",
    "couldn't connect to",
    "econnrefused",
    "failed to connect to",
];

/// The number of lines before an error that may tell what it is about: a traceback has two for each call.
const NEAR: usize = 8;

/// This machine, as programs write it.
const LOCAL: [&str; 5] = ["127.0.0.1", "localhost", "::1", "0.0.0.0", "[::]"];

pub(super) fn denied(facts: &SandboxFacts, line: &Line<'_>) -> Option<Denied> {
    if facts.network {
        return None;
    }
    if line.has(&NO_NAME) || line.has(&NO_ROUTE) {
        return Some(Denied::Network);
    }
    if line.says_not_permitted() && is_about_sockets(line) {
        let is_of_internet = !facts.has_loopback || line.has(&OF_INTERNET);
        return Some(match is_of_internet {
            true => Denied::Network,
            // Sockets of the internet are not refused there, so it was a Unix socket.
            false => Denied::Socket { path: None },
        });
    }
    if !line.has(&REFUSED) {
        return None;
    }
    if line.has(&LOCAL) {
        let port = ports(line.text).into_iter().find(|port| is_served(*port))?;
        return Some(Denied::LocalServer { port });
    }
    // Without an error number, as it says so of every host.
    line.text
        .starts_with("curl: (7)")
        .then_some(Denied::Network)
}

fn is_about_sockets(line: &Line<'_>) -> bool {
    let mut before = line.before(NEAR).map(str::to_lowercase);
    line.has_word(&OF_SOCKETS)
        || line.has(&["permissionerror"])
            && before.any(|line| line.contains("socket.") || line.contains("connect("))
}

/// Possible port numbers in a text: those after a colon, a slash or the word `port`.
fn ports(text: &str) -> Vec<u16> {
    let after = |mark: &'static str| {
        text.split(mark).skip(1).filter_map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit());
            rest[..end.unwrap_or(rest.len())].parse().ok()
        })
    };
    after(":")
        .chain(after("/"))
        .chain(after("port "))
        .filter(|port| *port > 0)
        .collect()
}

/// Returns whether a server listens at this port outside the sandbox.
fn is_served(port: u16) -> bool {
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .any(|table| table.lines().skip(1).any(|line| listens_at(line, port)))
}

/// Returns whether a line of the table of sockets is one that listens (state `0A`) at the port.
fn listens_at(line: &str, port: u16) -> bool {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, local, _, "0A", ..] = fields.as_slice() else {
        return false;
    };
    let found = local
        .rsplit_once(':')
        .map(|(_, port)| u16::from_str_radix(port, 16));
    found == Some(Ok(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_found_where_programs_write_them() {
        for (text, port) in [
            ("connect ECONNREFUSED 127.0.0.1:3000", 3000),
            ("Failed to connect to localhost port 8080 after 0 ms", 8080),
            (
                "bash: line 1: /dev/tcp/127.0.0.1/9000: Connection refused",
                9000,
            ),
            ("dial tcp [::1]:5432: connect: connection refused", 5432),
        ] {
            assert!(ports(text).contains(&port), "{text}");
        }
    }

    #[test]
    fn a_listening_socket_is_recognised() {
        let listens = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:0";
        assert!(listens_at(listens, 8080));
        assert!(!listens_at(listens, 8081));
        assert!(!listens_at(&listens.replace(" 0A ", " 01 "), 8080));
    }
}

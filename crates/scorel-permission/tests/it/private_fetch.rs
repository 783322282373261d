//! Pages of private hosts.

use scorel_permission::{Decision, Mode, Rule};

use crate::support::{policy, private};

#[test]
fn a_private_host_needs_an_answer_or_a_rule_that_names_it() {
    for mode in [Mode::Readonly, Mode::Workspace, Mode::Full] {
        let decide = |deny: &[&str], allow: &[&str], url: &str| {
            policy(mode, deny, &[], allow).judge(&private(url)).decision
        };
        let url = "http://localhost:8080/x";
        assert_eq!(decide(&[], &[], url), Decision::Ask, "{mode}");
        assert_eq!(decide(&[], &["WebFetch"], url), Decision::Ask, "{mode}");
        assert_eq!(decide(&[], &["WebFetch(domain:*)"], url), Decision::Ask);
        let named = ["WebFetch(domain:localhost)"];
        assert_eq!(decide(&[], &named, url), Decision::Allow, "{mode}");
        assert_eq!(decide(&[], &named, "http://127.0.0.1/"), Decision::Ask);
        assert_eq!(decide(&["WebFetch"], &named, url), Decision::Deny);
        let address = ["WebFetch(domain:127.0.0.1)"];
        assert_eq!(decide(&[], &address, "http://127.1/"), Decision::Allow);
        for spelled in [
            "http://127.0.0.1../",
            "http://0x7f.1。",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert_eq!(decide(&[], &address, spelled), Decision::Allow);
            assert_eq!(decide(&address, &[], spelled), Decision::Deny);
            let named = [&*format!(
                "WebFetch(domain:{})",
                &spelled[7..].trim_end_matches('/')
            )];
            assert_eq!(decide(&named, &[], "http://127.0.0.1/"), Decision::Deny);
        }
        let below = ["WebFetch(domain:*.lan)"];
        assert_eq!(decide(&[], &below, "https://wiki.lan/"), Decision::Allow);
        assert_eq!(decide(&[], &named, "ftp://localhost/"), Decision::Deny);
    }
}

#[test]
fn an_answer_offers_a_rule_that_names_the_host() {
    let policy = policy(Mode::Workspace, &[], &[], &["WebFetch"]);
    let rules = policy.offer(&private("http://LOCALHOST:80/x")).rules;
    let rules: Vec<String> = rules.iter().map(Rule::to_string).collect();
    assert_eq!(rules, ["WebFetch(domain:localhost)"]);
    let rules = policy.offer(&private("http://0x7f.0.0.1..:80/x")).rules;
    assert_eq!(rules[0].as_str(), "WebFetch(domain:127.0.0.1)");
}

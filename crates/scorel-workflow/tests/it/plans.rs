use scorel_workflow::Plan;

use crate::sample::Sample;

fn plan(sample: &Sample, workflow: Option<&str>) -> Plan {
    let package = sample.read().package.unwrap();
    Plan::of(&package, package.workflow(workflow).unwrap())
}

#[test]
fn a_plan_says_what_a_run_would_be() {
    let plan = plan(&Sample::new(), None);
    let mut lines = plan.lines();
    assert_eq!(lines.pop(), Some(format!("plan {}", plan.digest())));
    let expected = "notes/long 1.0.0: long\nbegins with ask\n  ask     step      writer\n      -> write (next)\n      \
        waits for a person\n  write   step      writer\n      -> review (next)\n      must write artifacts/notes.md\n      \
        never Bash\n  review  step      writer\n      -> write (fix)\n      -> end-99 (good)\n      at most 3 visits\n  \
        end-99  end       writer\nagent writer (Ann, Writer): files, read up to 1000 bytes; servers search\n\
        waits for a person at ask";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn any_change_of_a_package_changes_the_digest_of_its_plan() {
    let sample = Sample::new();
    let digest = plan(&sample, None).digest();
    assert_eq!(digest, plan(&sample, Some("long")).digest());
    assert_ne!(digest, plan(&sample, Some("short")).digest());
    for path in sample.0.keys() {
        let mut other = sample.clone();
        other.0.get_mut(path).unwrap().push(b'\n');
        assert_ne!(digest, plan(&other, None).digest(), "{path}");
    }
}

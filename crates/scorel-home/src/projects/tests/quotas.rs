use scorel_proto::{QuotaPolicy, QuotaStrategy};

use super::*;

fn policy(project: u32) -> QuotaPolicy {
    QuotaPolicy {
        project: Some(project),
        ..QuotaPolicy::default()
    }
}

fn project(fixture: &Fixture, name: &str) -> ProjectId {
    let directory = fixture.directory(name);
    let (project, _) = fixture.registry.register(&directory, None).unwrap();
    project.project_id
}

#[test]
fn a_policy_is_of_one_agent_in_one_project_and_on_the_disk() {
    let fixture = Fixture::new();
    let (a, b) = (project(&fixture, "a"), project(&fixture, "b"));
    let ours = QuotaPolicy {
        project: Some(2),
        workflow: [("release".to_owned(), 0)].into(),
        strategy: QuotaStrategy::Serial,
    };
    assert!(
        fixture
            .registry
            .set_quota(a, "review", &ours, None)
            .unwrap()
    );
    for registry in [&fixture.registry, &fixture.reopened()] {
        assert_eq!(registry.quota(a, "review"), ours);
        assert!(registry.quota(a, "other").is_empty());
        assert!(registry.quota(b, "review").is_empty());
    }
    let later = fixture.registry.register(&fixture.directory("c"), None);
    later.unwrap();
    assert_eq!(fixture.reopened().quota(a, "review"), ours);
}

#[test]
fn a_policy_replaces_the_one_that_its_caller_knows() {
    let fixture = Fixture::new();
    let id = project(&fixture, "a");
    let set = |policy: &QuotaPolicy, expected: &QuotaPolicy| {
        fixture.registry.set_quota(id, "x", policy, Some(expected))
    };
    assert!(set(&policy(2), &QuotaPolicy::default()).unwrap());
    let refused = set(&policy(3), &QuotaPolicy::default()).unwrap_err();
    assert!(matches!(refused, ProjectError::OtherQuota(known) if known == policy(2)));
    assert_eq!(fixture.registry.quota(id, "x"), policy(2));
    // Said again after a lost reply.
    assert!(set(&policy(2), &QuotaPolicy::default()).unwrap());
    assert!(set(&QuotaPolicy::default(), &policy(2)).unwrap());
    assert!(fixture.registry.quota(id, "x").is_empty());
}

#[test]
fn an_empty_policy_leaves_nothing_in_the_file() {
    let fixture = Fixture::new();
    let id = project(&fixture, "a");
    let path = fixture.dir.path().join("projects.json");
    let before = fs::read_to_string(&path).unwrap();
    assert!(!before.contains("quotas"), "{before}");
    fixture
        .registry
        .set_quota(id, "review", &policy(2), None)
        .unwrap();
    assert_ne!(fs::read_to_string(&path).unwrap(), before);
    fixture
        .registry
        .set_quota(id, "review", &QuotaPolicy::default(), None)
        .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn a_project_that_is_not_registered_has_no_policies() {
    let fixture = Fixture::new();
    let id = project(&fixture, "a");
    fixture
        .registry
        .set_quota(id, "x", &policy(2), None)
        .unwrap();
    fixture.registry.remove(id).unwrap();
    assert!(fixture.registry.quota(id, "x").is_empty());
    assert!(
        !fixture
            .registry
            .set_quota(id, "x", &policy(2), None)
            .unwrap()
    );
}

#[test]
fn a_policy_that_cannot_be_written_is_not_in_force() {
    let fixture = Fixture::new();
    let id = project(&fixture, "a");
    let path = fixture.dir.path().join("projects.json");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let refused = fixture.registry.set_quota(id, "x", &policy(2), None);
    assert!(matches!(
        refused,
        Err(ProjectError::File(StateError::Write { .. }))
    ));
    assert!(fixture.registry.quota(id, "x").is_empty());
}

#[test]
fn a_policy_beyond_its_bounds_is_refused_by_kind() {
    let fixture = Fixture::new();
    let id = project(&fixture, "a");
    let of_workflows = |ids: Vec<String>, number| QuotaPolicy {
        workflow: ids.into_iter().map(|id| (id, number)).collect(),
        ..QuotaPolicy::default()
    };
    let many = |count| (0..count).map(|n| format!("w{n}")).collect();
    let named = |id: &str| of_workflows(vec![id.to_owned()], 1);
    let set = |policy: &QuotaPolicy| fixture.registry.set_quota(id, "x", policy, None);
    for (policy, expected) in [
        (policy(1001), QuotaError::TooHigh { number: 1001 }),
        (
            of_workflows(many(1), 1001),
            QuotaError::TooHigh { number: 1001 },
        ),
        (
            of_workflows(many(257), 1),
            QuotaError::TooManyWorkflows { count: 257 },
        ),
        (named(""), QuotaError::WorkflowId),
        (named("a b"), QuotaError::WorkflowId),
        (named("ü"), QuotaError::WorkflowId),
        (named(&"x".repeat(129)), QuotaError::WorkflowId),
    ] {
        let refused = set(&policy).unwrap_err();
        assert!(
            matches!(&refused, ProjectError::Quota(error) if *error == expected),
            "{refused}"
        );
        assert!(fixture.registry.quota(id, "x").is_empty());
    }
    for policy in [
        policy(1000),
        policy(0),
        of_workflows(many(256), 1000),
        named(&"~".repeat(128)),
    ] {
        assert!(set(&policy).unwrap());
        assert_eq!(fixture.registry.quota(id, "x"), policy);
    }
}

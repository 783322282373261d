use scorel_proto::{QuotaPolicy, QuotaSource, SetAgentParams, SetQuotaParams};

use super::*;

impl TestHome {
    fn config(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("config.toml")).unwrap_or_default()
    }

    fn write_config(&self, text: &str) {
        std::fs::write(self.dir.path().join("config.toml"), text).unwrap();
    }
}

fn agent(name: &str, quota: u32) -> Effect {
    Effect::SetAgent {
        params: SetAgentParams {
            agent_type: name.to_owned(),
            default_quota: Some(Some(quota)),
            ..SetAgentParams::default()
        },
    }
}

fn quota(project_id: ProjectId, name: &str, number: u32) -> Effect {
    Effect::SetQuota {
        params: SetQuotaParams {
            project_id,
            agent_type: name.to_owned(),
            policy: QuotaPolicy {
                project: Some(number),
                ..QuotaPolicy::default()
            },
            expected: None,
            command_id: None,
        },
    }
}

/// How many may run at once, and the host feed's version.
async fn state(host: &Host, project: Option<ProjectId>) -> (u32, QuotaSource, u64) {
    let quota = host.agent(project, "review").await.unwrap().quota;
    let (version, _) = host.snapshot().await.unwrap();
    (quota.effective, quota.source, version)
}

#[tokio::test]
async fn a_changed_agent_is_in_force_told_and_changed_once() {
    let place = TestHome::new();
    let host = place.start().await;
    let set = |host: Arc<Host>| {
        let command = place.command("c1", "x");
        async move { mutate(&host, command, agent("review", 3)).await }
    };
    let (before, _) = host.snapshot().await.unwrap();
    assert_eq!(set(Arc::clone(&host)).await, Ok(Subject::Configuration));
    let expected = (3, QuotaSource::Default, before + 1);
    assert_eq!(state(&host, None).await, expected);
    // The answer stands, although the file has changed since.
    place.write_config("[agents.review]\ndefaultQuota = 7\n");
    assert_eq!(set(Arc::clone(&host)).await, Ok(Subject::Configuration));
    let host = place.start().await;
    assert_eq!(set(Arc::clone(&host)).await, Ok(Subject::Configuration));
    assert_eq!(place.config(), "[agents.review]\ndefaultQuota = 7\n");
}

#[tokio::test]
async fn the_next_start_finishes_a_begun_change_of_an_agent_and_of_a_quota() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    place.dies_before("c1", "x", &agent("review", 3)).await;
    place
        .dies_before("c2", "y", &quota(project, "review", 5))
        .await;
    for _ in 0..2 {
        let host = place.start().await;
        assert_eq!(place.config(), "[agents.review]\ndefaultQuota = 3\n");
        let (effective, source, _) = state(&host, Some(project)).await;
        assert_eq!((effective, source), (5, QuotaSource::Project));
        let again = mutate(&host, place.command("c2", "y"), quota(project, "review", 5));
        assert_eq!(again.await, Ok(Subject::ProjectId(project)));
    }
}

#[tokio::test]
async fn a_quota_is_of_its_project_and_told_with_it() {
    let place = TestHome::new();
    place.write_config("[agents.review]\n");
    let host = place.start().await;
    let project = place.project(&host).await;
    let (before, _) = host.snapshot().await.unwrap();
    let set = mutate(&host, place.command("c1", "x"), quota(project, "review", 5));
    assert_eq!(set.await, Ok(Subject::ProjectId(project)));
    let expected = (5, QuotaSource::Project, before + 1);
    assert_eq!(state(&host, Some(project)).await, expected);
    let expected = (1, QuotaSource::Default, before + 1);
    assert_eq!(state(&host, None).await, expected);
}

#[tokio::test]
async fn what_is_refused_changes_nothing_and_is_not_tried_by_the_next_start() {
    let place = TestHome::new();
    place.write_config("[agents.review]\n");
    let host = place.start().await;
    let project = place.project(&host).await;
    let unknown = mutate(&host, place.command("c1", "x"), quota(project, "reveiw", 5));
    let refused = unknown.await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::AgentNotFound);
    assert_eq!(refused.details["suggestion"], "review");
    let elsewhere = quota(ProjectId::generate(), "review", 5);
    let refused = mutate(&host, place.command("c2", "x"), elsewhere).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::ProjectNotFound);
    let refused = mutate(
        &host,
        place.command("c3", "x"),
        quota(project, "review", 1001),
    )
    .await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidParams);
    assert_eq!(refused.details["field"], "policy");
    let refused = mutate(&host, place.command("c4", "x"), agent("review", 1001)).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidParams);
    assert_eq!(refused.details["field"], "defaultQuota");
    place.write_config("[agents.review]\n[modle]\n");
    let refused = mutate(&host, place.command("c5", "x"), agent("review", 2)).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, ErrorCode::FilesystemError);
    assert_eq!(
        (&refused.details["line"], &refused.details["column"]),
        (&2.into(), &2.into())
    );
    place.write_config("[agents.review]\n");
    let host = place.start().await;
    assert_eq!(place.config(), "[agents.review]\n");
    assert_eq!(state(&host, Some(project)).await.0, 1);
}

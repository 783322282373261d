use scorel_proto::{QuotaPolicy, QuotaSource, QuotaStrategy};

use super::*;
use crate::agents::{AgentPolicy, OrchestratorLimits};

const AGENT: &str = "developer";

struct Stage {
    schedule: Schedule,
    project: ProjectId,
    parent: SessionId,
    tasks: Vec<(AgentTaskId, Task)>,
}

impl Stage {
    fn new() -> Self {
        Self {
            schedule: Schedule::default(),
            project: ProjectId::generate(),
            parent: SessionId::generate(),
            tasks: Vec::new(),
        }
    }

    fn rules(&self, quota: QuotaPolicy) -> Rules {
        let project = ProjectAgents {
            agents: [(AGENT.to_owned(), AgentPolicy::for_test(1, quota))].into(),
            limits: OrchestratorLimits::default(),
        };
        Rules::from([(self.project, project)])
    }

    fn spawn(&mut self, workflow: Option<&str>) -> AgentTaskId {
        let (id, number) = (AgentTaskId::generate(), self.tasks.len() as u64 + 1);
        let task = Task {
            parent: self.parent,
            project_id: self.project,
            agent_type: AGENT.to_owned(),
            workflow_id: workflow.map(str::to_owned),
            session_id: Some(SessionId::generate()),
            status: AgentTaskStatus::Queued,
            position: None,
            started_at: number,
            spawned_seq: Seq::new(number).unwrap(),
        };
        self.tasks.push((id, task));
        self.refresh();
        id
    }

    fn refresh(&mut self) {
        self.schedule.refresh(self.parent, self.tasks.clone());
    }

    fn end(&mut self, id: AgentTaskId) {
        self.tasks.retain(|(known, _)| *known != id);
        self.refresh();
    }

    fn admitted(&mut self, rules: &Rules) -> Vec<AgentTaskId> {
        self.schedule.admit(rules);
        let tasks = self.tasks.iter().map(|(id, _)| *id);
        tasks.filter(|id| self.schedule.is_admitted(*id)).collect()
    }
}

#[test]
fn a_workflows_number_counts_before_a_projects_and_that_before_the_agents() {
    for (workflow, project, serial, effective, source) in [
        (None, None, false, 4, QuotaSource::Default),
        (None, Some(2), false, 2, QuotaSource::Project),
        (Some(3), None, false, 3, QuotaSource::Workflow),
        (Some(3), Some(2), false, 3, QuotaSource::Workflow),
        (None, None, true, 1, QuotaSource::Serial),
        (None, Some(2), true, 1, QuotaSource::Serial),
        (Some(3), None, true, 1, QuotaSource::Serial),
        (Some(3), Some(2), true, 1, QuotaSource::Serial),
    ] {
        let numbers = workflow.map(|number| ("release".to_owned(), number));
        let quota = QuotaPolicy {
            project,
            workflow: numbers.into_iter().collect(),
            strategy: match serial {
                true => QuotaStrategy::Serial,
                false => QuotaStrategy::Concurrent,
            },
        };
        let found = AgentPolicy::for_test(4, quota).effective(Some("release"));
        assert_eq!((found.effective, found.source), (effective, source));
    }
    let none = QuotaPolicy {
        project: Some(0),
        strategy: QuotaStrategy::Serial,
        ..QuotaPolicy::default()
    };
    assert_eq!(AgentPolicy::for_test(4, none).effective(None).effective, 0);
}

#[test]
fn the_oldest_begins_first_and_the_next_when_it_has_ended() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy::default());
    let ids: Vec<AgentTaskId> = (0..4).map(|_| stage.spawn(None)).collect();
    assert_eq!(stage.admitted(&rules), ids[..1]);
    assert_eq!(stage.admitted(&rules), ids[..1], "one is enough");
    assert_eq!(stage.schedule.counts(None, AGENT), (1, 3));
    stage.end(ids[0]);
    assert_eq!(stage.admitted(&rules), ids[1..2]);
    let places = stage.schedule.places(&rules);
    assert_eq!(places.into_values().next().unwrap(), ids[2..]);
}

#[test]
fn a_task_without_a_session_keeps_the_others_behind_it_waiting() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy::default());
    let (first, second) = (stage.spawn(None), stage.spawn(None));
    let session = stage.tasks[0].1.session_id.take();
    stage.refresh();
    assert_eq!(stage.admitted(&rules), []);
    stage.tasks[0].1.session_id = session;
    stage.refresh();
    assert_eq!(stage.admitted(&rules), [first]);
    stage.end(first);
    assert_eq!(stage.admitted(&rules), [second]);
}

#[test]
fn a_workflow_that_the_policy_names_has_a_queue_of_its_own() {
    let mut stage = Stage::new();
    let quota = QuotaPolicy {
        workflow: [("release".to_owned(), 1)].into(),
        ..QuotaPolicy::default()
    };
    let rules = stage.rules(quota);
    let (plain, release) = (stage.spawn(None), stage.spawn(Some("release")));
    let (other, waits) = (stage.spawn(Some("other")), stage.spawn(Some("release")));
    assert_eq!(stage.admitted(&rules), [plain, release]);
    let places = stage.schedule.places(&rules);
    let queues: Vec<_> = places.into_values().collect();
    assert_eq!(queues, [vec![other], vec![waits]]);
}

#[test]
fn a_task_that_waits_for_its_own_tasks_does_not_count() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy::default());
    let first = stage.spawn(None);
    assert_eq!(stage.admitted(&rules), [first]);
    let mut below = Stage {
        parent: stage.tasks[0].1.session_id.unwrap(),
        project: stage.project,
        schedule: std::mem::take(&mut stage.schedule),
        tasks: Vec::new(),
    };
    let second = below.spawn(None);
    assert_eq!(below.admitted(&rules), [], "the one above works on");
    let above = below.schedule.delegating();
    assert_eq!(above, [below.parent].into());
    below.schedule.set_resting(above);
    assert_eq!(below.admitted(&rules), [second]);
}

#[test]
fn a_task_is_moved_within_its_queue() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy {
        project: Some(0),
        ..QuotaPolicy::default()
    });
    let ids: Vec<AgentTaskId> = (0..4).map(|_| stage.spawn(None)).collect();
    let queue = |stage: &Stage| {
        let places = stage.schedule.places(&rules);
        places.into_values().next().unwrap()
    };
    assert!(stage.schedule.shift(ids[3], 1, &rules));
    assert_eq!(queue(&stage), [ids[3], ids[0], ids[1], ids[2]]);
    assert!(stage.schedule.shift(ids[0], 99, &rules));
    assert_eq!(queue(&stage), [ids[3], ids[1], ids[2], ids[0]]);
    assert!(!stage.schedule.shift(AgentTaskId::generate(), 1, &rules));
    // The next daemon has the places that were recorded.
    let order = queue(&stage);
    let mut next = Schedule::default();
    for (id, task) in &mut stage.tasks {
        let place = order.iter().position(|known| known == id).unwrap();
        task.position = Some(u32::try_from(place).unwrap() + 1);
    }
    next.refresh(stage.parent, stage.tasks.clone());
    stage.schedule = next;
    assert_eq!(queue(&stage), order);
}

#[test]
fn the_number_of_all_that_run_is_limited() {
    let mut stage = Stage::new();
    let mut rules = stage.rules(QuotaPolicy {
        project: Some(9),
        ..QuotaPolicy::default()
    });
    if let Some(project) = rules.get_mut(&stage.project) {
        project.limits.max_running = 2;
    }
    let ids: Vec<AgentTaskId> = (0..4).map(|_| stage.spawn(None)).collect();
    assert_eq!(stage.admitted(&rules), ids[..2]);
}

#[test]
fn one_that_can_begin_at_once_does_not_count_as_waiting() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy {
        project: Some(2),
        ..QuotaPolicy::default()
    });
    let bucket = bucket_of(rules.get(&stage.project), stage.project, AGENT, None);
    let waiting = |stage: &Stage, more| stage.schedule.queued_with(&bucket, more, &rules);
    assert_eq!((waiting(&stage, 2), waiting(&stage, 3)), (0, 1));
    stage.spawn(None);
    assert_eq!((waiting(&stage, 1), waiting(&stage, 2)), (0, 1));
    stage.admitted(&rules);
    stage.spawn(None);
    stage.spawn(None);
    assert_eq!(waiting(&stage, 1), 2);
}

#[test]
fn under_the_common_limit_the_oldest_begins_whichever_its_agent() {
    let mut stage = Stage::new();
    let mut rules = stage.rules(QuotaPolicy {
        project: Some(8),
        ..QuotaPolicy::default()
    });
    let project = rules.get_mut(&stage.project).unwrap();
    let policy = project.agents[AGENT].clone();
    project.agents.insert("a".to_owned(), policy);
    project.limits.max_running = 1;
    let older = stage.spawn(None);
    stage.spawn(None);
    stage.tasks[1].1.agent_type = "a".to_owned();
    stage.refresh();
    assert_eq!(stage.admitted(&rules), [older]);
}

#[test]
fn what_is_serial_runs_one_at_a_time_for_workflows_too() {
    let mut stage = Stage::new();
    let rules = stage.rules(QuotaPolicy {
        project: Some(4),
        workflow: [("release".to_owned(), 2)].into(),
        strategy: QuotaStrategy::Serial,
    });
    let (plain, release) = (stage.spawn(None), stage.spawn(Some("release")));
    assert_eq!(stage.admitted(&rules), [plain]);
    stage.end(plain);
    assert_eq!(stage.admitted(&rules), [release]);
}

#[test]
fn the_projects_own_limit_holds_for_all_queues_of_an_agent_together() {
    let mut stage = Stage::new();
    let mut rules = stage.rules(QuotaPolicy {
        project: Some(4),
        workflow: [("release".to_owned(), 4)].into(),
        ..QuotaPolicy::default()
    });
    let project = rules.get_mut(&stage.project).unwrap();
    project.agents.get_mut(AGENT).unwrap().cap = Some(2);
    let ids = [None, Some("release"), None, Some("release")].map(|flow| stage.spawn(flow));
    assert_eq!(stage.admitted(&rules), ids[..2]);
    stage.end(ids[0]);
    assert_eq!(stage.admitted(&rules), ids[1..3], "the oldest of both");
    let bucket = bucket_of(
        rules.get(&stage.project),
        stage.project,
        AGENT,
        Some("release"),
    );
    let waiting = stage.schedule.queued_with(&bucket, 1, &rules);
    assert_eq!(waiting, 2, "there is no room although its queue has some");
}

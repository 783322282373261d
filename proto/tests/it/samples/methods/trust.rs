use scorel_proto::{
    FindFiles, FindFilesParams, FindFilesResult, GetTrust, GetTrustParams, GetTrustResult,
    ItemContent, ItemProgram, ListSkills, ListSkillsParams, ListSkillsResult, SetTrust,
    SetTrustParams, SetTrustResult, SkillInfo, SkillSource, SkillState, TrustFile, TrustItem,
    TrustState, TrustedFileChange, TrustedItem,
};

use super::{method, result_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let project_id = ids::project();
    let mut all = Vec::new();
    all.extend(method::<ListSkills>(
        &ListSkillsParams {
            project_id: Some(project_id),
        },
        &ListSkillsResult {
            skills: vec![skill()],
        },
    ));
    all.extend(method::<FindFiles>(
        &FindFilesParams {
            project_id,
            query: "parse".into(),
            limit: Some(2),
        },
        &FindFilesResult {
            files: vec!["src/parse.rs".into(), "src/parse/line.rs".into()],
            complete: true,
        },
    ));
    let items = vec![item()];
    all.extend(method::<GetTrust>(
        &GetTrustParams { project_id },
        &GetTrustResult {
            items: items.clone(),
        },
    ));
    all.push(result_of::<GetTrust>(
        ".changed",
        &GetTrustResult {
            items: vec![changed()],
        },
    ));
    all.push(result_of::<GetTrust>(
        ".hook",
        &GetTrustResult {
            items: vec![hook()],
        },
    ));
    all.extend(method::<SetTrust>(
        &SetTrustParams {
            project_id,
            items: vec![TrustedItem {
                item: "skill:review".into(),
                digest: Some("5c".repeat(32)),
            }],
            trusted: true,
        },
        &SetTrustResult { items },
    ));
    all
}

fn skill() -> SkillInfo {
    SkillInfo {
        name: "review".into(),
        description: "Reviews a change".into(),
        state: SkillState::Invalid,
        for_model: false,
        source: SkillSource::Project,
        path: "/home/ada/app/.scorel/skills/review".into(),
        problem: Some("SKILL.md: `name` is missing".into()),
        warning: None,
    }
}

fn item() -> TrustItem {
    TrustItem {
        item: "skill:review".into(),
        state: TrustState::Trusted,
        path: "/home/ada/app/.scorel/skills/review".into(),
        digest: Some("5c".repeat(32)),
        files: vec![TrustFile {
            path: "SKILL.md".into(),
            change: None,
        }],
        more_files: 0,
        config_changed: false,
        content: ItemContent::default(),
        problem: None,
    }
}

fn hook() -> TrustItem {
    TrustItem {
        item: "hook:guard".into(),
        state: TrustState::Changed,
        path: "/home/ada/app/.scorel/config.toml".into(),
        config_changed: true,
        content: ItemContent {
            programs: vec![ItemProgram {
                directory: Some("tools".into()),
                command: "tools/guard.sh".into(),
                events: vec!["PreToolUse Bash".into()],
                environment: vec!["GUARD_TOKEN".into()],
                unsandboxed: false,
                network: true,
            }],
            tools: vec!["ext__notes__add".into()],
            commands: vec!["note".into()],
            skills: vec!["notes:tidy".into()],
            not_run: vec!["agents: this version runs none of a plugin".into()],
        },
        ..item()
    }
}

fn changed() -> TrustItem {
    TrustItem {
        state: TrustState::Changed,
        digest: None,
        files: vec![TrustFile {
            path: "run.sh".into(),
            change: Some(TrustedFileChange::Added),
        }],
        more_files: 3,
        problem: Some("a is a link or a special file".into()),
        ..item()
    }
}

use scorel_proto::{
    Channel, ChannelKind, CronChannel, CronFire, CronFireState, FireChannel, FireChannelParams,
    FireChannelResult, ListChannels, ListChannelsParams, ListChannelsResult, OutcomeReason,
    PermissionMode, SendMessageResult,
};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let channels = vec![schedule(), of_extension()];
    let mut all = Vec::from(method::<ListChannels>(
        &ListChannelsParams {
            project_id: Some(ids::project()),
        },
        &ListChannelsResult { channels },
    ));
    let again = FireChannelParams {
        name: "nightly".into(),
        fire_id: Some("by-hand-1".into()),
    };
    let message = SendMessageResult::Accepted {
        user_event_id: ids::event(1),
        turn_id: ids::turn(),
        seq: ids::seq(2),
    };
    all.extend(method::<FireChannel>(
        &again,
        &FireChannelResult {
            session_id: ids::session(),
            message,
        },
    ));
    let minimal = FireChannelParams {
        fire_id: None,
        ..again
    };
    all.push(params_of::<FireChannel>(".minimal", &minimal));
    all
}

fn schedule() -> Channel {
    Channel {
        name: "nightly".into(),
        kind: ChannelKind::Cron,
        enabled: true,
        extension: None,
        cron: Some(CronChannel {
            schedule: "30 2 * * *".into(),
            timezone: "Europe/Berlin".into(),
            project: "/home/ada/app".into(),
            mode: PermissionMode::Readonly,
            next_due: Some(ids::TS + 86_400_000),
            last: Some(CronFire {
                at: ids::TS,
                external_id: "nightly@2026-07-31T00:30:00Z".into(),
                state: CronFireState::Delivered,
                session_id: Some(ids::session()),
                problem: Some("the session works".into()),
                outcome: Some(OutcomeReason::Completed),
            }),
        }),
    }
}

fn of_extension() -> Channel {
    Channel {
        name: "tickets".into(),
        kind: ChannelKind::Extension,
        extension: Some("board".into()),
        cron: None,
        ..schedule()
    }
}

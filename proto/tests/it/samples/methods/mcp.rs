use std::collections::BTreeMap;

use scorel_proto::{
    ListMcpServers, ListMcpServersParams, ListMcpServersResult, McpEndpoint, McpLogin,
    McpLoginParams, McpLoginResult, McpLogout, McpLogoutParams, McpLogoutResult, McpProgram,
    McpServerInfo, McpServerState, McpToolInfo, McpTransport, OfferMcpServers,
    OfferMcpServersParams, OfferMcpServersResult, OfferedMcpServer, ProcessState, SkillSource,
    TestMcpServer, TestMcpServerParams, TestMcpServerResult,
};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<ListMcpServers>(
        &ListMcpServersParams {
            project_id: Some(ids::project()),
        },
        &ListMcpServersResult {
            servers: vec![server()],
        },
    ));
    let minimal = TestMcpServerParams {
        project_id: None,
        name: "tickets".into(),
        program: None,
        endpoint: None,
    };
    let pair = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let full = TestMcpServerParams {
        project_id: Some(ids::project()),
        program: Some(McpProgram {
            command: vec!["tickets-mcp".into(), "--read-only".into()],
            env: pair("LANG", "C.UTF-8"),
            secret_env: pair("TOKEN", "TICKETS_TOKEN"),
        }),
        ..minimal.clone()
    };
    all.extend(method::<TestMcpServer>(
        &full,
        &TestMcpServerResult {
            failure: Some("it has not answered within 30 s".into()),
            era: Some("2025-11-25".into()),
            tools: vec![McpToolInfo {
                name: "mcp__tickets__find".into(),
                description: "Finds tickets".into(),
                tokens: 120,
            }],
            problems: vec!["`drop`: its schema is deeper than 32".into()],
            stderr: "listening\n".into(),
            duration_ms: 210,
        },
    ));
    let elsewhere = TestMcpServerParams {
        endpoint: Some(McpEndpoint {
            url: "https://mcp.example.com/mcp".into(),
            headers: pair("X-Team", "red"),
            secret_headers: pair("Authorization", "TICKETS_TOKEN"),
        }),
        ..minimal.clone()
    };
    all.push(params_of::<TestMcpServer>(".minimal", &minimal));
    all.extend(offer());
    all.push(params_of::<TestMcpServer>(".http", &elsewhere));
    all.extend(logins());
    all
}

fn offer() -> Vec<Golden> {
    let none = OfferMcpServersParams {
        session_id: ids::session(),
        servers: Vec::new(),
    };
    let pair = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let some = OfferMcpServersParams {
        session_id: none.session_id,
        servers: vec![
            OfferedMcpServer::Stdio {
                name: "editor".into(),
                command: vec!["editor-mcp".into(), "--stdio".into()],
                env: pair("TOKEN", "of-the-editor"),
            },
            OfferedMcpServer::Http {
                name: "docs".into(),
                url: "http://127.0.0.1:7000/mcp".into(),
                headers: pair("X-Window", "2"),
            },
        ],
    };
    let refused = OfferMcpServersResult {
        refused: vec!["docs: there is another of this name".into()],
    };
    let mut all: Vec<Golden> = method::<OfferMcpServers>(&some, &refused)
        .into_iter()
        .collect();
    all.push(params_of::<OfferMcpServers>(".minimal", &none));
    all
}

fn logins() -> Vec<Golden> {
    let mut all = Vec::new();
    let begin = McpLoginParams {
        project_id: Some(ids::project()),
        name: Some("tickets".into()),
        redirect_uri: Some("http://127.0.0.1:49152/callback".into()),
        ..McpLoginParams::default()
    };
    let begun = McpLoginResult {
        login_id: Some("q1w2e3".into()),
        url: Some("https://login.example.com/authorize?response_type=code".into()),
    };
    all.extend(method::<McpLogin>(&begin, &begun));
    let end = McpLoginParams {
        login_id: Some("q1w2e3".into()),
        code: Some("r4t5".into()),
        state: Some("z6u7".into()),
        iss: Some("https://login.example.com".into()),
        ..McpLoginParams::default()
    };
    all.push(params_of::<McpLogin>(".end", &end));
    all.extend(method::<McpLogout>(
        &McpLogoutParams {
            project_id: None,
            name: "tickets".into(),
        },
        &McpLogoutResult {
            was_logged_in: true,
        },
    ));
    all
}

fn server() -> McpServerInfo {
    McpServerInfo {
        name: "tickets".into(),
        transport: Some(McpTransport::Stdio),
        state: McpServerState::Untrusted,
        reason: Some("`mcp:tickets` comes with the project and is not trusted".into()),
        source: SkillSource::Project,
        path: "/home/ada/app/.mcp.json".into(),
        command: "tickets-mcp --read-only".into(),
        process: Some(ProcessState::Backoff),
        era: Some("2026-07-28".into()),
        tools: Some(12),
        last_error: Some("it exited with 1".into()),
    }
}

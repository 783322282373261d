//! Files that a user attaches to a message.

use scorel_engine::{Effect, Permit};

use super::project::{Project, RESOLVERS, call, tool_call};
use crate::error::{ErrorCode, ToolError};
use crate::tools::read::MAX_ATTACHED_TEXT;
use crate::{AttachedContent, AttachedFile};

fn attach(project: &Project, path: &str) -> Result<AttachedFile, ToolError> {
    let tools = project.tools();
    let (effect, location) = tools.files().plan_attachment(path)?;
    assert!(matches!(effect, Effect::ReadPath { .. }), "{effect:?}");
    tools.files().attach(&location, &Permit::default())
}

fn utf16(text: &str) -> Vec<u8> {
    let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn text_is_decoded_and_measured_as_the_model_gets_it() {
    let project = Project::new();
    let limit = usize::try_from(MAX_ATTACHED_TEXT).unwrap();
    for (content, text, encoding) in [
        (b"caf\xc3\xa9\n".to_vec(), "café\n".to_owned(), None),
        (b"\xef\xbb\xbfa".to_vec(), "a".to_owned(), None),
        (b"caf\xe9\n".to_vec(), "café\n".to_owned(), Some("Latin-1")),
        (utf16("é\n"), "é\n".to_owned(), Some("UTF-16LE")),
        (Vec::new(), String::new(), None),
        (
            utf16(&"a".repeat(limit)),
            "a".repeat(limit),
            Some("UTF-16LE"),
        ),
        (vec![b'a'; limit], "a".repeat(limit), None),
    ] {
        project.write("dir/file", &content);
        let file = attach(&project, "./dir//file").unwrap();
        assert_eq!(file.path, "dir/file");
        assert_eq!(file.size, content.len() as u64);
        let expected = AttachedContent::Text { text, encoding };
        assert!(file.content == expected, "{encoding:?}");
    }
    for content in [
        vec![b'a'; limit + 1],
        utf16(&"a".repeat(limit + 1)),
        // Latin-1 whose letters take two bytes in UTF-8.
        b"\xe9a".repeat(limit / 2),
        vec![b'a'; 4 * limit],
        // A character is cut where reading ends.
        "é".repeat(4 * limit).into_bytes(),
    ] {
        project.write("dir/file", &content);
        let error = attach(&project, "dir/file").unwrap_err();
        assert_eq!(error.code, ErrorCode::ReadLimit, "{error}");
    }
}

#[test]
fn only_what_is_in_the_project_is_attached() {
    for resolver in RESOLVERS {
        let project = Project::new().with_resolver(*resolver);
        project.write("a", "a\n");
        project.write("../outside", "secret\n");
        project.link("inside", "a");
        project.link("out", "../outside");
        project.link("root", "/");
        assert_eq!(attach(&project, "inside").unwrap().path, "inside");
        let absolute = project.path("a").canonicalize().unwrap();
        assert_eq!(
            attach(&project, absolute.to_str().unwrap()).unwrap().path,
            "a"
        );
        for path in [
            "out",
            "../outside",
            "root/etc/hostname",
            "/etc/hostname",
            "@skill/x/y",
        ] {
            let error = attach(&project, path).unwrap_err();
            let is_refused =
                [ErrorCode::SandboxViolation, ErrorCode::NotFound].contains(&error.code);
            assert!(is_refused, "{path}: {error}");
        }
    }
}

/// A file that was attached was not shown yet: the agent reads it before it changes it.
#[test]
fn an_attached_file_does_not_count_as_read() {
    let project = Project::new();
    project.write("a", "one\n");
    let tools = project.tools();
    let (_, location) = tools.files().plan_attachment("a").unwrap();
    tools.files().attach(&location, &Permit::default()).unwrap();
    let edit =
        serde_json::json!({"path": "a", "edits": [{"oldString": "one", "newString": "two"}]});
    let answer = call(&tools, tool_call("Edit", edit));
    assert_eq!(answer.code(), "E_NOT_READ", "{answer:?}");
}

//! A prompt as a message of ours.

use std::path::{Component, Path, PathBuf};

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResourceResource, ImageContent, TextResourceContents,
};
use scorel_client::Connect;
use scorel_proto::{AttachmentPath, Block, PutBlob, PutBlobParams};
use url::Url;

use super::open_session::OpenSession;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::visible::one_line;

/// Files that the daemon attaches to one message. Further links stay text.
const MAX_ATTACHMENTS: usize = 16;

/// A message to be sent.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) blocks: Vec<Block>,
    /// Files that the text names too, so that one which is refused is not lost.
    pub(crate) attachments: Vec<AttachmentPath>,
}

impl Draft {
    /// Takes the blocks of a prompt; images are stored now.
    ///
    /// # Errors
    /// A block that is not offered, or an image that the daemon refuses.
    pub(crate) async fn of<C: Connect + Clone>(
        daemon: &Daemon<C>,
        session: &OpenSession,
        prompt: Vec<ContentBlock>,
    ) -> Result<Self, Failure> {
        let mut draft = Self::default();
        let mut follows_text = false;
        for block in prompt {
            let is_text = matches!(block, ContentBlock::Text(_));
            if is_text && follows_text {
                draft.part();
            }
            follows_text = is_text;
            match block {
                ContentBlock::Text(text) => draft.add_text(&text.text),
                ContentBlock::Image(image) => {
                    draft.blocks.push(stored(daemon, session, image).await?);
                }
                ContentBlock::ResourceLink(link) => draft.add_link(session, &link.uri),
                ContentBlock::Resource(resource) => match resource.resource {
                    EmbeddedResourceResource::TextResourceContents(text) => {
                        draft.add_resource(&text);
                    }
                    EmbeddedResourceResource::BlobResourceContents(blob) => {
                        draft.add_link(session, &blob.uri);
                    }
                    _ => return Err(not_offered()),
                },
                _ => return Err(not_offered()),
            }
        }
        Ok(draft)
    }

    /// Texts and links are one text, as they are in a sentence.
    fn add_text(&mut self, more: &str) {
        match self.blocks.last_mut() {
            Some(Block::Text { text, .. }) => text.push_str(more),
            _ => self.blocks.push(Block::text(more)),
        }
    }

    /// Parts what follows from the text before, which is a block of its own to the editor.
    fn part(&mut self) {
        if let Some(Block::Text { text, .. }) = self.blocks.last_mut()
            && !text.ends_with('\n')
        {
            text.push_str("\n\n");
        }
    }

    /// A word that is added is one of its own.
    fn add_word(&mut self, word: &str) {
        if let Some(Block::Text { text, .. }) = self.blocks.last_mut()
            && text.ends_with(|last: char| !last.is_whitespace() && !"([{<\"'".contains(last))
        {
            text.push(' ');
        }
        self.add_text(word);
    }

    fn add_link(&mut self, session: &OpenSession, uri: &str) {
        let Some(file) = file_of(uri) else {
            self.add_word(&one_line(uri));
            return;
        };
        let Some(inside) = inside(&file, session) else {
            self.add_word(&format!("`{}`", one_line(&file.to_string_lossy())));
            return;
        };
        let name = inside.to_string_lossy();
        self.add_word(&format!("`{}`", one_line(&name)));
        let path = session.work_dir.join(&inside);
        let path = path.to_string_lossy().into_owned();
        let is_known = self.attachments.iter().any(|it| it.path == path);
        if !is_known && self.attachments.len() < MAX_ATTACHMENTS {
            self.attachments.push(AttachmentPath { path });
        }
    }

    /// The editor's text, which may not be saved.
    fn add_resource(&mut self, resource: &TextResourceContents) {
        let name = file_of(&resource.uri);
        let name = name.map_or_else(|| resource.uri.clone(), |it| it.display().to_string());
        let text = &resource.text;
        let fence = "`".repeat(longest_fence(text).max(2) + 1);
        let name = one_line(&name);
        self.add_text(&format!(
            "\n\n`{name}` in the editor:\n{fence}\n{text}\n{fence}\n"
        ));
    }
}

fn not_offered() -> Failure {
    Failure::invalid("a prompt has text, images, links and resources: nothing else is offered")
}

async fn stored<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
    image: ImageContent,
) -> Result<Block, Failure> {
    let params = PutBlobParams {
        session_id: session.id,
        data: image.data,
        command_id: None,
    };
    let blob = daemon.call::<PutBlob>(&params).await?.sha256;
    Ok(Block::Image {
        media_type: image.mime_type,
        blob,
    })
}

/// The file that a link names; `None` for another resource.
fn file_of(uri: &str) -> Option<PathBuf> {
    if uri.starts_with('/') {
        return Some(uri.into());
    }
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path()
        .ok()
        .filter(|path| path.to_str().is_some())
}

/// A file's path in the project; `None` if it is not there. Only names are compared: the daemon, whose files they
/// are, follows links and refuses those that lead out. A path with `..` could lead anywhere.
fn inside(file: &Path, session: &OpenSession) -> Option<PathBuf> {
    let is_plain = |it: Component<'_>| matches!(it, Component::RootDir | Component::Normal(_));
    let dirs = [&session.work_dir, &session.cwd];
    let inside = dirs.iter().find_map(|dir| file.strip_prefix(dir).ok());
    let inside = inside.filter(|path| !path.as_os_str().is_empty());
    inside
        .filter(|_| file.components().all(is_plain))
        .map(Path::to_path_buf)
}

fn longest_fence(text: &str) -> usize {
    let runs = text.split(|char| char != '`');
    runs.map(str::len).max().unwrap_or_default()
}

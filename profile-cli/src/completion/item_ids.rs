//! The IDs of the links and posts, which are fetched quickly or not at all.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use profile_sdk::Profile;

use super::typed_words::TypedWords;
use crate::output::Output;
use crate::session::Session;
use crate::settings::{GlobalArguments, Key, RequiredSettings, Settings};
use crate::terminal::printable::redact_key;

/// Maximum time for the request, and for everything else that may block.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of characters of a title.
const MAX_TITLE: usize = 50;

/// An ID with the title.
pub(super) type Item = (String, String);

/// The IDs of the links and posts.
pub(super) struct ItemIds {
    pub(super) links: Vec<Item>,
    pub(super) posts: Vec<Item>,
}

impl ItemIds {
    /// Returns the IDs, unless the key is missing, wrong or in a keyring, the service does not
    /// respond in time, or the line has a base URL, which may be incomplete: the key is not sent
    /// there.
    pub(super) fn find(typed: &TypedWords) -> Option<Self> {
        let options = GlobalArguments {
            quiet: true,
            curl: false,
            timeout: Some(TIMEOUT),
            retries: Some(0),
            ..typed.options()
        };
        if options.base_url.is_some() {
            return None;
        }
        let (sender, receiver) = mpsc::channel();
        // The file with the key may be a pipe, or the terminal.
        thread::spawn(move || sender.send(Self::load(&options)));
        receiver.recv_timeout(TIMEOUT).ok()?
    }

    fn load(options: &GlobalArguments) -> Option<Self> {
        let settings = Settings::load(options, RequiredSettings::All).ok()?;
        let output = Output::new(options, &settings).ok()?;
        // A keyring might ask for a password.
        if !settings.sandbox && Key::is_in_keyring(&settings).ok()? {
            return None;
        }
        let session = Session::new(settings, &output);
        let profile = session.read(session.client().ok()?.me()).ok()?;
        Some(Self::of_profile(&profile.into_data()))
    }

    fn of_profile(profile: &Profile) -> Self {
        let links = profile.links.iter().flatten();
        let posts = profile.posts.iter().flatten();
        Self {
            links: links
                .filter_map(|link| Some(item(link.id.as_ref()?, link.title.as_deref())))
                .collect(),
            posts: posts
                .filter_map(|post| Some(item(post.id.as_ref()?, post.body.as_deref())))
                .collect(),
        }
    }
}

fn item(id: impl ToString, title: Option<&str>) -> Item {
    let title = redact_key(title.unwrap_or_default());
    (
        redact_key(&id.to_string()).into_owned(),
        title.chars().take(MAX_TITLE).collect(),
    )
}

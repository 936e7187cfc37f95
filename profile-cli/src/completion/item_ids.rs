//! The IDs of the links and posts, which are fetched quickly or not at all, and cached for a minute.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use profile_sdk::Profile;

use super::typed_words::TypedWords;
use crate::output::Output;
use crate::session::Session;
use crate::settings::{GlobalArguments, Key, RequiredSettings, Settings};
use crate::system::{environment, private_file};

/// Maximum time for the request, and for everything else that may block.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum age of the cache.
const MAX_AGE: Duration = Duration::from_secs(60);

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
        let session = Session::new(settings, &output);
        let owner = owner(&session)?;
        let cache = environment::cache_directory().ok()?.join("completion.json");
        if let Some(ids) = Self::of_cache(&cache, owner) {
            return Some(ids);
        }
        let profile = session.read(session.client().ok()?.me()).ok()?.into_data();
        let ids = Self::of_profile(&profile);
        let text = serde_json::to_string(&(owner, &ids.links, &ids.posts)).ok()?;
        // Without a cache, the next completion sends a request.
        let _ = private_file::write(&cache, text.as_bytes());
        Some(ids)
    }

    fn of_cache(path: &Path, owner: u64) -> Option<Self> {
        let age = fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()?;
        let (text, _) = private_file::read(path).ok().filter(|_| age < MAX_AGE)?;
        let (cached, links, posts) = serde_json::from_str::<(u64, _, _)>(&text).ok()?;
        (cached == owner).then_some(Self { links, posts })
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

/// Returns a value that differs between services and keys, so that no account sees the IDs of
/// another. `None` if there is no key, or only a keyring has it, which might ask for a password.
fn owner(session: &Session<'_>) -> Option<u64> {
    let settings = &session.settings;
    let mut owner = DefaultHasher::new();
    session.service().ok()?.hash(&mut owner);
    if !settings.sandbox {
        if Key::is_in_keyring(settings).ok()? {
            return None;
        }
        Key::find(settings).ok()??.text.hash(&mut owner);
    }
    Some(owner.finish())
}

fn item(id: impl ToString, title: Option<&str>) -> Item {
    let title = title.unwrap_or_default();
    (id.to_string(), title.chars().take(MAX_TITLE).collect())
}

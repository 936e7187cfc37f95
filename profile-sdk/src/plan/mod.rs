//! Profiles as they should be: compares a declared profile with the current one, and carries out
//! the differences.
//!
//! [`DesiredProfile`] is the declaration, for example from a file; `serde` reads and writes it.
//! [`Client::sync`](crate::Client::sync) does everything at once. To look at the steps first,
//! [`Plan::new`] is a pure function that returns them, and [`Client::apply`](crate::Client::apply)
//! carries them out. Neither sends the creation of a link twice: if a response is lost and the profile
//! does not show the link, the step is unknown.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions};
//!
//! # let service = mock_server::MockServer::start().await;
//! # let client = profile_sdk::Client::builder()
//! #     .base_url(service.uri())
//! #     .api_key(profile_sdk::ApiKey::new(service.key())?)
//! #     .build()?;
//! let desired: DesiredProfile = serde_json::from_str(
//!     r#"{"profile": {"location": "Paris"}, "links": [{"title": "Blog", "url": "https://a.example"}]}"#,
//! )?;
//! let options = PlanOptions::new().service(client.base_url()).prune(true);
//! let plan = Plan::new(&client.me().await?, &desired, options);
//! print!("{plan}");
//!
//! let report = client.apply(&plan).await?;
//! assert_eq!(report.done, plan.steps());
//! assert!(Plan::new(&client.me().await?, &desired, PlanOptions::new()).is_empty());
//! # Ok(())
//! # }
//! ```

mod apply;
mod desired_profile;
mod step;

pub use apply::{Apply, ApplyError, ApplyErrorReason, ApplyReport, StepState};
pub use desired_profile::{DesiredLink, DesiredProfile, Source};
pub use step::Step;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::resources::{Link, NewLink, Profile};
use crate::text::quoted;
use crate::values::{Handle, LinkId, Scope, as_json};
use desired_profile::{Grade, find_matches, normalized, texts, texts_of};
use step::{is_equal, shown};

as_json! {
    /// The steps that change a profile as desired, in the order in which
    /// [`Client::apply`](crate::Client::apply) carries them out: the fields, then the links that are
    /// edited, created and deleted.
    ///
    /// `Display` prints a line for each step, and one if [links are not listed](Self::lacks_links). [The
    /// module](self) has an example. A plan can be stored as JSON and applied later.
    #[derive(Debug, Clone, Default, PartialEq)]
    #[must_use]
    pub struct Plan {
        steps: Vec<Step>,
        unchanged_links: usize,
        other_links: usize,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lacks_links: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<Warning>,
        /// The account, as far as it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handle: Option<Handle>,
        /// The IDs of the links that the profile had. Plans of older versions have none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seen_links: Vec<LinkId>,
    },
    remote = "Plan"
}

as_json! {
    /// A warning of a plan or of a report. `Display` prints it for people.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum Warning {
        /// There are no steps for links, because the service does not list those of the profile.
        LinksNotListed,
        /// There is no step for a desired link, because it is unclear which of several similar links it is.
        #[non_exhaustive]
        SimilarLinks {
            /// The desired title and URL.
            to: NewLink,
            /// The similar links of the profile. They are neither edited nor deleted.
            similar: Vec<Link>,
        },
        /// The service stored a text in another form, as its response shows. Unless a later plan considers
        /// both as equal, it sends the text again.
        #[non_exhaustive]
        AlteredText {
            /// The link that the text belongs to. `None` for a field of the profile, and if the response
            /// does not contain the ID.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            link: Option<LinkId>,
            /// The name of the field, for example `title`.
            field: String,
            /// The text that was sent.
            sent: String,
            /// The text in the response.
            stored: String,
        },
    },
    remote = "Warning", tag = "warning", rename_all = "snake_case"
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinksNotListed => f.write_str(
                "the service does not list the links of the profile, so they are not compared",
            ),
            Self::SimilarLinks { to, similar } => {
                let similar: Vec<_> = similar.iter().map(|link| shown(texts(link))).collect();
                let (to, similar) = (shown(texts_of(to)), similar.join(", "));
                write!(
                    f,
                    "link {to} is left out, because the profile has similar links: {similar}; none of \
                     them is changed; use the title and the URL of one of them, or change it by its ID"
                )
            }
            Self::AlteredText {
                link,
                field,
                sent,
                stored,
            } => {
                let id = link.as_ref().map(|id| format!(" of link {id}"));
                let id = id.unwrap_or_default();
                let (sent, stored) = (quoted(sent), quoted(stored));
                write!(f, "the service stored the {field}{id} {sent} as {stored}")
            }
        }
    }
}

/// The options of a plan.
///
/// ```
/// use profile_sdk::plan::PlanOptions;
///
/// let options = PlanOptions::new().service("https://profiles.example").prune(true);
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct PlanOptions {
    service: Option<String>,
    prune: bool,
    keep: Option<Arc<Keep>>,
}

type Keep = dyn Fn(&Link) -> bool + Send + Sync;

impl PlanOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the [base URL](crate::Client::base_url) of the service, to compare it with that of
    /// [`Source::service`]. Default: none; the IDs of the desired links then do not count.
    pub fn service(mut self, base_url: impl Into<String>) -> Self {
        self.service = Some(base_url.into());
        self
    }

    /// Deletes the links that are not desired, except those that a [`DesiredProfile`] cannot hold:
    /// without a URL, or with one that [`LinkUrl`](crate::LinkUrl) rejects. Default: `false`.
    pub fn prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// Excludes links from [`prune`](Self::prune), for example those that another program manages. They are matched as
    /// any other, but never deleted. Default: none.
    ///
    /// ```
    /// use profile_sdk::plan::PlanOptions;
    ///
    /// let of_shop = |url: &str| url.starts_with("https://shop.example/");
    /// let options = PlanOptions::new()
    ///     .prune(true)
    ///     .keep(move |link| link.url.as_deref().is_some_and(of_shop));
    /// ```
    pub fn keep(mut self, keep: impl Fn(&Link) -> bool + Send + Sync + 'static) -> Self {
        self.keep = Some(Arc::new(keep));
        self
    }
}

impl fmt::Debug for PlanOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanOptions")
            .field("service", &self.service)
            .field("prune", &self.prune)
            .finish_non_exhaustive()
    }
}

impl Plan {
    /// Compares a desired profile with the current one, as [`Client::me`](crate::Client::me)
    /// returns it. Sends nothing.
    ///
    /// A desired link matches a current link, which is edited unless it is equal, by the first of these
    /// rules that one fulfills. The current link has:
    ///
    /// 1. its ID, its title and its URL
    /// 2. its title and exactly its URL
    /// 3. its title and its URL
    /// 4. its ID
    /// 5. a similar title and exactly its URL
    /// 6. a similar title and its URL
    /// 7. exactly its URL
    /// 8. its URL
    /// 9. its title, which is unique on both sides
    /// 10. a similar title and a similar URL
    ///
    /// Otherwise, a link is created. IDs only count if the desired profile comes from
    /// [this account](DesiredProfile::source), and titles alone unless it comes from another one.
    ///
    /// URLs that are equal after parsing, such as `https://a.example` and `https://a.example/`, are
    /// the same. They are sent as written. Titles and URLs are similar if they differ only in what
    /// services change when they store a link: white space at the ends, Unicode normalization (NFC), the
    /// case of scheme and host, and final slashes. If it is unclear which of several similar links a
    /// desired one is, or the only one has no ID, none of them is created, edited or deleted, and there is
    /// a [warning](Warning::SimilarLinks).
    pub fn new(current: &Profile, desired: &DesiredProfile, options: PlanOptions) -> Self {
        let seen = current.links().iter().filter_map(|link| link.id.clone());
        let mut plan = Self {
            steps: Vec::from_iter(Step::for_fields(&desired.profile, current)),
            handle: current.handle.clone(),
            seen_links: seen.collect(),
            ..Self::default()
        };
        match (&desired.links, &current.links) {
            (Some(wanted), Some(links)) => {
                let source = desired.source.as_ref();
                let is_own =
                    source.and_then(|source| source.is(options.service.as_deref(), current));
                plan.add_links(wanted, links, is_own, &options);
            }
            (Some(wanted), None) => plan.lacks_links = !wanted.is_empty() || options.prune,
            (None, _) => {}
        }
        plan.service = options.service;
        plan
    }

    fn add_links(
        &mut self,
        wanted: &[DesiredLink],
        links: &[Link],
        is_own: Option<bool>,
        options: &PlanOptions,
    ) {
        let matches = find_matches(wanted, links, is_own);
        let key = |link: &NewLink| Grade::Parsed.form(texts_of(link));
        // The number of equal links after a step: those that exist or result from an edit, and those
        // that are created up to this one.
        let mut copies = HashMap::new();
        let mut created = Vec::new();
        for (wanted, found) in wanted.iter().zip(&matches) {
            let to = NewLink::new(wanted.title.clone(), wanted.url.clone());
            let link = match found {
                Ok(index) => &links[*index],
                Err(similar) if similar.is_empty() => {
                    created.push(to);
                    continue;
                }
                Err(similar) => {
                    let similar = similar.iter().map(|index| links[*index].clone());
                    let similar = similar.collect();
                    self.warnings.push(Warning::SimilarLinks { to, similar });
                    continue;
                }
            };
            *copies.entry(key(&to)).or_default() += 1;
            match is_equal(link, &to) {
                true => self.unchanged_links += 1,
                false => self.steps.extend(link.id.clone().map(|id| Step::EditLink {
                    id,
                    from: title_and_url(link),
                    to,
                })),
            }
        }
        for to in created {
            let copies: &mut usize = copies.entry(key(&to)).or_default();
            *copies += 1;
            let copies = *copies;
            self.steps.push(Step::CreateLink { to, copies });
        }
        let matched: HashSet<_> = matches.iter().flatten().collect();
        let similar = matches.iter().filter_map(|found| found.as_ref().err());
        let similar: HashSet<_> = similar.flatten().collect();
        let others = links.iter().enumerate();
        for (index, link) in others.filter(|(index, _)| !matched.contains(index)) {
            let is_kept = options.keep.as_ref().is_some_and(|keep| keep(link));
            let is_deleted = options.prune
                && !(is_kept || similar.contains(&index))
                && DesiredLink::try_from(link).is_ok();
            match link.id.clone().filter(|_| is_deleted) {
                Some(id) => self.steps.push(Step::DeleteLink {
                    id,
                    from: title_and_url(link),
                }),
                None => self.other_links += 1,
            }
        }
    }

    /// Returns the steps.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the warnings, for example about desired links that are left out.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        match self.lacks_links {
            // Without a list, no links are similar.
            true => &[Warning::LinksNotListed],
            false => &self.warnings,
        }
    }

    /// Returns `true` if there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && !self.lacks_links
    }

    /// Returns `true` if links are desired, but the service does not list those of the profile. The
    /// plan then has no steps for links, and [`Client::apply`](crate::Client::apply) returns an
    /// error before it sends anything.
    #[must_use]
    pub fn lacks_links(&self) -> bool {
        self.lacks_links
    }

    /// Returns the number of links that are already as desired.
    #[must_use]
    pub fn unchanged_links(&self) -> usize {
        self.unchanged_links
    }

    /// Returns the number of links that are not desired and stay: all of them without
    /// [`prune`](PlanOptions::prune), and otherwise those without an ID or a valid URL, those of a
    /// [warning](Warning::SimilarLinks), and those that [`keep`](PlanOptions::keep) excludes.
    #[must_use]
    pub fn other_links(&self) -> usize {
        self.other_links
    }

    /// Returns the handle or the service of the plan and of a profile, if they differ.
    fn other_account(&self, profile: &Profile, service: &str) -> Option<[Box<str>; 2]> {
        let handles = self.handle.as_ref().zip(profile.handle.as_ref());
        if let Some((plan, found)) = handles.filter(|(plan, found)| plan != found) {
            return Some([plan, found].map(|handle| quoted(handle.as_str()).into()));
        }
        let plan = self.service.as_deref()?;
        (normalized(plan) != normalized(service)).then(|| [plan, service].map(Box::from))
    }

    /// Returns `true` if the profile is neither as before nor as after one of the steps, or if links are
    /// left to create and it has others than before. One of these may be a link that was already
    /// created, if the service changes titles or URLs.
    fn is_outdated(&self, profile: &Profile) -> bool {
        let is_listed = |step: &&Step| match step {
            Step::EditProfile { .. } => false,
            Step::EditLink { .. } => true,
            Step::CreateLink { .. } => step.is_done(profile),
            Step::DeleteLink { .. } => !step.is_done(profile),
        };
        let listed = self.steps.iter().filter(is_listed).count();
        let has_others = profile.links().len() > self.unchanged_links + self.other_links + listed;
        let is_open = |step: &Step| matches!(step, Step::CreateLink { .. }) && !is_listed(&step);
        let is_unseen = |link: &Link| {
            let is_new = |id| !self.seen_links.is_empty() && !self.seen_links.contains(id);
            let mut created = self.steps.iter().filter(|step| step.is_done(profile));
            let is_own =
                |step: &Step| matches!(step, Step::CreateLink { to, .. } if is_equal(link, to));
            link.id.as_ref().is_some_and(is_new) && !created.any(is_own)
        };
        let has_others = has_others || profile.links().iter().any(is_unseen);
        (has_others && self.steps.iter().any(is_open))
            || self.steps.iter().any(|step| step.is_outdated(profile))
    }

    /// Returns the scopes that the steps require, to compare them with those of the
    /// [key](crate::KeyInfo::scopes).
    #[must_use]
    pub fn required_scopes(&self) -> Vec<Scope> {
        let mut scopes = Vec::new();
        for step in &self.steps {
            let scope = step.request().operation().scope().cloned();
            scopes.extend(scope.filter(|scope| !scopes.contains(scope)));
        }
        scopes
    }
}

/// Returns a link with only the fields that a step shows.
fn title_and_url(link: &Link) -> Link {
    Link {
        title: link.title.clone(),
        url: link.url.clone(),
        ..Link::default()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = self.steps.iter();
        steps.try_for_each(|step| writeln!(f, "{step}"))?;
        match self.lacks_links {
            true => writeln!(f, "not compared: links"),
            false => Ok(()),
        }
    }
}

//! The declaration of a profile, and the links that it matches.

use std::collections::{HashMap, VecDeque};

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

use crate::client::Client;
use crate::error::Error;
use crate::resources::{Link, NewLink, Profile, ProfileField, ProfileUpdate, objects};
use crate::values::{Handle, InvalidValue, LinkId, LinkUrl};

objects! {
    /// A profile as it should be: its fields, its links, or both.
    ///
    /// The serialized form is the file that `profile export` writes. `Deserialize` rejects unknown
    /// fields and invalid values:
    ///
    /// ```
    /// use profile_sdk::plan::DesiredProfile;
    ///
    /// let desired: DesiredProfile = serde_json::from_str(
    ///     r#"{"profile": {"bio": ""}, "links": [{"title": "Blog", "url": "https://blog.example"}]}"#,
    /// )?;
    /// assert_eq!(desired.profile.bio, Some("".parse()?));
    /// assert_eq!(desired.profile.location, None);
    /// assert!(serde_json::from_str::<DesiredProfile>(r#"{"nickname": "Ada"}"#).is_err());
    /// assert!(serde_json::from_str::<DesiredProfile>("[]").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct DesiredProfile {
        /// The account that the links come from. Their IDs are used only in this account.
        pub source: Option<Source>,
        /// The fields. A field that is `None` is left as it is.
        pub profile: ProfileUpdate,
        /// All links. With `None`, the links are left as they are.
        pub links: Option<Vec<DesiredLink>>,
    }

    /// An account of a service.
    ///
    /// ```
    /// use profile_sdk::plan::Source;
    ///
    /// let mut source = Source::new("demo".parse()?);
    /// source.service = Some("https://profiles.example".to_owned());
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Source {
        /// The base URL of the service. Without it, it is unknown whether this is the account of a
        /// profile.
        pub service: Option<String>,
        /// The handle.
        pub handle: Handle,
    }

    /// A link as it should be.
    ///
    /// ```
    /// use profile_sdk::plan::DesiredLink;
    ///
    /// let mut link = DesiredLink::new("My site", "https://example.org".parse()?);
    /// link.id = Some("link_1".parse()?);
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct DesiredLink {
        /// The identifier in the account of [`DesiredProfile::source`].
        pub id: Option<LinkId>,
        /// The title.
        pub title: String,
        /// The URL.
        pub url: LinkUrl,
    }
}

impl Source {
    /// Creates an account without the URL of its service.
    #[must_use]
    pub fn new(handle: Handle) -> Self {
        Self {
            service: None,
            handle,
        }
    }

    /// Returns `true` if this is the account of a profile of the service, and `None` if either
    /// service is unknown.
    pub(super) fn is(&self, service: Option<&str>, profile: &Profile) -> Option<bool> {
        if profile.handle.as_ref() != Some(&self.handle) {
            return Some(false);
        }
        Some(normalized(self.service.as_deref()?) == normalized(service?))
    }
}

/// Returns a base URL in the form in which it can be compared.
pub(super) fn normalized(base_url: &str) -> String {
    parsed(base_url).trim_end_matches('/').to_owned()
}

impl DesiredLink {
    /// Creates a link without an ID.
    #[must_use]
    pub fn new(title: impl Into<String>, url: LinkUrl) -> Self {
        Self {
            id: None,
            title: title.into(),
            url,
        }
    }
}

impl Client {
    /// Reads the profile, and returns its fields, links and account, and the service's URL.
    /// `DesiredProfile::from(&profile)` does the same without the service, and both leave out the
    /// same values.
    ///
    /// # Errors
    ///
    /// See [`Client::me`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let backup = serde_json::to_string_pretty(&client.export().await?)?;
    /// # assert!(backup.contains(client.base_url()));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn export(&self) -> Result<DesiredProfile, Error> {
        let mut exported = DesiredProfile::from(&self.me().await?);
        if let Some(source) = &mut exported.source {
            source.service = Some(self.base_url().to_owned());
        }
        Ok(exported)
    }
}

impl TryFrom<&Link> for DesiredLink {
    type Error = InvalidValue;

    /// Copies a link. Returns an error if it has no URL or an invalid one.
    fn try_from(link: &Link) -> Result<Self, InvalidValue> {
        let missing = || InvalidValue::new("url", "is missing");
        let url = link.url.as_deref().ok_or_else(missing)?;
        Ok(Self {
            id: link.id.clone(),
            title: link.title.clone().unwrap_or_default(),
            url: LinkUrl::new(url)?,
        })
    }
}

impl From<&Profile> for DesiredProfile {
    /// Copies the fields and the links. Leaves out fields with a value that the specification does
    /// not allow, and links without a URL or with one that [`LinkUrl`] rejects. A plan leaves both
    /// as they are.
    fn from(profile: &Profile) -> Self {
        let mut fields = ProfileUpdate::new();
        for field in ProfileField::ALL {
            if let Some(text) = profile.get(*field) {
                // Invalid texts are left out: they cannot be sent.
                let _ = fields.set(*field, text);
            }
        }
        let valid = |links: &Vec<Link>| {
            let links = links.iter().map(DesiredLink::try_from);
            links.filter_map(Result::ok).collect()
        };
        Self {
            source: profile.handle.clone().map(Source::new),
            profile: fields,
            links: profile.links.as_ref().map(valid),
        }
    }
}

/// The difference that links may have and still be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grade {
    /// None.
    Exact,
    /// URLs are equal after parsing. A service may store this form.
    Parsed,
    /// Titles and URLs that a service may have changed: white space at the ends, Unicode normalization, the
    /// case of scheme and host, and final slashes.
    Similar,
}

impl Grade {
    const ALL: [Self; 3] = [Self::Exact, Self::Parsed, Self::Similar];

    /// Returns the form of a title and a URL in which those of the same link are equal.
    pub(super) fn form(self, [title, url]: [&str; 2]) -> [String; 2] {
        match self {
            Self::Exact => [title, url].map(str::to_owned),
            Self::Parsed => [title.to_owned(), parsed(url)],
            Self::Similar => {
                let [title, url] = [title, url].map(str::trim);
                let url = Url::parse(url).map_or_else(
                    |_| url.to_owned(),
                    |mut url| {
                        // The parser ignores the case of hosts only in well-known schemes.
                        let host = url.host_str().map(str::to_lowercase);
                        let _ = host.map(|host| url.set_host(Some(&host)));
                        url.into()
                    },
                );
                // Only other characters than ASCII are decoded: `%2F` is not a separator.
                let url = (0..8).fold(url.trim_end_matches('/').to_owned(), |url, digit| {
                    url.replace(&format!("%{digit}"), &format!("%25{digit}"))
                });
                let decoded = percent_decode_str(&url).decode_utf8();
                let url = decoded.as_deref().unwrap_or(&url);
                [title, url].map(|text| text.nfc().collect())
            }
        }
    }

    /// Returns `true` if a title and a URL are the same as another title and URL.
    pub(super) fn is_same(self, link: [&str; 2], other: [&str; 2]) -> bool {
        self.form(link) == self.form(other)
    }
}

fn parsed(url: &str) -> String {
    Url::parse(url).map_or_else(|_| url.to_owned(), String::from)
}

/// A part of a link that a rule compares.
#[derive(Debug, Clone, Copy)]
enum Part {
    Id,
    Title(Grade),
    Url(Grade),
}

/// The rules by which desired links match current ones, in their order. [`Plan::new`](super::Plan::new)
/// documents them.
const RULES: [&[Part]; 10] = {
    use Grade::{Exact, Parsed, Similar};
    use Part::{Id, Title, Url};
    [
        &[Id, Title(Exact), Url(Parsed)],
        &[Title(Exact), Url(Exact)],
        &[Title(Exact), Url(Parsed)],
        &[Id],
        &[Title(Similar), Url(Exact)],
        &[Title(Similar), Url(Parsed)],
        &[Url(Exact)],
        &[Url(Parsed)],
        &[Title(Exact)],
        &[Title(Similar), Url(Similar)],
    ]
};

/// A desired or current link, to compare it with others.
struct Candidate<'a> {
    id: Option<&'a LinkId>,
    /// The title and the URL, by grade.
    forms: [[String; 2]; 3],
    /// `false` for a current link without an ID.
    is_editable: bool,
    /// `true` if its title, which is unique on both sides, counts.
    is_titled: bool,
}

impl Candidate<'_> {
    fn form(&self, grade: Grade) -> &[String; 2] {
        &self.forms[grade as usize]
    }

    /// Returns what a rule compares, or `None` if it does not apply to this link.
    fn key(&self, rule: &[Part]) -> Option<Vec<&str>> {
        let applies = match rule {
            // An equal link need not be edited.
            [.., Part::Title(Grade::Exact), Part::Url(_)] => true,
            [Part::Title(_)] => self.is_editable && self.is_titled,
            _ => self.is_editable,
        };
        let parts = applies.then_some(rule)?.iter().map(|part| match part {
            Part::Id => self.id.map(LinkId::as_str),
            Part::Title(grade) => Some(&*self.form(*grade)[0]),
            Part::Url(grade) => Some(&*self.form(*grade)[1]),
        });
        parts.collect()
    }
}

/// Returns for each desired link the index of the current link that it matches, or those of all
/// similar links if none of them certainly matches. No two match the same one.
///
/// Equal links come first, so that a run after an interruption keeps what was done; among several
/// equal ones, the link with the ID. A link without an ID cannot be edited, so it only matches an equal
/// one. IDs only count if the desired links are certainly of this account (`is_own`), and titles that
/// are unique on both sides unless they are certainly not.
pub(super) fn find_matches(
    desired: &[DesiredLink],
    current: &[Link],
    is_own: Option<bool>,
) -> Vec<Result<usize, Vec<usize>>> {
    let mut titles: HashMap<_, [usize; 2]> = HashMap::new();
    let wanted = desired.iter().map(|link| (&*link.title, 0));
    for (title, side) in wanted.chain(current.iter().map(|link| (texts(link)[0], 1))) {
        titles.entry(title).or_default()[side] += 1;
    }
    let candidate = |id, texts: [_; 2], is_editable| Candidate {
        id,
        forms: Grade::ALL.map(|grade| grade.form(texts)),
        is_editable,
        is_titled: is_own != Some(false) && titles[texts[0]] == [1, 1],
    };
    let wanted = desired.iter().map(|link| {
        let id = link.id.as_ref().filter(|_| is_own == Some(true));
        candidate(id, [&link.title, link.url.as_str()], true)
    });
    let links = current.iter();
    let links = links.map(|link| candidate(link.id.as_ref(), texts(link), link.id.is_some()));
    let (wanted, links): (Vec<_>, Vec<_>) = (wanted.collect(), links.collect());
    let mut matches = vec![None; desired.len()];
    let mut is_taken = vec![false; current.len()];
    let [rules @ .., _similar] = RULES;
    for rule in rules {
        let mut left = HashMap::<_, VecDeque<_>>::new();
        let indexed = links.iter().enumerate();
        for (index, link) in indexed.filter(|(link, _)| !is_taken[*link]) {
            if let Some(key) = link.key(rule) {
                left.entry(key).or_default().push_back(index);
            }
        }
        let open = matches.iter_mut().zip(&wanted);
        for (found, wanted) in open.filter(|(found, _)| found.is_none()) {
            let links = wanted.key(rule).and_then(|key| left.get_mut(&key));
            *found = links.and_then(VecDeque::pop_front);
            found.iter().for_each(|link| is_taken[*link] = true);
        }
    }
    match_similar(matches, &is_taken, &wanted, &links)
}

/// Matches the links that are left with similar ones: of services that change links when they store them.
fn match_similar(
    matches: Vec<Option<usize>>,
    is_taken: &[bool],
    wanted: &[Candidate<'_>],
    links: &[Candidate<'_>],
) -> Vec<Result<usize, Vec<usize>>> {
    let (mut left, mut counts) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, usize>::new());
    for link in (0..links.len()).filter(|link| !is_taken[*link]) {
        let form = links[link].form(Grade::Similar);
        left.entry(form).or_default().push(link);
    }
    let forms = wanted.iter().map(|wanted| wanted.form(Grade::Similar));
    let found = matches.into_iter().zip(forms);
    for (_, form) in found.clone().filter(|(link, _)| link.is_none()) {
        *counts.entry(form).or_default() += 1;
    }
    let matched = found.map(|(link, form)| {
        let similar = || left.get(form).cloned().unwrap_or_default();
        link.ok_or_else(similar).or_else(|similar| {
            let texts = |link: usize| links[link].form(Grade::Exact);
            let are_copies = similar.iter().all(|link| texts(*link) == texts(similar[0]));
            let is_unique = counts[form] == 1 && are_copies;
            let mut with_id = similar.iter().filter(|link| links[**link].is_editable);
            with_id.next().filter(|_| is_unique).copied().ok_or(similar)
        })
    });
    matched.collect()
}

/// Returns the title and the URL of a current link.
pub(super) fn texts(link: &Link) -> [&str; 2] {
    [&link.title, &link.url].map(|text| text.as_deref().unwrap_or_default())
}

/// Returns the title and the URL of a new link.
pub(super) fn texts_of(link: &NewLink) -> [&str; 2] {
    [&link.title, link.url.as_str()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DesiredProfile, Grade, Part, RULES, Source};
    use crate::{Location, Profile};

    #[test]
    fn copies_what_can_be_sent() {
        let profile: Profile = serde_json::from_value(json!({
            "handle": "demo", "bio": "", "location": "x".repeat(Location::MAX_CHARACTERS + 1), "accent_color": "",
            "links": [{"id": 7, "title": "t", "url": "x:y"}, {"title": "t", "url": "y"}, {"id": 8}],
        }))
        .unwrap();
        let desired = serde_json::to_value(DesiredProfile::from(&profile)).unwrap();
        let expected = json!({
            "source": {"handle": "demo"},
            "profile": {"bio": ""},
            "links": [{"id": 7, "title": "t", "url": "x:y"}],
        });
        assert_eq!(desired, expected);
    }

    #[test]
    fn the_documentation_lists_the_rules() {
        let words = |part: &Part| match part {
            Part::Id => "its ID",
            Part::Title(Grade::Exact) => "its title",
            Part::Title(_) => "a similar title",
            Part::Url(Grade::Exact) => "exactly its URL",
            Part::Url(Grade::Parsed) => "its URL",
            Part::Url(Grade::Similar) => "a similar URL",
        };
        let rules = RULES.iter().zip(1..).map(|(rule, number)| {
            let text = match rule.iter().map(words).collect::<Vec<_>>()[..] {
                [one, two, three] => format!("{one}, {two} and {three}"),
                ["its title"] => "its title, which is unique on both sides".to_owned(),
                ref parts => parts.join(" and "),
            };
            format!("{number}. {text}")
        });
        let documented = include_str!("mod.rs")
            .lines()
            .filter_map(|line| line.trim().strip_prefix("/// "))
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(
            documented.collect::<Vec<_>>(),
            rules.collect::<Vec<_>>(),
            "rules of Plan::new"
        );
    }

    #[test]
    fn an_account_is_a_handle_at_a_service() {
        let mut profile = Profile::default();
        let mut source = Source::new("demo".parse().unwrap());
        assert_eq!(source.is(None, &profile), Some(false), "no handle");
        profile.handle = Some("demo".parse().unwrap());
        assert_eq!(source.is(None, &profile), None);
        assert_eq!(source.is(Some("https://a.example"), &profile), None);
        source.service = Some("https://A.example:443".to_owned());
        assert_eq!(source.is(Some("https://a.example/"), &profile), Some(true));
        assert_eq!(source.is(Some("https://b.example"), &profile), Some(false));
        assert_eq!(source.is(None, &profile), None);
    }
}

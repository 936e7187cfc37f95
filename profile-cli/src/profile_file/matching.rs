//! Matches links of a file with those of the profile.

use profile_sdk::Link;

use super::FileLink;

/// For each link of the file, the index of its match in the profile.
pub(super) struct Matches(pub(super) Vec<Option<usize>>);

impl Matches {
    /// Matches equal links, then by ID if `by_id` is set, then by URL, then by title. A link of the
    /// profile matches once. The error names a link with several candidates.
    ///
    /// Equal links come first, so that a run after an interruption keeps what was done and finds the
    /// same matches for the rest.
    pub(super) fn find(file: &[FileLink], current: &[Link], by_id: bool) -> Result<Self, String> {
        let mut matches = Self(vec![None; file.len()]);
        matches.take_first(file, current, |wanted, link| {
            is_url(wanted, link) && is_title(wanted, link)
        });
        if by_id {
            matches.take_first(file, current, |wanted, link| {
                wanted.id.is_some() && wanted.id == link.id
            });
        }
        matches.take_only(file, current, is_url, "URL")?;
        matches.take_only(file, current, is_title, "title")?;
        Ok(matches)
    }

    pub(super) fn is_taken(&self, index: usize) -> bool {
        self.0.contains(&Some(index))
    }

    /// Matches each link with the first candidate.
    fn take_first(
        &mut self,
        file: &[FileLink],
        current: &[Link],
        is_match: fn(&FileLink, &Link) -> bool,
    ) {
        for (index, wanted) in file.iter().enumerate() {
            if self.0[index].is_none() {
                self.0[index] = self.candidates(wanted, current, is_match).first().copied();
            }
        }
    }

    /// Matches each link with its only candidate, which may be the candidate of no other link.
    fn take_only(
        &mut self,
        file: &[FileLink],
        current: &[Link],
        is_match: fn(&FileLink, &Link) -> bool,
        what: &str,
    ) -> Result<(), String> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (index, wanted) in file.iter().enumerate() {
            if self.0[index].is_some() {
                continue;
            }
            let candidates = self.candidates(wanted, current, is_match);
            let Some(&candidate) = candidates.first() else {
                continue;
            };
            let is_shared = found.iter().any(|(_, taken)| *taken == candidate);
            if is_shared || candidates.len() > 1 {
                return Err(format!(
                    "the link {:?} ({}) is ambiguous: several links have its {what}",
                    wanted.link.title, wanted.link.url
                ));
            }
            found.push((index, candidate));
        }
        for (index, candidate) in found {
            self.0[index] = Some(candidate);
        }
        Ok(())
    }

    fn candidates(
        &self,
        wanted: &FileLink,
        current: &[Link],
        is_match: fn(&FileLink, &Link) -> bool,
    ) -> Vec<usize> {
        let indexes = 0..current.len();
        indexes
            .filter(|&index| !self.is_taken(index) && is_match(wanted, &current[index]))
            .collect()
    }
}

fn is_url(wanted: &FileLink, link: &Link) -> bool {
    link.url.as_deref() == Some(wanted.link.url.as_str())
}

fn is_title(wanted: &FileLink, link: &Link) -> bool {
    link.title.as_deref() == Some(wanted.link.title.as_str())
}

//! `Client::apply` and `sync` for any profiles, on an unreliable network, and at services that change links.

use mock_server::Dialect;
use mock_server::dialect::{Ids, LinkUrls, WriteResponses};
use profile_sdk::plan::{
    ApplyErrorReason, ApplyReport, DesiredLink, DesiredProfile, Plan, PlanOptions, Source, Step,
    Warning,
};
use profile_sdk::{Link, LinkUrl, Profile, ProfileUpdate};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq};
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use url::Url;

use crate::cases::runner;
use crate::unreliable_network::{
    Alteration, HANDLE, Habits, ReadFault, Setup, State, WriteFault, comparable,
};

/// Few different titles and URLs, so that links are often alike.
fn any_link() -> impl Strategy<Value = (String, String)> {
    let title = select(vec!["a", "b", "c", "", "two\nlines \"quoted\""]);
    let url = select(vec![
        "https://x",
        "https://x/",
        "https://y",
        "x:y",
        "https://x/\u{e9} ?",
    ]);
    (title, url).prop_map(|(title, url)| (title.to_owned(), url.to_owned()))
}

fn any_link_with_spaces() -> impl Strategy<Value = (String, String)> {
    let spaces = select(vec!["", " "]);
    (spaces, any_link()).prop_map(|(spaces, (title, url))| (title + spaces, url))
}

fn any_text() -> impl Strategy<Value = &'static str> {
    select(vec!["", "a", "b\n\tc ", "\"\"\" \\ \u{1f680}"])
}

fn any_state() -> impl Strategy<Value = State> {
    let ids = select(vec![Ids::String, Ids::Integer, Ids::Uuid]);
    let responses = select(vec![
        WriteResponses::Resource,
        WriteResponses::EmptyData,
        WriteResponses::NoContent,
    ]);
    let urls = select(vec![LinkUrls::AsSent, LinkUrls::Parsed]);
    let dialect = (ids, responses, urls).prop_map(|(ids, write_responses, link_urls)| {
        let mut dialect = Dialect::default();
        dialect.ids = ids;
        dialect.write_responses = write_responses;
        dialect.link_urls = link_urls;
        dialect
    });
    let fields = [any_text(), any_text()];
    let habits = (any::<bool>(), any::<bool>()).prop_map(|(reorders_links, reuses_ids)| Habits {
        reorders_links,
        reuses_ids,
        ..Habits::default()
    });
    let state = (vec(any_link(), 0..5), fields, dialect, habits);
    state.prop_map(|(links, fields, dialect, habits)| State {
        links,
        fields,
        dialect,
        habits,
    })
}

fn any_faults() -> impl Strategy<Value = (Vec<WriteFault>, Vec<ReadFault>)> {
    let write_fault = select(vec![
        WriteFault::None,
        WriteFault::LostRequest,
        WriteFault::LostResponse,
        WriteFault::Late { requests: 0 },
        WriteFault::Late { requests: 1 },
        WriteFault::Late { requests: 3 },
    ]);
    let read_fault = select(vec![
        ReadFault::None,
        ReadFault::None,
        ReadFault::Lost,
        ReadFault::Lagging,
        ReadFault::WithoutLinks,
    ]);
    (vec(write_fault, 0..10), vec(read_fault, 0..6))
}

/// A desired link, whose ID may be that of a current link, given by its position.
type WantedLink = (Option<usize>, (String, String));

fn any_desired() -> impl Strategy<Value = Desired> {
    let links = option::of(vec((option::of(0..5_usize), any_link()), 0..5));
    let source = option::of(select(vec![HANDLE, "grace"]));
    let fields = option::of([any_text(), any_text()]);
    (links, source, fields).prop_map(|(links, source, fields)| Desired {
        links,
        source,
        fields,
    })
}

#[derive(Debug, Clone)]
struct Desired {
    links: Option<Vec<WantedLink>>,
    source: Option<&'static str>,
    fields: Option<[&'static str; 2]>,
}

impl Desired {
    fn of_links(links: Vec<(String, String)>) -> Self {
        Self {
            links: Some(links.into_iter().map(|link| (None, link)).collect()),
            source: None,
            fields: None,
        }
    }

    fn resolve(&self, setup: &Setup, current: &Profile) -> DesiredProfile {
        let links = current.links.iter().flatten();
        let ids: Vec<_> = links.map(|link| link.id.clone()).collect();
        let mut desired = DesiredProfile::default();
        desired.source = self.source.map(|handle| {
            let mut source = Source::new(handle.parse().unwrap());
            source.service = Some(setup.client.base_url().to_owned());
            source
        });
        if let Some([name, bio]) = self.fields {
            let update = ProfileUpdate::new().display_name(name.parse().unwrap());
            desired.profile = update.bio(bio.parse().unwrap());
        }
        desired.links = self.links.as_ref().map(|links| {
            let links = links.iter().map(|(id, (title, url))| {
                let mut link = DesiredLink::new(title, LinkUrl::new(url).unwrap());
                link.id = id.and_then(|index| ids.get(index).cloned().flatten());
                link
            });
            links.collect()
        });
        desired
    }

    fn links(&self) -> Option<Vec<(String, String)>> {
        let links = self.links.as_ref()?.iter();
        Some(comparable(links.map(|(_, link)| link.clone())))
    }
}

fn check<T: std::fmt::Debug>(
    cases: impl Strategy<Value = T>,
    test: impl Fn(&Setup, T) -> TestCaseResult,
) {
    let setup = Setup::start();
    let result = runner(250).run(&cases, |case| test(&setup, case));
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Plans, and takes the plan through JSON.
fn plan(setup: &Setup, current: &Profile, desired: &DesiredProfile, prune: bool) -> Plan {
    let service = setup.client.base_url();
    let options = PlanOptions::new().service(service).prune(prune);
    let plan = Plan::new(current, desired, options);
    let read = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(plan, read);
    read
}

/// Plans and applies without faults, and checks that nothing is left to do.
fn check_converges(setup: &Setup, desired: &DesiredProfile, prune: bool) -> TestCaseResult {
    let plan = plan(setup, &setup.me(), desired, prune);
    let apply = || setup.runtime.block_on(setup.client.apply(&plan));
    let report = apply().expect("no faults");
    prop_assert_eq!(&report.done, plan.steps());
    let writes = setup.traffic().writes;
    let left = setup.client.sync(desired, PlanOptions::new().prune(prune));
    let left = setup.runtime.block_on(left).expect("no faults");
    prop_assert_eq!(left, ApplyReport::default());
    let again = apply().expect("no faults");
    prop_assert_eq!(&again.done, plan.steps());
    prop_assert_eq!(setup.traffic().writes, writes);
    Ok(())
}

/// Checks that the links are the desired ones, and without `prune` those that existed before.
fn check_links(setup: &Setup, before: &State, desired: &Desired, prune: bool) -> TestCaseResult {
    let mut links = setup.links();
    let before = comparable(before.links.iter().cloned());
    match desired.links() {
        None => prop_assert_eq!(links, before),
        Some(wanted) if prune => prop_assert_eq!(links, wanted),
        Some(wanted) => {
            for link in wanted {
                let index = links.iter().position(|other| *other == link);
                prop_assert!(index.is_some(), "{link:?} is missing");
                links.remove(index.unwrap());
            }
        }
    }
    Ok(())
}

#[test]
fn an_exported_profile_is_as_desired() {
    check((any_state(), any::<bool>()), |setup, (state, prune)| {
        setup.reset(&state);
        let me = setup.me();
        let exported = DesiredProfile::from(&me);
        let plan = plan(setup, &me, &exported, prune);
        prop_assert!(plan.is_empty(), "{plan}");
        prop_assert_eq!(plan.unchanged_links(), state.links.len());
        let text = serde_json::to_string(&exported).unwrap();
        let read: DesiredProfile = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read, exported);
        Ok(())
    });
}

#[test]
fn after_applying_nothing_is_left_to_do() {
    let cases = (any_state(), any_desired(), any::<bool>());
    check(cases, |setup, (state, desired, prune)| {
        setup.reset(&state);
        check_converges(setup, &desired.resolve(setup, &setup.me()), prune)?;
        check_links(setup, &state, &desired, prune)
    });
}

#[test]
fn faults_duplicate_and_lose_nothing() {
    let cases = (any_state(), any_desired(), any::<[bool; 2]>(), any_faults());
    check(cases, |setup, case| {
        let (state, desired, [prune, is_sync], (writes, reads)) = case;
        setup.reset(&state);
        let me = setup.me();
        let wanted = desired.resolve(setup, &me);
        let plan = plan(setup, &me, &wanted, prune);
        setup.traffic().write_faults = writes.into();
        setup.traffic().read_faults = reads.into();
        let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
        let result = match is_sync {
            true => setup.runtime.block_on(sync),
            false => setup.runtime.block_on(setup.client.apply(&plan)),
        };
        let sent = setup.traffic().writes;
        setup.settle();
        let report = match result {
            Ok(report) => {
                prop_assert_eq!(&report.done, plan.steps());
                report
            }
            Err(error) => {
                if let ApplyErrorReason::LinksNotListed = error.reason {
                    prop_assert_eq!(sent, 0);
                }
                if error.report.unknown.is_some() {
                    prop_assert!(!error.is_retryable());
                }
                *error.report
            }
        };
        // All steps are in the report.
        let unknown = report.unknown.as_ref();
        let reported = report.done.iter().chain(unknown);
        let reported: Vec<_> = reported.chain(&report.not_done).collect();
        if !is_sync {
            prop_assert_eq!(reported, plan.steps().iter().collect::<Vec<_>>());
        }
        // The service is as after the steps that are done, with or without the unknown one.
        let links = setup.links();
        let done = links_after(&me, report.done.iter());
        let with_unknown = links_after(&me, report.done.iter().chain(unknown));
        let is_expected = links == done || links == with_unknown;
        prop_assert!(is_expected, "{links:?} after {report:?}");
        // Once the service has settled, the next run does the rest.
        check_converges(setup, &wanted, prune)?;
        check_links(setup, &state, &desired, prune)
    });
}

#[test]
fn links_that_do_not_stay_are_reported_and_not_duplicated() {
    let links = vec((option::of(0..1_usize), any_link_with_spaces()), 0..5);
    let drops = option::of(select(vec!["https://y"]));
    let cases = (any_state(), links, any::<[bool; 2]>(), drops);
    check(
        cases,
        |setup, (mut state, links, [prune, trims_titles], drops)| {
            state.habits.alters = trims_titles.then_some(Alteration::Trims);
            state.habits.drops = drops;
            setup.reset(&state);
            let desired = Desired {
                links: Some(links),
                source: None,
                fields: None,
            };
            let wanted = desired.resolve(setup, &setup.me());
            let sync = || {
                let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
                setup.runtime.block_on(sync).expect("no faults")
            };
            let plan = plan(setup, &setup.me(), &wanted, prune);
            sync();
            let after = setup.links();
            setup.traffic().creations = 0;
            let _ = setup.runtime.block_on(setup.client.apply(&plan));
            prop_assert_eq!(setup.links(), after.clone(), "the same plan");
            setup.traffic().creations = 0;
            let report = sync();
            prop_assert_eq!(setup.links(), after.clone());
            // Only links that were dropped are created again.
            let dropped = desired.links().unwrap().into_iter();
            let dropped = dropped.filter(|(_, url)| drops.is_some_and(|text| url.contains(text)));
            prop_assert!(setup.traffic().creations <= dropped.count());
            let is_reported = |(title, _): &(String, String)| {
                after.iter().any(|(current, _)| current == title)
                    || report
                        .done
                        .iter()
                        .any(|step| step.to_string().contains(&format!("{title:?}")))
            };
            prop_assert!(
                desired.links().unwrap().iter().all(is_reported),
                "{report:?}"
            );
            Ok(())
        },
    );
}

/// Titles and URLs that services change when they store them.
fn any_alterable_link() -> impl Strategy<Value = (String, String)> {
    let title = select(vec![
        "a", "a ", " a", "Title", "title", "e\u{301}", "\u{e9} ",
    ]);
    let url = select(vec![
        "https://x/y",
        "https://x/y/",
        "https://x",
        "HTTPS://X/y",
        "https://x/e\u{301}/",
        "Foo://Host/Path/",
    ]);
    (title, url).prop_map(|(title, url)| (title.to_owned(), url.to_owned()))
}

#[test]
fn links_that_a_service_changes_are_neither_created_again_nor_deleted() {
    let links = || vec(any_alterable_link(), 0..5);
    let alteration = select(Alteration::LOOSE.to_vec());
    let cases = (any_state(), links(), links(), any::<bool>(), alteration);
    check(
        cases,
        |setup, (mut state, current, wanted, prune, alteration)| {
            state.links = current;
            state.habits.alters = Some(alteration);
            setup.reset(&state);
            let wanted = Desired::of_links(wanted).resolve(setup, &setup.me());
            let sync = || {
                let sync = setup.client.sync(&wanted, PlanOptions::new().prune(prune));
                setup.runtime.block_on(sync).expect("no faults")
            };
            sync();
            let links = setup.links();
            for _ in 0..2 {
                let report = sync();
                let is_edit = |step: &Step| matches!(step, Step::EditLink { .. });
                prop_assert!(report.done.iter().all(is_edit), "{report}");
                prop_assert_eq!(setup.links().len(), links.len());
                if state.dialect.write_responses == WriteResponses::Resource {
                    prop_assert!(report.done.len() <= report.warnings.len(), "{report}");
                }
            }
            Ok(())
        },
    );
}

#[test]
fn texts_that_a_service_changes_are_reported() {
    let links = vec(any_alterable_link(), 0..5);
    let alterations = [Alteration::LowerCases, Alteration::Cuts];
    let alterations = [&Alteration::LOOSE[..], &alterations].concat();
    let cases = (any_state(), links, select(alterations));
    check(cases, |setup, (mut state, wanted, alteration)| {
        state.habits.alters = Some(alteration);
        state.dialect.write_responses = WriteResponses::Resource;
        setup.reset(&state);
        let wanted = Desired::of_links(wanted).resolve(setup, &setup.me());
        for _ in 0..2 {
            let before = setup.me().links.unwrap();
            let sync = setup.client.sync(&wanted, PlanOptions::new());
            let report = setup.runtime.block_on(sync).expect("no faults");
            let expected = report.done.iter().flat_map(|step| match step {
                Step::CreateLink { to, .. } | Step::EditLink { to, .. } => {
                    [("title", to.title.clone()), ("url", to.url.to_string())].to_vec()
                }
                _ => Vec::new(),
            });
            let stored = |name: &str, sent: &str| match (alteration.alter(name, sent), name) {
                (stored, "url") if state.dialect.link_urls == LinkUrls::Parsed => {
                    Url::parse(&stored).unwrap().into()
                }
                (stored, _) => stored,
            };
            let expected = expected.map(|(name, sent)| (name, stored(name, &sent), sent));
            let expected = expected.filter(|(name, stored, sent)| match *name {
                "url" => Url::parse(sent) != Url::parse(stored),
                _ => sent != stored,
            });
            let warnings = report.warnings.iter().filter_map(|warning| match warning {
                Warning::AlteredText {
                    link,
                    field,
                    sent,
                    stored,
                    ..
                } => {
                    assert!(link.is_some());
                    Some((&**field, stored.clone(), sent.clone()))
                }
                _ => None,
            });
            let altered: Vec<_> = warnings.collect();
            prop_assert_eq!(altered, expected.collect::<Vec<_>>());
            // Other links are not touched.
            let after = setup.me().links.unwrap();
            let is_edited = |link: &Link| {
                report.done.iter().any(|step| {
                    matches!(step, Step::EditLink { id, .. } if link.id.as_ref() == Some(id))
                })
            };
            for link in before.iter().filter(|link| !is_edited(link)) {
                prop_assert!(after.contains(link), "{link:?} {report}");
            }
        }
        Ok(())
    });
}

/// The response to the creation of a link is lost at a service that trims titles.
#[test]
fn a_changed_link_counts_as_created_if_its_id_is_new() {
    let setup = Setup::start();
    let link = |title: &str| (title.to_owned(), "https://a.example/x".to_owned());
    let (none, lost, request_lost) = (
        WriteFault::None,
        WriteFault::LostResponse,
        WriteFault::LostRequest,
    );
    for (current, wanted, faults, done) in [
        (vec![], vec![" A"], vec![lost], 1),
        (vec![], vec![" A"], vec![request_lost], 0),
        // Of two similar ones, the second is lost.
        (vec![], vec!["A ", " A"], vec![none, request_lost], 1),
        (vec![], vec!["A ", " A"], vec![none, lost], 2),
        // The profile has a similar link that is desired, too.
        (vec!["A"], vec!["A", " A"], vec![request_lost], 0),
        (vec!["A"], vec!["A", " A"], vec![lost], 1),
    ] {
        let mut state = State {
            links: current.iter().map(|title| link(title)).collect(),
            fields: ["", ""],
            dialect: Dialect::default(),
            habits: Habits::default(),
        };
        state.habits.alters = Some(Alteration::Trims);
        setup.reset(&state);
        let desired = Desired::of_links(wanted.iter().map(|title| link(title)).collect());
        let desired = desired.resolve(&setup, &setup.me());
        setup.traffic().write_faults = faults.clone().into();
        let sync = setup.client.sync(&desired, PlanOptions::new());
        let report = match setup.runtime.block_on(sync) {
            Ok(report) => report,
            Err(error) => {
                assert!(error.report.unknown.is_some(), "{error}");
                *error.report
            }
        };
        assert_eq!(report.done.len(), done, "{wanted:?} {faults:?} {report}");
        let links = setup.me().links.unwrap();
        assert_eq!(report.warnings.len(), done);
        for (warning, sent) in report.warnings.iter().zip(&wanted[current.len()..]) {
            let is_named = |link: &&Link| {
                let id = link.id.as_ref().unwrap();
                let text = format!("the service stored the title of link {id} {sent:?} as \"A\"");
                warning.to_string() == text
            };
            assert_eq!(links.iter().filter(is_named).count(), 1, "{warning}");
        }
    }
}

/// Returns the links after these steps in a form that can be compared.
fn links_after<'a>(
    before: &Profile,
    steps: impl Iterator<Item = &'a Step>,
) -> Vec<(String, String)> {
    let mut links = before.links.clone().unwrap();
    for step in steps {
        match step {
            Step::CreateLink { to, .. } => {
                let mut link = profile_sdk::Link::default();
                link.title = Some(to.title.clone());
                link.url = Some(to.url.to_string());
                links.push(link);
            }
            Step::EditLink { id, to, .. } => {
                let mut links = links.iter_mut();
                let edited = links.find(|link| link.id.as_ref() == Some(id)).unwrap();
                edited.title = Some(to.title.clone());
                edited.url = Some(to.url.to_string());
            }
            Step::DeleteLink { id, .. } => links.retain(|link| link.id.as_ref() != Some(id)),
            _ => {}
        }
    }
    let links = links.into_iter();
    comparable(links.map(|link| (link.title.unwrap(), link.url.unwrap())))
}

//! The matrix: every call under every dialect of the service decodes and says the same facts.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::pin::Pin;

use mock_server::dialect::{
    AnalyticsShape, BadgeKinds, ContentRejection, DaysOutOfRange, ErrorBody, Ids, MeFields,
    OtherStatistics, RateLimitRejection, ReferenceData, ResourceFields, ScopeRejection,
    WriteResponses,
};
use mock_server::{Dialect, MockServer, RateLimit};
use profile_sdk::{
    BadgeKind, Client, Days, Error, ErrorKind, Handle, Link, LinkId, LinkUpdate, LinkUrl, NewLink,
    Operation, Post, PostId, Profile, ProfileUpdate, Scope, Scopes,
};
use serde_json::{Map, Value};

use crate::every_call::every_call;
use crate::{connect, connect_as_owner, describe};

/// One service, with its dialect and a client of it that may do everything.
struct Scene {
    name: String,
    dialect: Dialect,
    service: MockServer,
    client: Client,
}

type Check = for<'a> fn(&'a Scene) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The rows of the matrix; its columns are the [`dialects`].
const CALLS: [(Operation, Check); 11] = [
    (Operation::ME, |scene| Box::pin(me(scene))),
    (Operation::UPDATE_PROFILE, |scene| {
        Box::pin(update_profile(scene))
    }),
    (Operation::ANALYTICS, |scene| Box::pin(analytics(scene))),
    (Operation::CREATE_LINK, |scene| Box::pin(create_link(scene))),
    (Operation::UPDATE_LINK, |scene| Box::pin(update_link(scene))),
    (Operation::DELETE_LINK, |scene| Box::pin(delete_link(scene))),
    (Operation::CREATE_POST, |scene| Box::pin(create_post(scene))),
    (Operation::DELETE_POST, |scene| Box::pin(delete_post(scene))),
    (Operation::USER_STATS, |scene| Box::pin(user_stats(scene))),
    (Operation::BADGES, |scene| Box::pin(badges(scene))),
    (Operation::SITE_STATS, |scene| Box::pin(site_stats(scene))),
];

/// Every alternative alone, and several at once.
fn dialects() -> impl Iterator<Item = (String, Dialect)> {
    let named = ["default", "minimal", "maximal"].map(str::to_owned);
    let drawn = (0..6).map(|seed| format!("random:{seed}"));
    let several = named.into_iter().chain(drawn).map(|name| {
        let dialect = Dialect::named(&name).unwrap();
        (name, dialect)
    });
    let alone = Dialect::alternatives()
        .map(|(setting, alternative, dialect)| (format!("{setting}: {alternative}"), dialect));
    several.chain(alone)
}

async fn set_up(name: String, dialect: Dialect) -> Scene {
    let builder = MockServer::builder().dialect(dialect.clone());
    let service = builder.start().await.unwrap();
    let client = connect_as_owner(&service);
    Scene {
        name,
        dialect,
        service,
        client,
    }
}

#[test]
fn the_matrix_has_a_row_for_every_operation() {
    assert_eq!(CALLS.map(|(operation, _)| operation), Operation::ALL);
}

#[tokio::test]
pub(crate) async fn every_call_says_the_same_under_every_dialect() {
    for (name, dialect) in dialects() {
        let scene = set_up(name, dialect).await;
        for (operation, check) in CALLS {
            check(&scene).await;
            let seen = scene.succeeded(&operation);
            assert!(seen, "{}: {operation} was not answered", scene.name);
        }
    }
}

#[tokio::test]
pub(crate) async fn every_refusal_is_told_under_every_dialect() {
    for (name, dialect) in dialects() {
        let scene = set_up(name, dialect).await;
        missing_scopes_are_named(&scene).await;
        the_unknown_is_not_found(&scene).await;
        a_wrong_key_is_unauthorized(&scene).await;
        a_used_up_rate_limit_is_told(&scene).await;
    }
}

impl Scene {
    fn succeeded(&self, operation: &Operation) -> bool {
        let requests = self.service.journal().requests();
        requests.iter().any(|request| {
            request.method == operation.method().as_str()
                && request.endpoint == Some(operation.path_template())
                && matches!(request.status, Some(200..300))
        })
    }

    fn account(&self) -> mock_server::Account {
        let world = self.service.world().unwrap();
        world.account("demo").unwrap().clone()
    }

    /// The id of a link or post as this dialect has it in answers and paths.
    fn shown_id(&self, id: &str) -> String {
        match self.dialect.ids {
            Ids::String => id.to_owned(),
            Ids::Integer => id.rsplit('_').next().unwrap().to_owned(),
            other => panic!("{other:?} has no check yet"),
        }
    }

    fn add_link(&self) -> LinkId {
        let link = self
            .service
            .update(|world| world.add_link("demo", "old", "x:old"));
        let id = link.unwrap().unwrap().id;
        LinkId::new(self.shown_id(&id)).unwrap()
    }

    #[track_caller]
    fn check_link(&self, shown: &Link, kept: &mock_server::Link) {
        let id = shown.id.as_ref().map(LinkId::as_str);
        assert_eq!(id, Some(&*self.shown_id(&kept.id)), "{}", self.name);
        assert_eq!(shown.title.as_ref(), Some(&kept.title), "{}", self.name);
        assert_eq!(shown.url.as_ref(), Some(&kept.url), "{}", self.name);
        self.check_further_fields(&shown.extra, &kept.created_at);
    }

    #[track_caller]
    fn check_post(&self, shown: &Post, kept: &mock_server::Post) {
        let id = shown.id.as_ref().map(PostId::as_str);
        assert_eq!(id, Some(&*self.shown_id(&kept.id)), "{}", self.name);
        assert_eq!(shown.body.as_ref(), Some(&kept.body), "{}", self.name);
        self.check_further_fields(&shown.extra, &kept.created_at);
    }

    #[track_caller]
    fn check_further_fields(&self, extra: &Map<String, Value>, created_at: &str) {
        match self.dialect.resource_fields {
            ResourceFields::CreatedAt => assert_eq!(extra.len(), 1),
            ResourceFields::Bare => return assert!(extra.is_empty(), "{extra:?}"),
            ResourceFields::Nested => assert!(extra["metadata"]["source"].is_object()),
            other => panic!("{other:?} has no check yet"),
        }
        assert_eq!(extra["created_at"], created_at, "{}", self.name);
    }

    /// Whether a write is answered with the resource; if so, the SDK has to give it.
    #[track_caller]
    fn check_shown<T>(&self, resource: Option<&T>) {
        let shown = match self.dialect.write_responses {
            WriteResponses::Resource => true,
            WriteResponses::EmptyData | WriteResponses::NoContent => false,
            other => panic!("{other:?} has no check yet"),
        };
        assert_eq!(resource.is_some(), shown, "{}", self.name);
    }

    #[track_caller]
    fn check_profile(&self, shown: &Profile) {
        let account = self.account();
        let kept = &account.profile;
        let texts = [
            (&shown.display_name, &kept.display_name),
            (&shown.bio, &kept.bio),
            (&shown.location, &kept.location),
            (&shown.accent_color, &kept.accent_color),
            (&shown.text_color, &kept.text_color),
            (&shown.background_color, &kept.background_color),
        ];
        for (shown, kept) in texts {
            assert_eq!(shown.as_ref(), Some(kept), "{}", self.name);
        }
        let (links, posts) = match self.dialect.me_fields {
            MeFields::Full => (shown.links.as_ref().unwrap(), shown.posts.as_ref().unwrap()),
            MeFields::Minimal => {
                assert_eq!((&shown.handle, &shown.badges), (&None, &None));
                return assert_eq!((&shown.links, &shown.posts), (&None, &None));
            }
            other => panic!("{other:?} has no check yet"),
        };
        assert_eq!(shown.handle.as_ref().map(Handle::as_str), Some("demo"));
        assert_eq!(shown.badges.as_ref().unwrap().len(), account.badges.len());
        assert_eq!(
            (links.len(), posts.len()),
            (account.links.len(), account.posts.len())
        );
        for (link, kept) in links.iter().zip(&account.links) {
            self.check_link(link, kept);
        }
        for (post, kept) in posts.iter().zip(&account.posts) {
            self.check_post(post, kept);
        }
    }

    /// What the service says about a refusal, as far as the dialect says anything.
    #[track_caller]
    fn check_said(&self, error: &Error, code: &str) {
        let (has_code, has_message) = match self.dialect.error_body {
            ErrorBody::Nested | ErrorBody::Flat | ErrorBody::ProblemDetails => (true, true),
            ErrorBody::PlainText => (false, true),
            ErrorBody::Empty => (false, false),
            other => panic!("{other:?} has no check yet"),
        };
        let found = has_code.then_some(code);
        assert_eq!(error.code(), found, "{}: {error}", self.name);
        assert_eq!(
            error.message().is_some(),
            has_message,
            "{}: {error}",
            self.name
        );
        assert_eq!(
            error.body().is_empty(),
            !has_message,
            "{}: {error}",
            self.name
        );
    }
}

async fn me(scene: &Scene) {
    let me = scene.client.me().await.expect(&scene.name);
    scene.check_profile(&me);
    let account = scene.account();
    assert_eq!(me.email, Some(account.email));
    let visible = me
        .api_visible
        .as_ref()
        .and_then(|visible| visible.as_bool());
    assert_eq!(visible, Some(account.api_visible), "{}", scene.name);
    let key = me.key.unwrap();
    assert!(
        key.scopes.as_ref().unwrap().iter().eq(&Scope::KNOWN),
        "{}",
        scene.name
    );
    assert_eq!(
        key.rate_limit.unwrap().limit(),
        Some(1_000_000),
        "{}",
        scene.name
    );
    let extra = key.extra.get("owner").is_some();
    let told = scene.dialect.key_object == mock_server::dialect::KeyObject::ExtraFields;
    assert_eq!(extra, told, "{}", scene.name);
}

async fn update_profile(scene: &Scene) {
    let update = ProfileUpdate::new()
        .display_name("Ada".parse().unwrap())
        .location("".parse().unwrap())
        .accent_color("#FF8800".parse().unwrap());
    let shown = scene
        .client
        .update_profile(&update)
        .await
        .expect(&scene.name);
    let kept = scene.account().profile;
    assert_eq!(kept.display_name, "Ada");
    assert_eq!(kept.location, "");
    assert_eq!(kept.accent_color, "#FF8800");
    scene.check_shown(shown.as_ref());
    if let Some(shown) = shown {
        scene.check_profile(&shown);
    }
}

async fn analytics(scene: &Scene) {
    let analytics = scene.client.analytics().await.expect(&scene.name);
    let views = analytics.views.unwrap().total().unwrap();
    let likes = analytics.likes.unwrap().total();
    let followers = match scene.dialect.analytics {
        AnalyticsShape::Social | AnalyticsShape::Totals => {
            let social = analytics.social.unwrap();
            social.part("followers").unwrap().total()
        }
        AnalyticsShape::Flat => analytics.extra["followers"].as_u64(),
        other => panic!("{other:?} has no check yet"),
    };
    let facts = (views > 0, likes, followers);
    let expected = (true, Some(views / 12), Some(views / 50));
    assert_eq!(facts, expected, "{}", scene.name);
}

async fn create_link(scene: &Scene) {
    let link = NewLink::new("", LinkUrl::new("HTTPS://Example.org").unwrap());
    let shown = scene.client.create_link(&link).await.expect(&scene.name);
    let kept = scene.account().links.pop().unwrap();
    assert_eq!((&*kept.title, &*kept.url), ("", "HTTPS://Example.org"));
    scene.check_shown(shown.as_ref());
    if let Some(shown) = shown {
        scene.check_link(&shown, &kept);
    }
}

async fn update_link(scene: &Scene) {
    let id = scene.add_link();
    let update = LinkUpdate::new().title("new");
    let shown = scene
        .client
        .update_link(&id, &update)
        .await
        .expect(&scene.name);
    let kept = scene.account().links.pop().unwrap();
    assert_eq!((&*kept.title, &*kept.url), ("new", "x:old"));
    scene.check_shown(shown.as_ref());
    if let Some(shown) = shown {
        scene.check_link(&shown, &kept);
    }
}

async fn delete_link(scene: &Scene) {
    let before = scene.account().links;
    let id = scene.add_link();
    scene.client.delete_link(&id).await.expect(&scene.name);
    assert_eq!(scene.account().links, before);
}

async fn create_post(scene: &Scene) {
    let shown = scene.client.create_post("a\n🦀").await.expect(&scene.name);
    let kept = scene.account().posts.pop().unwrap();
    assert_eq!(kept.body, "a\n🦀");
    scene.check_shown(shown.as_ref());
    if let Some(shown) = shown {
        scene.check_post(&shown, &kept);
    }
}

async fn delete_post(scene: &Scene) {
    let before = scene.account().posts;
    let post = scene.service.update(|world| world.add_post("demo", "old"));
    let id = PostId::new(scene.shown_id(&post.unwrap().unwrap().id)).unwrap();
    scene.client.delete_post(&id).await.expect(&scene.name);
    assert_eq!(scene.account().posts, before);
}

async fn user_stats(scene: &Scene) {
    let handle = Handle::new("demo").unwrap();
    for (asked, days) in [(None, 30), (Some(Days::new(365).unwrap()), 365)] {
        let own = scene
            .client
            .user_stats(&handle, asked)
            .await
            .expect(&scene.name);
        let period = own.period.unwrap();
        assert_eq!(
            (period.days, own.daily.unwrap().len()),
            (days, days as usize)
        );
        let countries = own.countries.unwrap();
        let by_country: u64 = countries.iter().map(|country| country.views).sum();
        assert_eq!(by_country, period.views, "{}", scene.name);
        assert!(own.devices.unwrap().desktop > Some(0), "{}", scene.name);
    }
    statistics_of_another(scene).await;
}

async fn statistics_of_another(scene: &Scene) {
    let handle = Handle::new("grace").unwrap();
    let stats = scene
        .client
        .user_stats(&handle, None)
        .await
        .expect(&scene.name);
    assert!(stats.total_views.unwrap() >= stats.period.unwrap().views);
    let shown = match scene.dialect.other_statistics {
        OtherStatistics::Omitted | OtherStatistics::Null => false,
        OtherStatistics::Empty => true,
        other => panic!("{other:?} has no check yet"),
    };
    let devices = stats.devices.map(|devices| devices.desktop);
    assert_eq!(devices, shown.then_some(None), "{}", scene.name);
    assert_eq!(stats.countries, shown.then(Vec::new), "{}", scene.name);

    let beyond = scene
        .client
        .user_stats(&handle, Days::new(31).unwrap())
        .await;
    let unprocessable = match scene.dialect.content_rejection {
        ContentRejection::Unprocessable => 422,
        ContentRejection::BadRequest => 400,
        other => panic!("{other:?} has no check yet"),
    };
    let status = match scene.dialect.days_out_of_range {
        DaysOutOfRange::Unprocessable => unprocessable,
        DaysOutOfRange::BadRequest => 400,
        DaysOutOfRange::Clamped => {
            return assert_eq!(beyond.unwrap().period.unwrap().days, 30, "{}", scene.name);
        }
        other => panic!("{other:?} has no check yet"),
    };
    let error = beyond.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected, "{}", scene.name);
    assert_eq!(error.status(), Some(status), "{}", scene.name);
    scene.check_said(&error, "out_of_range");
}

async fn badges(scene: &Scene) {
    let badges = scene.client.badges().await.expect(&scene.name);
    let kinds: BTreeSet<_> = badges
        .iter()
        .filter_map(|badge| badge.kind.as_ref().map(BadgeKind::as_str))
        .collect();
    let expected = match scene.dialect.badge_kinds {
        BadgeKinds::Auto => BTreeSet::from(["auto"]),
        BadgeKinds::Extra => BTreeSet::from(["auto", "manual"]),
        other => panic!("{other:?} has no check yet"),
    };
    assert_eq!(kinds, expected, "{}", scene.name);
    let open = describe(&scene.service).build().unwrap().badges().await;
    check_open(scene, open.map(|shown| assert_eq!(shown, badges)));
}

async fn site_stats(scene: &Scene) {
    let site = scene.client.site_stats().await.expect(&scene.name);
    assert!(
        site.users >= 2 && site.views > 0 && site.links >= 3,
        "{}",
        scene.name
    );
    let open = describe(&scene.service).build().unwrap().site_stats().await;
    check_open(scene, open.map(|shown| assert_eq!(shown, site)));
}

/// What a client without a key gets where the specification does not say whether one is needed.
#[track_caller]
fn check_open(scene: &Scene, answered: Result<(), Error>) {
    match scene.dialect.reference_data {
        ReferenceData::Open => answered.expect(&scene.name),
        ReferenceData::KeyRequired => {
            let error = answered.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unauthorized, "{}", scene.name);
        }
        other => panic!("{other:?} has no check yet"),
    }
}

async fn missing_scopes_are_named(scene: &Scene) {
    let client = connect(&scene.service, &scene.service.keys().none);
    let me = client.me().await.expect(&scene.name);
    assert_eq!(
        me.key
            .unwrap()
            .scopes
            .as_ref()
            .map(Scopes::iter)
            .unwrap()
            .count(),
        0
    );
    let kind = match scene.dialect.scope_rejection {
        ScopeRejection::Forbidden => ErrorKind::Forbidden,
        ScopeRejection::Unauthorized => ErrorKind::Unauthorized,
        other => panic!("{other:?} has no check yet"),
    };
    for (operation, call) in every_call(&client) {
        let Some(scope) = operation.scope() else {
            continue;
        };
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), kind, "{}", scene.name);
        assert!(
            error.to_string().contains(scope.as_str()),
            "{}: {error}",
            scene.name
        );
        scene.check_said(&error, "scope_missing");
    }
}

async fn the_unknown_is_not_found(scene: &Scene) {
    let handle = Handle::new("nobody").unwrap();
    for (error, code) in [
        (
            scene.client.user_stats(&handle, None).await.unwrap_err(),
            "unknown_handle",
        ),
        (
            scene
                .client
                .delete_link(&LinkId::from(999))
                .await
                .unwrap_err(),
            "unknown_link",
        ),
        (
            scene
                .client
                .delete_post(&PostId::from(999))
                .await
                .unwrap_err(),
            "unknown_post",
        ),
    ] {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{}", scene.name);
        scene.check_said(&error, code);
    }
}

async fn a_wrong_key_is_unauthorized(scene: &Scene) {
    let error = connect(&scene.service, "wrong").me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{}", scene.name);
    scene.check_said(&error, "key_invalid");
}

async fn a_used_up_rate_limit_is_told(scene: &Scene) {
    let key = &scene.service.keys().analytics;
    let limit = RateLimit {
        limit: 0,
        // Longer than any client waits.
        window_seconds: NonZeroU32::MAX,
    };
    let changed = scene
        .service
        .update(|world| world.set_rate_limit(key, limit));
    changed.unwrap().unwrap();
    let error = connect(&scene.service, key).analytics().await.unwrap_err();
    let (kind, headers) = match scene.dialect.rate_limit_rejection {
        RateLimitRejection::TooManyRequests => (ErrorKind::RateLimited, true),
        RateLimitRejection::WithoutHeaders => (ErrorKind::RateLimited, false),
        RateLimitRejection::ServiceUnavailable => (ErrorKind::Service, true),
        other => panic!("{other:?} has no check yet"),
    };
    assert_eq!(error.kind(), kind, "{}", scene.name);
    assert_eq!(
        error.header("retry-after").is_some(),
        headers,
        "{}",
        scene.name
    );
    scene.check_said(&error, "rate_limited");
}

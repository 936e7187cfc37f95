//! The matrix: every call with every dialect of the service.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::time::Duration;

use mock_server::dialect::{
    AnalyticsShape, BadgeKinds, ContentRejection, DaysOutOfRange, ErrorBody, Ids, LinkUrls,
    MeFields, OtherStatistics, RateLimitRejection, ReferenceData, ResourceFields, ScopeRejection,
    WriteResponses,
};
use mock_server::{Dialect, MockServer, RateLimit, Request, World, handle};
use profile_sdk::{
    BadgeKind, Client, Color, Days, Error, ErrorKind, Handle, Link, LinkId, LinkUpdate, LinkUrl,
    NewLink, Operation, Post, PostId, Profile, ProfileField, ProfileUpdate, Scope, Scopes,
};
use serde_json::{Map, Value};

use crate::every_call::every_call;
use crate::{client_builder, connect, connect_as_owner};

/// A service with a dialect, and a client with all scopes.
struct Setup {
    name: String,
    dialect: Dialect,
    service: MockServer,
    client: Client,
}

type Check = for<'a> fn(&'a Setup) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The checks of the results of each call.
const CHECKS: &[(Operation, Check)] = &[
    (Operation::ME, |setup| Box::pin(me(setup))),
    (Operation::UPDATE_PROFILE, |setup| {
        Box::pin(update_profile(setup))
    }),
    (Operation::ANALYTICS, |setup| Box::pin(analytics(setup))),
    (Operation::CREATE_LINK, |setup| Box::pin(create_link(setup))),
    (Operation::UPDATE_LINK, |setup| Box::pin(update_link(setup))),
    (Operation::DELETE_LINK, |setup| Box::pin(delete_link(setup))),
    (Operation::CREATE_POST, |setup| Box::pin(create_post(setup))),
    (Operation::DELETE_POST, |setup| Box::pin(delete_post(setup))),
    (Operation::USER_STATS, |setup| Box::pin(user_stats(setup))),
    (Operation::BADGES, |setup| Box::pin(badges(setup))),
    (Operation::SITE_STATS, |setup| Box::pin(site_stats(setup))),
];

/// Values that a service may have where the specification is silent.
const OBSERVED: &str = r#"{
    "ids": "uuid",
    "error_template": {"body": {"errors": [
        {"status": "{status}", "code": "{code}", "message": "{message}", "source": {"at": "{field}"}}
    ]}},
    "rate_limit_header_names": {"limit": "X-Quota", "remaining": "X-Quota-Left"},
    "write_statuses": {"created": 202, "edited": 202, "deleted": 202},
    "extra_fields": {
        "me": {"phone": null},
        "profile": {"pronouns": ["they"]},
        "badge": {"rank": 1.5},
        "statistics": {"unique": {"total": 1}},
        "analytics": {"shares": 0},
        "site": {"posts": 9}
    }
}"#;

/// Returns each alternative alone, and combinations of several.
fn dialects() -> impl Iterator<Item = (String, Dialect)> {
    let named = ["default", "minimal", "maximal"].map(str::to_owned);
    let drawn = (0..6).map(|seed| format!("random:{seed}"));
    let several = named.into_iter().chain(drawn).map(|name| {
        let dialect = Dialect::named(&name).unwrap();
        (name, dialect)
    });
    let observed = Dialect::from_json(OBSERVED).unwrap();
    let observed = ("observed values".to_owned(), observed);
    let alone = Dialect::alternatives()
        .map(|(setting, alternative, dialect)| (format!("{setting}: {alternative}"), dialect));
    several.chain([observed]).chain(alone)
}

async fn start(name: String, dialect: Dialect) -> Setup {
    let builder = MockServer::builder().dialect(dialect.clone());
    let service = builder.start().await.unwrap();
    let client = connect_as_owner(&service);
    Setup {
        name,
        dialect,
        service,
        client,
    }
}

#[tokio::test]
async fn every_call_with_every_dialect() {
    for (name, dialect) in dialects() {
        let setup = start(name, dialect).await;
        for operation in Operation::ALL {
            let row = CHECKS.iter().find(|(checked, _)| checked == operation);
            let (_, check) = row.unwrap_or_else(|| panic!("no check of {operation}"));
            check(&setup).await;
            let seen = setup.succeeded(operation);
            assert!(seen, "{}: {operation} did not succeed", setup.name);
        }
    }
}

#[tokio::test]
async fn every_error_with_every_dialect() {
    for (name, dialect) in dialects() {
        let setup = start(name, dialect).await;
        missing_scopes_are_named(&setup).await;
        unknown_resources_are_not_found(&setup).await;
        a_wrong_key_is_unauthorized(&setup).await;
        rate_limits_are_reported(&setup).await;
    }
}

impl Setup {
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

    /// Returns the ID of a link or post in responses and paths of this dialect.
    fn response_id(&self, id: &str) -> String {
        match self.dialect.ids {
            Ids::String => id.to_owned(),
            Ids::Integer => id.rsplit('_').next().unwrap().to_owned(),
            Ids::Uuid => self.uuid(id),
            other => panic!("{other:?} has no check"),
        }
    }

    /// Returns the UUID of a link or post in `GET /me`.
    fn uuid(&self, id: &str) -> String {
        let mut world = self.service.world().unwrap();
        let account = world.account("demo").unwrap();
        let links = account.links.iter().map(|link| &link.id);
        let mut ids = links.chain(account.posts.iter().map(|post| &post.id));
        let position = ids.position(|known| known == id).unwrap();
        world.set_dialect(Dialect::from_json(r#"{"ids": "uuid"}"#).unwrap());
        let request = Request::new("GET", "/api/v1/me");
        let request = request.header("Authorization", format!("Bearer {}", world.keys().all));
        let me: Value = serde_json::from_slice(&handle(&mut world, &request).body).unwrap();
        let [links, posts] = ["links", "posts"].map(|name| me["data"][name].as_array().unwrap());
        let resource = links.iter().chain(posts).nth(position).unwrap();
        resource["id"].as_str().unwrap().to_owned()
    }

    fn add_link(&self) -> LinkId {
        let add = |world: &mut World| world.add_link("demo", "old", "x:old");
        let id = self.service.update(add).unwrap().unwrap().id;
        LinkId::new(self.response_id(&id)).unwrap()
    }

    #[track_caller]
    fn check_link(&self, returned: &Link, stored: &mock_server::Link) {
        let id = returned.id.as_ref().map(LinkId::as_str);
        assert_eq!(id, Some(&*self.response_id(&stored.id)), "{}", self.name);
        let title = returned.title.as_ref();
        assert_eq!(title, Some(&stored.title), "{}", self.name);
        assert_eq!(returned.url.as_ref(), Some(&stored.url), "{}", self.name);
        self.check_extra_fields(&returned.extra, &stored.created_at);
    }

    #[track_caller]
    fn check_post(&self, returned: &Post, stored: &mock_server::Post) {
        let id = returned.id.as_ref().map(PostId::as_str);
        assert_eq!(id, Some(&*self.response_id(&stored.id)), "{}", self.name);
        assert_eq!(returned.body.as_ref(), Some(&stored.body), "{}", self.name);
        self.check_extra_fields(&returned.extra, &stored.created_at);
    }

    #[track_caller]
    fn check_extra_fields(&self, extra: &Map<String, Value>, created_at: &str) {
        match self.dialect.resource_fields {
            ResourceFields::CreatedAt => assert_eq!(extra.len(), 1),
            ResourceFields::Bare => return assert!(extra.is_empty(), "{extra:?}"),
            ResourceFields::Nested => assert!(extra["metadata"]["source"].is_object()),
            other => panic!("{other:?} has no check"),
        }
        assert_eq!(extra["created_at"], created_at, "{}", self.name);
    }

    /// Checks that the SDK returns the resource if the response to a write contains it.
    #[track_caller]
    fn check_returned<T>(&self, resource: Option<&T>) {
        let returned = match self.dialect.write_responses {
            WriteResponses::Resource => true,
            WriteResponses::EmptyData | WriteResponses::NullData | WriteResponses::NoContent => {
                false
            }
            other => panic!("{other:?} has no check"),
        };
        assert_eq!(resource.is_some(), returned, "{}", self.name);
    }

    #[track_caller]
    fn check_profile(&self, returned: &Profile) {
        let account = self.account();
        let stored = serde_json::to_value(&account.profile).unwrap();
        for field in ProfileField::ALL {
            let stored = stored[field.name()].as_str();
            assert_eq!(returned.get(*field), stored, "{}: {field}", self.name);
        }
        let (links, posts) = match self.dialect.me_fields {
            MeFields::Full => (returned.links(), returned.posts()),
            MeFields::Minimal => {
                assert_eq!((&returned.handle, &returned.badges), (&None, &None));
                return assert_eq!((&returned.links, &returned.posts), (&None, &None));
            }
            other => panic!("{other:?} has no check"),
        };
        assert_eq!(returned.handle.as_ref().map(Handle::as_str), Some("demo"));
        let badges = returned.badges.as_ref().unwrap();
        assert_eq!(badges.len(), account.badges.len());
        assert_eq!(links.len(), account.links.len());
        assert_eq!(posts.len(), account.posts.len());
        for (link, stored) in links.iter().zip(&account.links) {
            self.check_link(link, stored);
        }
        for (post, stored) in posts.iter().zip(&account.posts) {
            self.check_post(post, stored);
        }
    }

    /// Checks the code and message of an error, as far as the dialect sends them.
    #[track_caller]
    fn check_error_body(&self, error: &Error, code: &str) {
        let (has_code, has_message) = match self.dialect.error_body {
            ErrorBody::Nested | ErrorBody::Flat | ErrorBody::ProblemDetails => (true, true),
            ErrorBody::Detail | ErrorBody::PlainText | ErrorBody::Html => (false, true),
            ErrorBody::Empty => (false, false),
            other => panic!("{other:?} has no check"),
        };
        let found = has_code.then_some(code);
        assert_eq!(error.code(), found, "{}: {error}", self.name);
        let found = (error.message().is_some(), error.body().is_empty());
        let expected = (has_message, !has_message);
        assert_eq!(found, expected, "{}: {error}", self.name);
    }
}

async fn me(setup: &Setup) {
    let me = setup.client.me().await.expect(&setup.name);
    setup.check_profile(&me);
    let account = setup.account();
    assert_eq!(me.email, Some(account.email));
    let visible = me.api_visible.as_ref();
    let visible = visible.and_then(|visible| visible.as_bool());
    assert_eq!(visible, Some(account.api_visible), "{}", setup.name);
    let key = me.key.unwrap();
    let mut scopes = key.scopes.as_ref().unwrap().iter();
    assert!(scopes.by_ref().eq(Scope::KNOWN), "{}", setup.name);
    let limit = key.rate_limit.unwrap().limit();
    assert_eq!(limit, Some(1_000_000), "{}", setup.name);
    let extra = key.extra.get("owner").is_some();
    let expected = setup.dialect.key_object == mock_server::dialect::KeyObject::ExtraFields;
    assert_eq!(extra, expected, "{}", setup.name);
}

async fn update_profile(setup: &Setup) {
    let before = setup.account().profile;
    let update = ProfileUpdate::new()
        .display_name("Ada".parse().unwrap())
        .location("".parse().unwrap())
        .accent_color("#FF8800".parse().unwrap());
    let call = setup.client.update_profile(&update);
    let returned = call.await.expect(&setup.name);
    let stored = setup.account().profile;
    assert_eq!(stored.display_name, "Ada");
    assert_eq!(stored.location, "");
    assert_eq!(stored.accent_color, "#FF8800");
    assert_eq!(stored.bio, before.bio);
    setup.check_returned(returned.as_ref());
    if let Some(returned) = returned {
        setup.check_profile(&returned);
    }
}

async fn analytics(setup: &Setup) {
    let analytics = setup.client.analytics().await.expect(&setup.name);
    let views = analytics.views.unwrap().total().unwrap();
    let likes = analytics.likes.unwrap().total();
    let followers = match setup.dialect.analytics {
        AnalyticsShape::Social | AnalyticsShape::Totals => {
            let social = analytics.social.unwrap();
            let parts: BTreeSet<_> = social.parts().map(|(name, _)| name).collect();
            let expected = BTreeSet::from(["comments", "followers", "following"]);
            assert_eq!(parts, expected);
            let followers = &social.raw()["followers"];
            followers.as_u64().or_else(|| followers["total"].as_u64())
        }
        AnalyticsShape::Flat => analytics.extra["followers"].as_u64(),
        other => panic!("{other:?} has no check"),
    };
    let values = (views > 0, likes, followers);
    let expected = (true, Some(views / 12), Some(views / 50));
    assert_eq!(values, expected, "{}", setup.name);
}

async fn create_link(setup: &Setup) {
    let link = NewLink::new("", LinkUrl::new("HTTPS://Example.org").unwrap());
    let returned = setup.client.create_link(&link).await.expect(&setup.name);
    let stored = setup.account().links.pop().unwrap();
    let url = match setup.dialect.link_urls {
        LinkUrls::AsSent => "HTTPS://Example.org",
        LinkUrls::Parsed => "https://example.org/",
        other => panic!("{other:?} has no check"),
    };
    assert_eq!((&*stored.title, &*stored.url), ("", url));
    setup.check_returned(returned.as_ref());
    if let Some(returned) = returned {
        setup.check_link(&returned, &stored);
    }
}

async fn update_link(setup: &Setup) {
    let id = setup.add_link();
    let update = LinkUpdate::new().title("");
    let call = setup.client.update_link(&id, &update);
    let returned = call.await.expect(&setup.name);
    let stored = setup.account().links.pop().unwrap();
    assert_eq!((&*stored.title, &*stored.url), ("", "x:old"));
    setup.check_returned(returned.as_ref());
    if let Some(returned) = returned {
        setup.check_link(&returned, &stored);
    }
}

async fn delete_link(setup: &Setup) {
    let before = setup.account().links;
    let id = setup.add_link();
    setup.client.delete_link(&id).await.expect(&setup.name);
    assert_eq!(setup.account().links, before);
}

async fn create_post(setup: &Setup) {
    let body = "a\n🦀\u{0}".repeat(1000);
    let returned = setup.client.create_post(&body).await.expect(&setup.name);
    let stored = setup.account().posts.pop().unwrap();
    assert_eq!(stored.body, body);
    setup.check_returned(returned.as_ref());
    if let Some(returned) = returned {
        setup.check_post(&returned, &stored);
    }
}

async fn delete_post(setup: &Setup) {
    let before = setup.account().posts;
    let post = setup.service.update(|world| world.add_post("demo", "old"));
    let id = PostId::new(setup.response_id(&post.unwrap().unwrap().id)).unwrap();
    setup.client.delete_post(&id).await.expect(&setup.name);
    assert_eq!(setup.account().posts, before);
}

async fn user_stats(setup: &Setup) {
    let handle = Handle::new("demo").unwrap();
    for (requested, days) in [(None, 30), (Some(Days::new(365).unwrap()), 365)] {
        let call = setup.client.user_stats(&handle, requested);
        let own = call.await.expect(&setup.name);
        let period = own.period.unwrap();
        let (daily, countries) = (own.daily.unwrap(), own.countries.unwrap());
        assert_eq!((period.days, daily.len()), (days, days as usize));
        let devices = own.devices.unwrap();
        let devices = [devices.desktop, devices.mobile, devices.tablet];
        let sums: [u64; 3] = [
            daily.iter().map(|day| day.views).sum(),
            countries.iter().map(|country| country.views).sum(),
            devices.into_iter().map(Option::unwrap).sum(),
        ];
        assert_eq!(sums, [period.views; 3], "{}", setup.name);
    }
    statistics_of_another(setup).await;
}

async fn statistics_of_another(setup: &Setup) {
    let handle = Handle::new("grace").unwrap();
    let call = setup.client.user_stats(&handle, None);
    let stats = call.await.expect(&setup.name);
    assert!(stats.total_views.unwrap() >= stats.period.unwrap().views);
    assert_eq!(stats.daily.unwrap().len(), 30, "{}", setup.name);
    let returned = match setup.dialect.other_statistics {
        OtherStatistics::Omitted | OtherStatistics::Null => false,
        OtherStatistics::Empty => true,
        other => panic!("{other:?} has no check"),
    };
    let devices = stats.devices.map(|devices| devices.desktop);
    assert_eq!(devices, returned.then_some(None), "{}", setup.name);
    assert_eq!(stats.countries, returned.then(Vec::new), "{}", setup.name);

    let beyond = setup.client.user_stats(&handle, Days::new(31).unwrap());
    let beyond = beyond.await;
    let unprocessable = match setup.dialect.content_rejection {
        ContentRejection::Unprocessable => 422,
        ContentRejection::BadRequest => 400,
        other => panic!("{other:?} has no check"),
    };
    let status = match setup.dialect.days_out_of_range {
        DaysOutOfRange::Unprocessable => unprocessable,
        DaysOutOfRange::BadRequest => 400,
        DaysOutOfRange::Clamped => {
            return assert_eq!(beyond.unwrap().period.unwrap().days, 30, "{}", setup.name);
        }
        other => panic!("{other:?} has no check"),
    };
    let error = beyond.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected, "{}", setup.name);
    assert_eq!(error.status(), Some(status), "{}", setup.name);
    setup.check_error_body(&error, "out_of_range");
}

async fn badges(setup: &Setup) {
    let badges = setup.client.badges().await.expect(&setup.name);
    let kinds = badges.iter().filter_map(|badge| badge.kind.as_ref());
    let kinds: BTreeSet<_> = kinds.map(BadgeKind::as_str).collect();
    let expected = match setup.dialect.badge_kinds {
        BadgeKinds::Auto => BTreeSet::from(["auto"]),
        BadgeKinds::Extra => BTreeSet::from(["auto", "manual"]),
        other => panic!("{other:?} has no check"),
    };
    assert_eq!(kinds, expected, "{}", setup.name);
    for badge in &badges {
        assert!(badge.description.is_some(), "{}", setup.name);
        assert!(Color::new(badge.color.clone().unwrap()).is_ok());
    }
    let without_key = client_builder(&setup.service).build().unwrap();
    let without_key = without_key.badges().await;
    check_without_key(setup, without_key, badges);
}

async fn site_stats(setup: &Setup) {
    let site = setup.client.site_stats().await.expect(&setup.name);
    let is_plausible = site.users >= 2 && site.views > 0 && site.links >= 3;
    assert!(is_plausible, "{}", setup.name);
    let without_key = client_builder(&setup.service).build().unwrap();
    let without_key = without_key.site_stats().await;
    check_without_key(setup, without_key, site);
}

/// Checks the result of a call without a key, where the specification does not define whether one
/// is required.
#[track_caller]
fn check_without_key<T: PartialEq + Debug>(setup: &Setup, result: Result<T, Error>, expected: T) {
    match setup.dialect.reference_data {
        ReferenceData::Open => assert_eq!(result.expect(&setup.name), expected),
        ReferenceData::KeyRequired => {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unauthorized, "{}", setup.name);
        }
        other => panic!("{other:?} has no check"),
    }
}

async fn missing_scopes_are_named(setup: &Setup) {
    let client = connect(&setup.service, &setup.service.keys().none);
    let me = client.me().await.expect(&setup.name);
    let scopes = me.key.unwrap().scopes;
    assert_eq!(scopes.as_ref().map(Scopes::iter).unwrap().count(), 0);
    let kind = match setup.dialect.scope_rejection {
        ScopeRejection::Forbidden => ErrorKind::Forbidden,
        ScopeRejection::Unauthorized => ErrorKind::Unauthorized,
        other => panic!("{other:?} has no check"),
    };
    for (operation, call) in every_call(&client) {
        let Some(scope) = operation.scope() else {
            continue;
        };
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), kind, "{}", setup.name);
        let lacked = error.missing_scope();
        let is_page = setup.dialect.error_body == ErrorBody::Html;
        let is_lacking = kind == ErrorKind::Forbidden && !is_page;
        assert_eq!(lacked, Some(scope).filter(|_| is_lacking));
        let named = error.to_string().contains(scope.as_str());
        assert!(named, "{}: {error}", setup.name);
        setup.check_error_body(&error, "scope_missing");
    }
}

async fn unknown_resources_are_not_found(setup: &Setup) {
    let handle = Handle::new("nobody").unwrap();
    let (client, link, post) = (&setup.client, LinkId::from(999), PostId::from(999));
    for (result, code) in [
        (
            client.user_stats(&handle, None).await.map(drop),
            "unknown_handle",
        ),
        (client.delete_link(&link).await, "unknown_link"),
        (client.delete_post(&post).await, "unknown_post"),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{}", setup.name);
        setup.check_error_body(&error, code);
    }
}

async fn a_wrong_key_is_unauthorized(setup: &Setup) {
    let error = connect(&setup.service, "wrong").me().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{}", setup.name);
    setup.check_error_body(&error, "unknown_key");
}

async fn rate_limits_are_reported(setup: &Setup) {
    let key = &setup.service.keys().analytics;
    let limit = RateLimit {
        limit: 0,
        // Longer than any client waits.
        window_seconds: NonZeroU32::MAX,
    };
    let set = |world: &mut World| world.set_rate_limit(key, limit);
    setup.service.update(set).unwrap().unwrap();
    let error = connect(&setup.service, key).analytics().await.unwrap_err();
    let (kind, headers) = match setup.dialect.rate_limit_rejection {
        RateLimitRejection::TooManyRequests => (ErrorKind::RateLimited, true),
        RateLimitRejection::WithoutHeaders => (ErrorKind::RateLimited, false),
        RateLimitRejection::ServiceUnavailable => (ErrorKind::Service, true),
        other => panic!("{other:?} has no check"),
    };
    assert_eq!(error.kind(), kind, "{}", setup.name);
    let is_sent = error.header("retry-after").is_some();
    assert_eq!(is_sent, headers, "{}", setup.name);
    if headers {
        let wait = error.retry_after().unwrap_or_default();
        assert!(wait > Duration::from_secs(3600), "{}: {wait:?}", setup.name);
    }
    setup.check_error_body(&error, "rate_limited");
}

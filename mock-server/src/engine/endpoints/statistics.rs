//! `GET /users/{handle}/stats`, `GET /me/analytics` and `GET /stats`: views, likes and counters.

use std::cmp::Reverse;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde::Serialize;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::call::Call;
use crate::engine::dialect::{AnalyticsShape, DaysOutOfRange, OtherStatistics};
use crate::engine::json_object::Object;
use crate::engine::problems::{Problem, Rejected};
use crate::engine::reply::Reply;
use crate::engine::seeded_hash::SeededHash;
use crate::engine::world::World;

const DEFAULT_DAYS: u16 = 30;
const MAX_DAYS_OWN_PROFILE: u16 = 365;
const MAX_DAYS_OTHER_PROFILES: u16 = 30;

/// The first day with views.
const FIRST_DAY: Date = date(2020, 1, 1);

/// The exclusive upper limit of the views of a day.
const VIEWS_PER_DAY: u64 = 40;

/// The countries of the visitors with their shares in percent.
const COUNTRIES: &[(&str, u64)] = &[("US", 40), ("DE", 25), ("GB", 15), ("FR", 12), ("JP", 8)];

#[derive(Serialize)]
struct Statistics {
    total_views: u64,
    period: Period,
    daily: Vec<Daily>,
    /// Only the owner gets the devices and countries of the visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    countries: Option<Value>,
}

#[derive(Serialize)]
struct Period {
    days: u16,
    views: u64,
}

#[derive(Serialize)]
struct Daily {
    date: String,
    views: u64,
}

#[derive(Default, Serialize)]
struct Devices {
    desktop: u64,
    mobile: u64,
    tablet: u64,
}

#[derive(Serialize)]
struct Country {
    code: &'static str,
    views: u64,
}

pub(super) fn show_views(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let handle = call.parameter.to_string();
    if world.account(&handle).is_none() {
        let handle = handle.clone();
        call.problems.reject(Problem::UnknownHandle { handle });
    }
    // Without a valid key the larger range applies, since the profile may be the caller's own.
    let own = call.key.is_none_or(|key| world.keys[key].handle == handle);
    let clamps = world.dialect().days_out_of_range == DaysOutOfRange::Clamped;
    let days = match days(call.request.query.as_deref(), own) {
        Ok(days) => days,
        Err(Problem::OutOfRange { found, limit }) if clamps => {
            let days = clamp(&found, limit);
            let tolerated = Problem::OutOfRange { found, limit };
            call.problems.tolerate(tolerated);
            days
        }
        Err(rejection) => return Err(call.problems.reject(rejection)),
    };
    call.caller()?;
    let today = world.clock().today();
    let (visits, others) = (Visits::of(world, &handle), world.dialect().other_statistics);
    let statistics = statistics(visits, today, days, own, others);
    Ok(Reply::data(200, statistics))
}

fn statistics(
    visits: Visits,
    today: Date,
    days: u16,
    own: bool,
    others: OtherStatistics,
) -> Statistics {
    let dates = (0..i64::from(days)).rev();
    let dates = dates.map(|ago| today.saturating_sub(ago.days()));
    let dates: Vec<_> = dates.collect();
    let daily: Vec<_> = dates.iter().map(|date| visits.daily(*date)).collect();
    let views = daily.iter().map(|day| day.views).sum();
    let (devices, countries) = match (own, others) {
        (true, _) => {
            let (devices, countries) = visits.visitors(&dates);
            (Some(json!(devices)), Some(json!(countries)))
        }
        (false, OtherStatistics::Omitted) => (None, None),
        (false, OtherStatistics::Empty) => (Some(json!({})), Some(json!([]))),
        (false, OtherStatistics::Null) => (Some(Value::Null), Some(Value::Null)),
    };
    Statistics {
        total_views: visits.total(today),
        period: Period { days, views },
        daily,
        devices,
        countries,
    }
}

/// The views of a profile, determined by the seed, the handle and the date. Each view has a device
/// and a country, so that all sums agree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visits(SeededHash);

impl Visits {
    pub(super) fn of(world: &World, handle: &str) -> Self {
        let hash = SeededHash::new(world.seed()).mix_str("views");
        Self(hash.mix_str(handle))
    }

    /// Returns the number of views until `today`, inclusive.
    pub(super) fn total(self, today: Date) -> u64 {
        (0..=day_number(today)).map(|day| self.on_day(day)).sum()
    }

    fn daily(self, date: Date) -> Daily {
        Daily {
            date: date.to_string(),
            views: self.on_day(day_number(date)),
        }
    }

    /// Returns the devices and the countries of the visitors.
    fn visitors(self, dates: &[Date]) -> (Devices, Vec<Country>) {
        let mut devices = Devices::default();
        let none = |(code, _): &(&'static str, u64)| Country { code, views: 0 };
        let mut countries: Vec<_> = COUNTRIES.iter().map(none).collect();
        for day in dates.iter().map(|date| day_number(*date)) {
            for view in 0..self.on_day(day) {
                let visitor = self.0.mix(day.unsigned_abs()).mix(view);
                *devices.of(visitor) += 1;
                countries[country(visitor)].views += 1;
            }
        }
        countries.retain(|one| one.views > 0);
        countries.sort_by_key(|one| Reverse(one.views));
        (devices, countries)
    }

    fn on_day(self, day: i64) -> u64 {
        match u64::try_from(day) {
            Ok(day) => self.0.mix(day).below(VIEWS_PER_DAY),
            Err(_) => 0,
        }
    }
}

impl Devices {
    fn of(&mut self, visitor: SeededHash) -> &mut u64 {
        match visitor.mix_str("device").below(100) {
            0..50 => &mut self.desktop,
            50..90 => &mut self.mobile,
            _ => &mut self.tablet,
        }
    }
}

/// Returns the index of the country of a visitor in [`COUNTRIES`].
fn country(visitor: SeededHash) -> usize {
    let mut rest = visitor.mix_str("country").below(100);
    for (index, (_, share)) in COUNTRIES.iter().enumerate() {
        if rest < *share {
            return index;
        }
        rest -= share;
    }
    0
}

/// Returns the number of days since [`FIRST_DAY`], which is negative before it.
fn day_number(date: Date) -> i64 {
    date.duration_since(FIRST_DAY).as_hours() / 24
}

/// Returns the value of the query parameter `days`.
fn days(query: Option<&str>, own: bool) -> Result<u16, Problem> {
    let query = query.unwrap_or_default().as_bytes();
    let given = form_urlencoded::parse(query).filter(|(name, _)| name == "days");
    let given: Vec<_> = given.map(|(_, value)| value).collect();
    let times = given.len();
    match given.as_slice() {
        [] => Ok(DEFAULT_DAYS),
        [one] => parse_days(one, own),
        _ => Err(Problem::RepeatedParameter { times }),
    }
}

fn parse_days(text: &str, own: bool) -> Result<u16, Problem> {
    let found = text.to_owned();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(Problem::NotAnInteger { found });
    }
    let limit = match own {
        true => MAX_DAYS_OWN_PROFILE,
        false => MAX_DAYS_OTHER_PROFILES,
    };
    match text.parse() {
        Ok(days) if (1..=limit).contains(&days) => Ok(days),
        _ => Err(Problem::OutOfRange { found, limit }),
    }
}

/// Returns the allowed number of days that is nearest to a value out of range.
fn clamp(found: &str, limit: u16) -> u16 {
    let is_low = found.starts_with('-') || found.bytes().all(|digit| digit == b'0');
    if is_low { 1 } else { limit }
}

/// Derives likes and social counts from the `total_views` of the view statistics, so that they are
/// smaller.
pub(super) fn show_analytics(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let views = Visits::of(world, &world.keys[caller].handle).total(world.clock().today());
    let shape = world.dialect().analytics;
    let count = |count: u64| match shape {
        AnalyticsShape::Social | AnalyticsShape::Flat => json!(count),
        AnalyticsShape::Totals => json!({"total": count}),
    };
    let social = |object: &mut Object<'_>| {
        object.value("followers", &count(views / 50));
        object.value("following", &count(views / 80));
        object.value("comments", &count(views / 100));
    };
    let analytics = |object: &mut Object<'_>| {
        object.value("views", &count(views));
        object.value("likes", &count(views / 12));
        match shape {
            AnalyticsShape::Social | AnalyticsShape::Totals => object.object("social", &social),
            AnalyticsShape::Flat => social(object),
        }
    };
    Ok(Reply::object(200, &analytics))
}

pub(super) fn show_site(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    call.expect_no_parameters();
    call.problems.check()?;
    let today = world.clock().today();
    let views = |handle| Visits::of(world, handle).total(today);
    let views: u64 = world.accounts.keys().map(|handle| views(handle)).sum();
    let links = world.accounts.values().map(|account| account.links.len());
    let links: usize = links.sum();
    Ok(Reply::object(200, &|object: &mut Object<'_>| {
        object.value("users", &world.accounts.len());
        object.value("views", &views);
        object.value("links", &links);
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_the_countries_add_up_to_100_percent() {
        assert_eq!(COUNTRIES.iter().map(|(_, share)| share).sum::<u64>(), 100);
    }

    #[test]
    fn statistics_add_up_for_any_seed_handle_and_day() {
        for seed in 0..20 {
            let world = World::new(seed);
            for today in [date(1, 1, 1), date(2020, 1, 3), date(2026, 7, 1)] {
                for days in [1, 30, 365] {
                    let visits = Visits::of(&world, "demo");
                    let sums = statistics(visits, today, days, true, OtherStatistics::Omitted);
                    let views = sums.period.views;
                    let (devices, countries) = (sums.devices.unwrap(), sums.countries.unwrap());
                    let count = |value: &Value| value.as_u64().unwrap();
                    assert_eq!(sums.daily.len(), usize::from(days));
                    assert_eq!(sums.daily.iter().map(|day| day.views).sum::<u64>(), views);
                    let devices = devices.as_object().unwrap().values();
                    assert_eq!(devices.map(count).sum::<u64>(), views);
                    let countries = countries.as_array().unwrap().iter();
                    assert_eq!(
                        countries.map(|one| count(&one["views"])).sum::<u64>(),
                        views
                    );
                    assert!(sums.total_views >= views);
                }
            }
        }
    }

    #[test]
    fn the_total_increases_by_the_views_of_each_day() {
        let visits = Visits::of(&World::new(3), "grace");
        let (before, after) = (date(2026, 2, 28), date(2026, 3, 1));
        let views = visits.daily(after).views;
        assert_eq!(visits.total(after), visits.total(before) + views);
    }
}

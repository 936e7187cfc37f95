//! `GET /users/{handle}/stats`, `GET /me/analytics` and `GET /stats`: views, likes and counters.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::{Value, json};
use url::form_urlencoded;

use super::call::Call;
use crate::engine::dialect::{AnalyticsShape, DaysOutOfRange, OtherStatistics};
use crate::engine::{Object, Problem, Rejected, Reply, SeededHash, World};

const DEFAULT_DAYS: u16 = 30;
const MAX_DAYS_OWN_PROFILE: u16 = 365;
const MAX_DAYS_OTHER_PROFILES: u16 = 30;

/// The first day with views.
const FIRST_DAY: Date = date(2020, 1, 1);

/// The exclusive upper limit of the views of a day.
const VIEWS_PER_DAY: u64 = 40;

/// The devices and the countries of the visitors with their shares in percent.
const DEVICES: &[(&str, u64)] = &[("desktop", 50), ("mobile", 40), ("tablet", 10)];
const COUNTRIES: &[(&str, u64)] = &[("US", 40), ("DE", 25), ("GB", 15), ("FR", 12), ("JP", 8)];

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
    let (visits, today) = (Visits::of(world, &handle), world.clock().today());
    // Only the owner gets the devices and countries of the visitors.
    let others = (!own).then(|| world.dialect().other_statistics);
    Ok(Reply::object(200, |object| {
        write(object, visits, today, days, others)
    }))
}

/// Writes the statistics of `days` days. `others` is the form of the statistics of another profile.
fn write(
    object: &mut Object<'_>,
    visits: Visits,
    today: Date,
    days: u16,
    others: Option<OtherStatistics>,
) {
    let dates = (0..i64::from(days)).rev();
    let dates: Vec<_> = dates.map(|ago| today.saturating_sub(ago.days())).collect();
    let views: u64 = dates.iter().map(|date| visits.on(*date)).sum();
    object.value("total_views", &visits.total(today));
    object.value("period", &json!({"days": days, "views": views}));
    object.array("daily", dates.iter(), |day, date| {
        day.string("date", &date.to_string());
        day.value("views", &visits.on(*date));
    });
    let (devices, countries) = match others {
        None => {
            let devices = visits.visitors(&dates, "device", DEVICES);
            let mut countries = visits.visitors(&dates, "country", COUNTRIES);
            countries.retain(|(_, views)| *views > 0);
            countries.sort_by_key(|(_, views)| Reverse(*views));
            let country = |(code, views)| json!({"code": code, "views": views});
            let countries = countries.into_iter().map(country).collect();
            (json!(BTreeMap::from_iter(devices)), countries)
        }
        Some(OtherStatistics::Omitted) => return,
        Some(OtherStatistics::Empty) => (json!({}), json!([])),
        Some(OtherStatistics::Null) => (Value::Null, Value::Null),
    };
    object.value("devices", &devices);
    object.value("countries", &countries);
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

    fn on(self, date: Date) -> u64 {
        self.on_day(day_number(date))
    }

    fn on_day(self, day: i64) -> u64 {
        u64::try_from(day).map_or(0, |day| self.0.mix(day).below(VIEWS_PER_DAY))
    }

    /// Divides the views of these days among the rows of a table of shares.
    fn visitors(
        self,
        dates: &[Date],
        table: &str,
        shares: &[(&'static str, u64)],
    ) -> Vec<(&'static str, u64)> {
        let mut counts: Vec<_> = shares.iter().map(|(name, _)| (*name, 0)).collect();
        for day in dates.iter().map(|date| day_number(*date)) {
            for view in 0..self.on_day(day) {
                let visitor = self.0.mix(day.unsigned_abs()).mix(view);
                let mut rest = visitor.mix_str(table).below(100);
                let row = shares.iter().position(|(_, share)| {
                    let is_last = rest < *share;
                    rest = rest.saturating_sub(*share);
                    is_last
                });
                counts[row.expect("the shares add up to 100 percent")].1 += 1;
            }
        }
        counts
    }
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
    Ok(Reply::object(200, |object| {
        object.value("views", &count(views));
        object.value("likes", &count(views / 12));
        match shape {
            AnalyticsShape::Social | AnalyticsShape::Totals => object.object("social", social),
            AnalyticsShape::Flat => social(object),
        }
    }))
}

pub(super) fn show_site(world: &World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    call.expect_no_parameters();
    call.problems.check()?;
    let today = world.clock().today();
    let views = |handle| Visits::of(world, handle).total(today);
    let views: u64 = world.accounts.keys().map(|handle| views(handle)).sum();
    let links = world.accounts.values().map(|account| account.links.len());
    let links: usize = links.sum();
    Ok(Reply::object(200, |object| {
        object.value("users", &world.accounts.len());
        object.value("views", &views);
        object.value("links", &links);
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::to_json;

    #[test]
    fn statistics_add_up_for_any_seed_handle_and_day() {
        for seed in 0..20 {
            let world = World::new(seed);
            for today in [date(1, 1, 1), date(2020, 1, 3), date(2026, 7, 1)] {
                for days in [1, 30, 365] {
                    let visits = Visits::of(&world, "demo");
                    let json = to_json(|object| {
                        write(object, visits, today, days, None);
                    });
                    let json: Value = serde_json::from_slice(&json).unwrap();
                    let count = |value: &Value| value.as_u64().unwrap();
                    let views = count(&json["period"]["views"]);
                    assert_eq!(json["daily"].as_array().unwrap().len(), usize::from(days));
                    let devices = json["devices"].as_object().unwrap().values();
                    assert_eq!(devices.map(count).sum::<u64>(), views);
                    for name in ["daily", "countries"] {
                        let parts = json[name].as_array().unwrap().iter();
                        let sum: u64 = parts.map(|one| count(&one["views"])).sum();
                        assert_eq!(sum, views, "{name}");
                    }
                    assert!(count(&json["total_views"]) >= views);
                }
            }
        }
    }

    #[test]
    fn the_total_increases_by_the_views_of_each_day() {
        let visits = Visits::of(&World::new(3), "grace");
        let (before, after) = (date(2026, 2, 28), date(2026, 3, 1));
        assert_eq!(visits.total(after), visits.total(before) + visits.on(after));
    }
}

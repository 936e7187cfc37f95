//! Statistics as names and values, and as JSON.

use profile_sdk::UserStats;
use serde_json::json;

use super::Read;
use crate::outcome::report::{View, push_field};

/// Returns a JSON array of the statistics, each with its handle.
pub(super) fn as_array(read: &[Read<'_>]) -> String {
    let elements = read.iter().map(|read| {
        let handle = json!(read.handle.as_str());
        let stats = read.response.raw_data().unwrap_or("null");
        format!("{{\"handle\":{handle},\"stats\":{stats}}}")
    });
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

/// Returns a row per day, preceded by the handle if `several` is set.
pub(super) fn days(read: &[Read<'_>], several: bool) -> View {
    let rows = read.iter().flat_map(|read| {
        let days = read.response.data().daily.iter().flatten();
        days.map(|day| {
            let handle = several.then(|| read.handle.to_string());
            let day = [day.date.clone(), day.views.to_string()];
            handle.into_iter().chain(day).collect()
        })
    });
    View::Table {
        columns: match several {
            true => vec!["handle", "date", "views"],
            false => vec!["date", "views"],
        },
        rows: rows.collect(),
        empty: "No daily statistics available.",
    }
}

/// Returns the other names and values, preceded by the handle if `several` is set.
pub(super) fn totals(read: &[Read<'_>], several: bool) -> View {
    if !several {
        let fields = read.iter().flat_map(|read| {
            let handle = ("handle".to_owned(), read.handle.to_string());
            [handle].into_iter().chain(fields(read.response.data()))
        });
        return View::Fields(fields.collect());
    }
    let rows = read.iter().flat_map(|read| {
        let fields = fields(read.response.data()).into_iter();
        fields.map(|(name, value)| vec![read.handle.to_string(), name, value])
    });
    View::Table {
        columns: vec!["handle", "field", "value"],
        rows: rows.collect(),
        empty: "No statistics available.",
    }
}

fn fields(stats: &UserStats) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    push_field(&mut fields, "total_views", stats.total_views);
    if let Some(period) = &stats.period {
        push_field(&mut fields, "period.days", Some(period.days));
        push_field(&mut fields, "period.views", Some(period.views));
    }
    if let Some(devices) = &stats.devices {
        push_field(&mut fields, "devices.desktop", devices.desktop);
        push_field(&mut fields, "devices.mobile", devices.mobile);
        push_field(&mut fields, "devices.tablet", devices.tablet);
    }
    for country in stats.countries.iter().flatten() {
        let name = format!("countries.{}", country.code);
        push_field(&mut fields, name, Some(country.views));
    }
    fields
}

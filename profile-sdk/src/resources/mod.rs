//! The resources of the service: one file per resource with its types and calls.

mod analytics;
mod api_visible;
mod badges;
mod extra;
mod key_info;
mod links;
mod me;
mod posts;
mod profile;
mod profile_field;
mod site_stats;
mod user_stats;

pub use analytics::{Analytics, Metric};
pub use api_visible::ApiVisible;
pub use badges::{Badge, BadgeKind};
pub use extra::Extra;
pub use key_info::{KeyInfo, RateLimit};
pub use links::{Link, LinkUpdate, NewLink};
pub use posts::Post;
pub use profile_field::{Profile, ProfileField, ProfileUpdate};
pub use site_stats::SiteStats;
pub use user_stats::{CountryViews, DailyViews, Devices, Period, UserStats};

//! The resources of the service: their types and calls, and fields that the specification does not define.

mod links_posts_badges;
mod macros;
mod profile;
mod profile_field;
mod statistics;

pub use links_posts_badges::{Badge, BadgeKind, Link, LinkUpdate, NewLink, NewPost, Post};
pub(crate) use macros::{calls, objects, responses};
pub use profile::{ApiVisible, KeyInfo, RateLimit};
pub(crate) use profile_field::null_message;
pub use profile_field::{Profile, ProfileField, ProfileUpdate};
pub use statistics::{
    Analytics, CountryViews, DailyViews, Devices, Metric, Period, SiteStats, UserStats,
};

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::values::Field;

/// The fields of a response that the specification does not define, as the service sent them.
///
/// It dereferences to a map from names to values. It has the size of a pointer, and allocates only
/// when it is not empty.
///
/// ```
/// let link: profile_sdk::Link = serde_json::from_str(r#"{"title": "My site", "clicks": 3}"#)?;
/// assert_eq!(link.extra["clicks"], 3);
/// assert_eq!(link.extra.get("color"), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Numbers that do not fit into 64 bits are the nearest floating-point number.
#[derive(Debug, Clone, Default)]
pub struct Extra(Option<Box<Map<String, Value>>>);

impl Deref for Extra {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        self.0.as_deref().unwrap_or(&EMPTY)
    }
}

impl DerefMut for Extra {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Extra;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Extra, A::Error> {
                // Without a map if there are no fields, as in most resources.
                let mut extra = Extra::default();
                while let Some((name, value)) = fields.next_entry()? {
                    extra.insert(name, value);
                }
                Ok(extra)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl Field for Extra {}

//! Macros that declare the types of resources, and the calls.

/// Declares calls: for each, a method of [`Client`], and with the feature `blocking` the method of
/// [`blocking::Client`](crate::blocking::Client) that waits for its result.
macro_rules! calls {
    ($(
        $(#[$attribute:meta])*
        pub fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) -> Call<$output:ty> $body:block
    )*) => {
        impl crate::client::Client {
            $(
                $(#[$attribute])*
                pub fn $name(&$self $(, $argument: $type)*) -> Call<$output> $body
            )*
        }

        #[cfg(feature = "blocking")]
        impl crate::blocking::Client {
            $(
                #[doc = concat!(
                    "Sends [`", stringify!($name), "`](crate::Client::", stringify!($name),
                    ") and waits for its result."
                )]
                ///
                /// # Errors
                ///
                /// See [`ErrorKind`](crate::ErrorKind).
                ///
                /// # Panics
                ///
                /// Panics in an async runtime.
                pub fn $name(&self, $($argument: $type),*) -> Result<$output, crate::error::Error> {
                    self.wait(self.as_async().$name($($argument),*))
                }
            )*
        }
    };
}

/// Declares structs that are read from responses, and written without the fields that were missing. The names after
/// `lenient` are those of the fields whose shape the specification does not define.
macro_rules! responses {
    ($($(#[$attribute:meta])* pub struct $name:ident $(lenient($($lenient:ident),+))? {
        $($(#[$of_field:meta])* pub $field:ident: $value:ty,)*
    })*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$of_field])*
                #[serde(skip_serializing_if = "crate::values::Field::is_missing")]
                pub $field: $value,
            )*
        }

        $(impl $crate::decode::ResponseData for $name {
            const LENIENT_FIELDS: &'static [&'static str] = &[$(stringify!($lenient)),+];

            fn add_extra(&mut self, fields: serde_json::Map<String, serde_json::Value>) {
                self.extra.extend(fields);
            }
        })?
    )*};
}

/// Declares structs that are written as maps in every format, and read from maps without unknown or
/// repeated fields. Derived implementations would write and read lists, too.
macro_rules! objects {
    ($($(#[$attribute:meta])* pub struct $name:ident {
        $($(#[$of_field:meta])* pub $field:ident: $value:ty,)*
    })*) => {$(
        $(#[$attribute])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $value,)*
        }

        const _: () = {
            use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
            use serde::ser::{Serialize, SerializeMap, Serializer};
            use $crate::resources::null_message;
            use $crate::values::Field;


            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let count = [$(!self.$field.is_missing()),*].into_iter().map(usize::from).sum();
                    let mut map = serializer.serialize_map(Some(count))?;
                    $(if !self.$field.is_missing() {
                        map.serialize_entry(stringify!($field), &self.$field)?;
                    })*
                    map.end()
                }
            }

            const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// The name of a field. Reading an unknown one fails at its position.
            struct Name(&'static str);

            impl<'de> Deserialize<'de> for Name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let name = String::deserialize(deserializer)?;
                    let known = NAMES.iter().find(|known| **known == name);
                    Ok(Self(known.ok_or_else(|| Error::unknown_field(&name, NAMES))?))
                }
            }

            struct Object;

            impl<'de> Visitor<'de> for Object {
                type Value = $name;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                    $(let mut $field = None;)*
                    while let Some(Name(name)) = map.next_key()? {
                        match name {
                            $(stringify!($field) if $field.is_some() => {
                                return Err(Error::duplicate_field(stringify!($field)));
                            }
                            stringify!($field) => {
                                let value: &$value = $field.insert(map.next_value()?);
                                if value.is_missing() && let Some(message) = null_message(name) {
                                    return Err(Error::custom(message));
                                }
                            })*
                            unknown => return Err(Error::unknown_field(unknown, NAMES)),
                        }
                    }
                    let missing = Error::missing_field;
                    $(let $field = $field.or_else(Field::missing);)*
                    Ok($name { $($field: $field.ok_or_else(|| missing(stringify!($field)))?,)* })
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_map(Object)
                }
            }
        };
    )*};
}

pub(crate) use {calls, objects, responses};

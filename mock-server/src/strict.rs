//! Reads a structure from JSON without two liberties of serde: an array of its fields is no object,
//! and a name with `null` behind it is not the name alone.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value that is read to the letter.
pub(crate) struct Strict(pub(crate) Value);

impl Strict {
    fn unexpected(&self) -> Unexpected<'_> {
        match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }

    fn is_not(&self, expected: &str) -> Error {
        Error::invalid_type(self.unexpected(), &expected)
    }

    fn object<'de, V: Visitor<'de>>(self, expected: &str, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(self.is_not(expected)),
        }
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(Self));
                let read = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(read)
            }
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, Self(value)));
                let mut fields = MapDeserializer::new(fields);
                let read = visitor.visit_map(&mut fields)?;
                fields.end()?;
                Ok(read)
            }
            single => single.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.object("an object", visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        const EXPECTED: &str = "a name or an object with one field";
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                content: None,
            }),
            Value::Object(fields) if fields.len() == 1 => {
                let (name, content) = fields.into_iter().next().expect("it has one field");
                visitor.visit_enum(Variant {
                    name,
                    content: Some(Self(content)),
                })
            }
            Value::Object(fields) => Err(Error::invalid_type(
                Unexpected::Other(&format!("an object with {} fields", fields.len())),
                &EXPECTED,
            )),
            _ => Err(self.is_not(EXPECTED)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// One of several forms: its name, and what stands behind it.
struct Variant {
    name: String,
    content: Option<Strict>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content), Error> {
        let name = seed.deserialize(self.name.into_deserializer())?;
        Ok((name, Content(self.content)))
    }
}

struct Content(Option<Strict>);

impl Content {
    fn of(self, expected: &str) -> Result<Strict, Error> {
        let alone = || Error::invalid_type(Unexpected::UnitVariant, &expected);
        self.0.ok_or_else(alone)
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None => Ok(()),
            Some(content) => Err(content.is_not("unit variant")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.of("newtype variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.of("newtype variant")?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        const EXPECTED: &str = "struct variant";
        self.of(EXPECTED)?.object(EXPECTED, visitor)
    }
}

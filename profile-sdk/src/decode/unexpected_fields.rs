//! Removes fields that fail to decode, so that the rest can be decoded.

use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::decode::response_data::ResponseData;

/// The fields that were removed from the data of a response.
#[derive(Default)]
pub(crate) struct UnexpectedFields {
    fields: Map<String, Value>,
    in_elements: Vec<ElementField>,
}

/// A field of one element of a list.
struct ElementField {
    list: String,
    index: usize,
    name: String,
    value: Value,
}

impl UnexpectedFields {
    /// Removes the field at a path: the field of an element if possible, otherwise the field of the
    /// data. Returns `false` if the field must not be removed.
    pub(crate) fn take<T: ResponseData>(&mut self, data: &mut Value, path: &Path) -> bool {
        self.take_element_field::<T>(data, path).is_some()
            || self.take_field::<T>(data, path).is_some()
    }

    /// Adds the removed fields to the `extra` of the decoded value.
    pub(crate) fn move_to_extra<T: ResponseData>(self, value: &mut T) {
        value.add_extra(self.fields);
        for field in self.in_elements {
            if let Some(extra) = value.element_extra(&field.list, field.index) {
                extra.insert(field.name, field.value);
            }
        }
    }

    fn take_element_field<T: ResponseData>(&mut self, data: &mut Value, path: &Path) -> Option<()> {
        let [list, index, name] = path.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let (list, name) = (field_name(list)?, field_name(name)?);
        let &Segment::Seq { index } = index else {
            return None;
        };
        if !T::is_lenient_in_element(list, name) {
            return None;
        }
        let element = data.get_mut(list)?.get_mut(index)?.as_object_mut()?;
        let (name, value) = element.remove_entry(name)?;
        let list = list.to_owned();
        self.in_elements.push(ElementField {
            list,
            index,
            name,
            value,
        });
        Some(())
    }

    fn take_field<T: ResponseData>(&mut self, data: &mut Value, path: &Path) -> Option<()> {
        let name = field_name(path.iter().next()?)?;
        if !T::LENIENT_FIELDS.contains(&name) {
            return None;
        }
        let (name, mut value) = data.as_object_mut()?.remove_entry(name)?;
        for field in self.in_elements.extract_if(.., |field| field.list == name) {
            value[field.index][field.name] = field.value;
        }
        self.fields.insert(name, value);
        Some(())
    }
}

fn field_name(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Map { key } => Some(key),
        _ => None,
    }
}

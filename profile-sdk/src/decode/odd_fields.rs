//! What is set aside of an answer that is not quite of our shape, so that the rest can be read: as
//! little as possible.

use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use crate::decode::answer::Answer;

/// The fields that were taken out of an answer's data.
#[derive(Default)]
pub(crate) struct OddFields {
    whole: Map<String, Value>,
    of_elements: Vec<OddField>,
}

/// A field of one element of a list.
struct OddField {
    list: String,
    index: usize,
    name: String,
    value: Value,
}

impl OddFields {
    /// Takes out of the data what cannot be read there, if that may be odd: the field of an element,
    /// or else the field of the data. Tells whether it took any.
    pub(crate) fn take<T: Answer>(&mut self, data: &mut Value, place: &Path) -> bool {
        self.take_of_element::<T>(data, place).is_some()
            || self.take_whole::<T>(data, place).is_some()
    }

    /// Gives the value back what was taken out, as fields beyond those that it knows.
    pub(crate) fn keep_in<T: Answer>(self, value: &mut T) {
        value.keep(self.whole);
        for odd in self.of_elements {
            if let Some(extra) = value.extra_of_element(&odd.list, odd.index) {
                extra.insert(odd.name, odd.value);
            }
        }
    }

    fn take_of_element<T: Answer>(&mut self, data: &mut Value, place: &Path) -> Option<()> {
        let [list, index, name] = place.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        let (list, name) = (name_in(list)?, name_in(name)?);
        let &Segment::Seq { index } = index else {
            return None;
        };
        if !T::may_be_odd_in_element(list, name) {
            return None;
        }
        let element = data.get_mut(list)?.get_mut(index)?.as_object_mut()?;
        let (name, value) = element.remove_entry(name)?;
        let list = list.to_owned();
        self.of_elements.push(OddField {
            list,
            index,
            name,
            value,
        });
        Some(())
    }

    fn take_whole<T: Answer>(&mut self, data: &mut Value, place: &Path) -> Option<()> {
        let name = name_in(place.iter().next()?)?;
        if !T::SHAPE_NOT_SHOWN.contains(&name) {
            return None;
        }
        let (name, mut value) = data.as_object_mut()?.remove_entry(name)?;
        for odd in self.of_elements.extract_if(.., |odd| odd.list == name) {
            value[odd.index][odd.name] = odd.value;
        }
        self.whole.insert(name, value);
        Some(())
    }
}

fn name_in(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Map { key } => Some(key),
        _ => None,
    }
}

//! A random operation.

use profile_sdk::{FieldKind, ProfileField};

use super::expected_state::{ExpectedState, Kind};
use super::random::Random;

#[derive(Debug)]
pub(super) enum Operation {
    Create { kind: Kind, text: String },
    Rename { id: String, title: String },
    Delete { kind: Kind, id: String },
    Edit { field: ProfileField, value: String },
    Read,
}

impl Operation {
    /// Draws an operation. Each text is unique, so that it identifies the operation that wrote it.
    pub(super) fn draw(number: usize, random: &mut Random, expected: &ExpectedState) -> Self {
        let kind = [Kind::Link, Kind::Post][random.below(2)];
        match random.below(10) {
            0..=2 => Self::Create {
                kind,
                text: format!("written by operation {number}"),
            },
            3..=4 => match expected.random_id(Kind::Link, random) {
                Some(id) => Self::Rename {
                    id,
                    title: format!("renamed by operation {number}"),
                },
                None => Self::Read,
            },
            5..=6 => match expected.random_id(kind, random) {
                Some(id) => Self::Delete { kind, id },
                None => Self::Read,
            },
            7..=8 => {
                let field = ProfileField::ALL[random.below(ProfileField::ALL.len())];
                Self::Edit {
                    field,
                    value: match field.kind() == FieldKind::Color {
                        true => format!("#{number:06x}"),
                        false => format!("operation {number}"),
                    },
                }
            }
            _ => Self::Read,
        }
    }
}

//! What a client is asked to do.

use super::dice::Dice;
use super::ledger::{Kind, Ledger};

/// The fields of the profile that are edited.
pub(super) const FIELDS: [&str; 6] = [
    "display_name",
    "bio",
    "location",
    "accent_color",
    "text_color",
    "background_color",
];

#[derive(Debug)]
pub(super) enum Deed {
    Create { kind: Kind, text: String },
    Rename { id: String, title: String },
    Delete { kind: Kind, id: String },
    Edit { field: usize, value: String },
    Look,
}

impl Deed {
    /// Every text is written once in a run, so that what is found tells who wrote it.
    pub(super) fn draw(number: usize, dice: &mut Dice, ledger: &Ledger) -> Self {
        let kind = [Kind::Link, Kind::Post][dice.below(2)];
        match dice.below(10) {
            0..=2 => Self::Create {
                kind,
                text: format!("written by operation {number}"),
            },
            3..=4 => match ledger.any_id(Kind::Link, dice) {
                Some(id) => Self::Rename {
                    id,
                    title: format!("renamed by operation {number}"),
                },
                None => Self::Look,
            },
            5..=6 => match ledger.any_id(kind, dice) {
                Some(id) => Self::Delete { kind, id },
                None => Self::Look,
            },
            7..=8 => {
                let field = dice.below(FIELDS.len());
                Self::Edit {
                    field,
                    value: match FIELDS[field].ends_with("_color") {
                        true => format!("#{number:06x}"),
                        false => format!("operation {number}"),
                    },
                }
            }
            _ => Self::Look,
        }
    }
}

//! Drawings of results for people. Each is a pure function of its data and the screen.

mod card;
mod changes;
mod charts;
mod columns;
mod contrast;
pub(crate) mod text;
mod views;

use profile_sdk::{Badge, Profile};
use serde_json::Value;

use crate::terminal::Screen;

pub(crate) use card::{rate, scope_names};
pub(crate) use changes::Change;
pub(crate) use contrast::{Contrast, text_and_background};
pub(crate) use views::{Period, ProfileViews, daily};

/// The data of a drawing.
#[derive(Debug, Clone)]
pub(crate) enum Drawing {
    /// A profile with the fields that its owner sees.
    Card(Box<Profile>),
    Badges(Vec<Badge>),
    /// Names and numbers.
    Figures(Vec<(String, Value)>),
    /// Views of a profile, with a bar per day, week or month.
    Bars(Box<ProfileViews>),
    /// Changes, and the text below them.
    Changes {
        changes: Vec<Change>,
        below: String,
    },
}

impl Drawing {
    /// Renders the drawing in lines that fit the screen.
    pub(crate) fn draw(&self, screen: &Screen) -> String {
        match self {
            Self::Card(profile) => card::draw(profile, screen),
            Self::Badges(badges) => columns::draw_badges(badges, screen),
            Self::Figures(figures) => columns::draw_figures(figures, screen),
            Self::Bars(views) => charts::draw_bars(views, screen),
            Self::Changes { changes, below } => changes::draw(changes, below, screen),
        }
    }
}

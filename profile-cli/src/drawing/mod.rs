//! Results as drawings for people. Each is a pure function of what is drawn and of the screen.

mod badges;
mod bars;
mod card;
pub(crate) mod contrast;
mod figures;
mod folding;
mod shares;
mod spark;
mod svg;
pub(crate) mod text;
mod views;

use profile_sdk::{Badge, Profile};

use crate::terminal::screen::Screen;

pub(crate) use figures::Figure;
pub(crate) use svg::svg;
pub(crate) use views::Views;

/// What can be drawn, as data.
#[derive(Debug)]
pub(crate) enum Drawing {
    /// A profile with all that its owner sees.
    Card(Box<Profile>),
    Badges(Vec<Badge>),
    /// Names and numbers.
    Figures(Vec<(String, Figure)>),
    /// The daily views of profiles, a bar for each day, or for each week or month of many days.
    Bars(Vec<Views>),
    /// The daily views of profiles, a character for each day.
    Spark(Vec<Views>),
}

impl Drawing {
    /// Draws it, in lines that fit the screen.
    pub(crate) fn draw(&self, screen: &Screen) -> String {
        match self {
            Self::Card(profile) => card::draw(profile, screen),
            Self::Badges(badges) => badges::draw(badges, screen),
            Self::Figures(figures) => figures::draw(figures, screen),
            Self::Bars(views) => bars::draw(views, screen),
            Self::Spark(views) => spark::draw(views, screen),
        }
    }
}

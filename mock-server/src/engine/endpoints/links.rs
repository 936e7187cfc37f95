//! `POST /me/links`, `PATCH /me/links/{id}` and `DELETE /me/links/{id}`.

use url::Url;

use super::call::Call;
use super::json_body::{self, Known};
use super::render::{View, id_in_path};
use crate::engine::dialect::{Dialect, LinkUrls};
use crate::engine::problems::{Problem, Rejected};
use crate::engine::reply::Reply;
use crate::engine::world::World;

const FIELDS: &[&str] = &["title", "url"];

pub(super) fn create(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let LinkFields { title, url } = LinkFields::read(world.dialect(), call);
    let title = call.require("title", title);
    let url = call.require("url", url);
    let caller = call.caller()?;
    let handle = world.keys[caller].handle.clone();
    let link = world.add_link(&handle, &title?, &url?);
    let link = link.expect("the caller has an account");
    let dialect = world.dialect();
    Ok(Reply::created(dialect, &View(dialect, &link)))
}

pub(super) fn edit(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let LinkFields { title, url } = LinkFields::read(world.dialect(), call);
    if title.is_none() && url.is_none() {
        call.problems.reject(Problem::EmptyEdit { known: FIELDS });
    }
    let caller = call.caller()?;
    let index = position(world, caller, call)?;
    let link = &mut world.owner_mut(caller).links[index];
    if let Some(title) = title {
        link.title = title;
    }
    if let Some(url) = url {
        link.url = url;
    }
    let (dialect, link) = (world.dialect(), &world.owner(caller).links[index]);
    Ok(Reply::edited(dialect, &View(dialect, link)))
}

pub(super) fn delete(world: &mut World, call: &mut Call<'_>) -> Result<Reply, Rejected> {
    let caller = call.caller()?;
    let index = position(world, caller, call)?;
    world.owner_mut(caller).links.remove(index);
    Ok(Reply::deleted(world.dialect()))
}

/// The valid fields of a body that creates or edits a link.
#[derive(Default)]
struct LinkFields {
    title: Option<String>,
    url: Option<String>,
}

impl LinkFields {
    fn read(dialect: &Dialect, call: &mut Call<'_>) -> Self {
        let mut read = Self::default();
        let known = Known {
            fields: FIELDS,
            others: dialect.unknown_fields,
        };
        json_body::read(call, &known, |field, text, problems| {
            if field == "title" {
                read.title = Some(text);
                return;
            }
            match Url::parse(&text) {
                Err(reason) => drop(problems.reject(Problem::NotAUrl { reason })),
                Ok(url) => {
                    read.url = Some(match dialect.link_urls {
                        LinkUrls::AsSent => text,
                        LinkUrls::Parsed => url.into(),
                    });
                }
            }
        });
        read
    }
}

fn position(world: &World, caller: &str, call: &mut Call<'_>) -> Result<usize, Rejected> {
    let mut links = world.owner(caller).links.iter();
    let found = links.position(|link| id_in_path(world.dialect(), &link.id) == call.parameter);
    let id = call.parameter.to_string();
    found.ok_or_else(|| call.problems.reject(Problem::UnknownLink { id }))
}

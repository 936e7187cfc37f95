//! What a new world holds.

use super::badges::Badge;
use super::clock::Clock;
use super::profile::Profile;
use super::world::World;

/// The handle whose keys every world starts with.
const OWNER: &str = "demo";

/// When the links and posts of a new world were made. It is a fixed day, so that the same seed gives
/// the same bytes on every day.
const FOUNDED: &str = "2025-01-15T09:00:00Z";

/// Fills an empty world with the accounts `demo` and `grace`, and sets it to the system's clock.
pub(super) fn fill(world: &mut World) {
    world.set_clock(Clock::fixed(FOUNDED).expect("the day of foundation is an instant"));
    world.badges = vec![
        badge("early", "Early bird", "Joined in the first year", "#f59e0b"),
        badge("writer", "Writer", "Wrote a first post", "#2563eb"),
    ];
    fill_demo(world);
    fill_grace(world);
    world.keys = world.keys().owned_by(OWNER);
    world.set_clock(Clock::system());
}

fn fill_demo(world: &mut World) {
    let account = world.add_account(OWNER);
    account.profile = Profile {
        display_name: "Demo Person".to_owned(),
        bio: "I live inside a mock server.\nEdit me as you like.".to_owned(),
        location: "127.0.0.1".to_owned(),
        accent_color: "#2563eb".to_owned(),
        text_color: "#111827".to_owned(),
        background_color: "#f9fafb".to_owned(),
    };
    account.badges = vec!["early".to_owned()];
    world.add_link(OWNER, "Homepage", "https://example.com/demo");
    world.add_link(OWNER, "Code", "https://example.com/demo/code");
    world.add_post(OWNER, "Hello from the mock server!");
}

fn fill_grace(world: &mut World) {
    let handle = "grace";
    let account = world.add_account(handle);
    account.profile = Profile {
        display_name: "Grace".to_owned(),
        bio: "Another person, so that demo is not alone.".to_owned(),
        location: "Elsewhere".to_owned(),
        accent_color: "#9333ea".to_owned(),
        ..Profile::default()
    };
    account.badges = vec!["writer".to_owned()];
    world.add_link(handle, "Homepage", "https://example.com/grace");
    world.add_post(handle, "Nice weather on the loopback today.");
}

fn badge(id: &str, name: &str, description: &str, color: &str) -> Badge {
    Badge {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        color: color.to_owned(),
        kind: "auto".to_owned(),
    }
}

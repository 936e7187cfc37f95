//! `PATCH /me/profile`.

use mock_server::MockServer;
use profile_sdk::{Bio, Color, DisplayName, Location, ProfileUpdate};

use crate::connect_as_owner;

#[tokio::test]
async fn edits_every_field() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let update = ProfileUpdate::new()
        .display_name(DisplayName::new("Ada 🦀").unwrap())
        .bio(Bio::new("one\r\ntwo\rthree \"quoted\"").unwrap())
        .location(Location::new("").unwrap())
        .accent_color(Color::new("#FF8800").unwrap())
        .text_color(Color::new("#000000").unwrap())
        .background_color(Color::new("#ffffff").unwrap());
    let returned = client.update_profile(&update).await.unwrap().unwrap();
    let read = client.me().await.unwrap();
    for profile in [returned, read] {
        assert_eq!(profile.display_name.as_deref(), Some("Ada 🦀"));
        assert_eq!(profile.bio.as_deref(), Some("one\r\ntwo\rthree \"quoted\""));
        assert_eq!(profile.location.as_deref(), Some(""));
        assert_eq!(profile.accent_color.as_deref(), Some("#FF8800"));
        assert_eq!(profile.text_color.as_deref(), Some("#000000"));
        assert_eq!(profile.background_color.as_deref(), Some("#ffffff"));
    }
}

#[tokio::test]
async fn unset_fields_are_not_changed() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let before = client.me().await.unwrap();
    let update = ProfileUpdate::new().location(Location::new("Elsewhere").unwrap());
    client.update_profile(&update).await.unwrap();
    let after = client.me().await.unwrap();
    assert_eq!(after.location.as_deref(), Some("Elsewhere"));
    assert_eq!(after.display_name, before.display_name);
    assert_eq!(after.bio, before.bio);
}

#[tokio::test]
async fn accepts_an_empty_update() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let update = ProfileUpdate::new();
    assert!(update.is_empty());
    assert!(client.update_profile(&update).await.unwrap().is_some());
}

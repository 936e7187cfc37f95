//! `PATCH /me/profile`.

use mock_server::MockServer;
use profile_sdk::{FieldKind, ProfileField, ProfileUpdate};

use crate::connect_as_owner;

#[tokio::test]
async fn edits_every_field() {
    let service = MockServer::start().await;
    let client = connect_as_owner(&service);
    let mut update = ProfileUpdate::new();
    for (index, field) in ProfileField::ALL.iter().enumerate() {
        let value = match field.kind() {
            FieldKind::Color => format!("#FF880{index}"),
            FieldKind::MultilineText { .. } => format!("{index}\r\ntwo\rthree \"quoted\""),
            _ => format!("Ada {index} 🦀"),
        };
        update.set(*field, &value).unwrap();
    }
    let returned = client.update_profile(&update).await.unwrap().unwrap();
    let read = client.me().await.unwrap();
    for field in ProfileField::ALL {
        assert_eq!(returned.get(*field), update.get(*field), "{field}");
        assert_eq!(read.get(*field), update.get(*field), "{field}");
    }
}

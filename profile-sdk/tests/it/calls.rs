//! The list of all calls. The fuzz target `responses` uses it too.

/// Passes each operation, and a call of it with this client, to the macro `$row`. The async and the blocking
/// client have the same calls.
macro_rules! each_call {
    ($client:expr, $row:ident) => {
        let url = profile_sdk::LinkUrl::new("https://example.org").expect("a valid URL");
        let link = profile_sdk::NewLink::new("t", url);
        let link_id = profile_sdk::LinkId::new("link_1").expect("a valid ID");
        let post_id = profile_sdk::PostId::new("post_3").expect("a valid ID");
        let profile = profile_sdk::ProfileUpdate::new();
        let update = profile_sdk::LinkUpdate::new().title("t");
        let handle = profile_sdk::Handle::new("demo").expect("a valid handle");
        $row!(profile_sdk::Operation::ME, $client.me());
        $row!(
            profile_sdk::Operation::UPDATE_PROFILE,
            $client.update_profile(&profile)
        );
        $row!(profile_sdk::Operation::ANALYTICS, $client.analytics());
        $row!(
            profile_sdk::Operation::CREATE_LINK,
            $client.create_link(&link)
        );
        $row!(
            profile_sdk::Operation::UPDATE_LINK,
            $client.update_link(&link_id, &update)
        );
        $row!(
            profile_sdk::Operation::DELETE_LINK,
            $client.delete_link(&link_id)
        );
        $row!(
            profile_sdk::Operation::CREATE_POST,
            $client.create_post("p")
        );
        $row!(
            profile_sdk::Operation::DELETE_POST,
            $client.delete_post(&post_id)
        );
        $row!(
            profile_sdk::Operation::USER_STATS,
            $client.user_stats(&handle, None)
        );
        $row!(profile_sdk::Operation::BADGES, $client.badges());
        $row!(profile_sdk::Operation::SITE_STATS, $client.site_stats());
    };
}

pub(crate) use each_call;

//! `GET /users/{handle}/stats`.

use mock_server::MockServer;
use profile_sdk::{Days, ErrorKind, Handle, UserStats};

use crate::connect;

async fn read(service: &MockServer, handle: &str, days: impl Into<Option<Days>>) -> UserStats {
    let client = connect(service, &service.keys().none);
    let handle = Handle::new(handle).unwrap();
    client.user_stats(&handle, days).await.unwrap()
}

#[tokio::test]
async fn own_statistics_are_complete_and_consistent() {
    let service = MockServer::start().await;
    for days in [Days::new(1), Days::new(365)] {
        let days = days.unwrap();
        let stats = read(&service, "demo", days).await;
        let period = stats.period.unwrap();
        assert_eq!(period.days, u64::from(days.get()));
        let daily = stats.daily.unwrap();
        assert_eq!(daily.len(), usize::from(days.get()));
        assert_eq!(daily.iter().map(|day| day.views).sum::<u64>(), period.views);
        assert!(stats.total_views.unwrap() >= period.views);
        let devices = stats.devices.unwrap();
        let devices = [devices.desktop, devices.mobile, devices.tablet];
        let by_device: u64 = devices.into_iter().map(Option::unwrap).sum();
        assert_eq!(by_device, period.views);
        let countries = stats.countries.unwrap();
        let by_country: u64 = countries.iter().map(|country| country.views).sum();
        assert_eq!(by_country, period.views);
    }
}

#[tokio::test]
async fn defaults_to_30_days() {
    let service = MockServer::start().await;
    let stats = read(&service, "demo", None).await;
    assert_eq!(stats.period.unwrap().days, 30);
}

#[tokio::test]
async fn other_profiles_have_fewer_statistics() {
    let service = MockServer::start().await;
    let stats = read(&service, "grace", Days::for_other_profile(30).unwrap()).await;
    assert!(stats.total_views.is_some());
    assert_eq!(stats.daily.unwrap().len(), 30);
    assert_eq!(stats.devices, None);
    assert_eq!(stats.countries, None);
}

#[tokio::test]
async fn only_the_service_knows_whose_profile_it_is() {
    let service = MockServer::start().await;
    let client = connect(&service, &service.keys().none);
    let handle = Handle::new("grace").unwrap();
    let days = Days::new(31).unwrap();
    let error = client.user_stats(&handle, days).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    assert_eq!(error.status(), Some(422));
}

#[tokio::test]
async fn an_unknown_handle_is_not_found() {
    let service = MockServer::start().await;
    let client = connect(&service, service.key());
    for handle in [
        "nobody",
        "Demo",
        "../../me",
        "demo/stats?days=1#",
        "%64emo",
        "a\nb",
    ] {
        let handle = Handle::new(handle).unwrap();
        let error = client.user_stats(&handle, None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{handle}");
        assert_eq!(error.code(), Some("unknown_handle"), "{handle}");
    }
}

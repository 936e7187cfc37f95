//! Reference pages on the features of the mock server.

/// Declares a page. Its links to the other pages are relative paths in the repository; the
/// definitions added here come first, so that they take effect in the generated documentation.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = "[faults]: self::faults"]
        #[doc = "[dialects]: self::dialects"]
        #[doc = "[journal]: self::journal"]
        #[doc = "[har]: self::journal#http-archive"]
        #[doc = "[violations]: self::test_suites#violations-and-coverage"]
        #[doc = "[webhooks]: self::webhooks"]
        #[doc = "[worlds]: self::worlds"]
        #[doc = "[state-files]: self::worlds#state-files"]
        #[doc = "[control-api]: self::control_api"]
        #[doc = "[program]: self::program"]
        #[doc = "[web-pages]: self::program#web-pages"]
        #[doc = "[test-suites]: self::test_suites"]
        #[doc = "[recipes]: self::recipes"]
        #[doc = "[own-mocks]: crate#your-own-mocks"]
        #[doc = ""]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $name {}
    };
}

page!(worlds, "worlds.md");
page!(dialects, "dialects.md");
page!(faults, "faults.md");
page!(journal, "journal.md");
page!(webhooks, "webhooks.md");
page!(control_api, "control-api.md");
page!(program, "program.md");
page!(test_suites, "test-suites.md");
page!(recipes, "recipes.md");

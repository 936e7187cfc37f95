//! Reference pages on the features of the mock server.

/// Declares a page. Its links to the other pages are relative paths in the repository; the
/// definitions added here come first, so that they take effect in the generated documentation.
macro_rules! page {
    ($name:ident, $file:literal) => {
        /// [faults]: self::faults
        /// [dialects]: self::dialects
        /// [journal]: self::journal
        /// [har]: self::journal#http-archive
        /// [violations]: self::test_suites#violations-and-coverage
        /// [webhooks]: self::webhooks
        /// [worlds]: self::worlds
        /// [state-files]: self::worlds#state-files
        /// [control-api]: self::control_api
        /// [access]: self::control_api#access
        /// [program]: self::program
        /// [signals]: self::program#options
        /// [web-pages]: self::program#web-pages
        /// [test-suites]: self::test_suites
        /// [recipes]: self::recipes
        /// [own-mocks]: crate#your-own-mocks
        /// [quick-start]: crate#quick-start
        ///
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

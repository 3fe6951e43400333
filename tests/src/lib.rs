//! How the tests run the plugins.

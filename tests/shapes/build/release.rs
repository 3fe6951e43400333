//! The operator's releases: what each of them ships, and so writes into images and labels.
//!
//! Source: NVIDIA/gpu-operator deployments/gpu-operator/{values,Chart}.yaml at each tag.

/// One release of the operator.
#[derive(Debug)]
pub(crate) struct Release {
    /// Major and minor number.
    pub(crate) number: (u32, u32),
    /// Its tag.
    pub(crate) tag: &'static str,
    /// Its default driver.
    pub(crate) driver: &'static str,
    /// k8s-driver-manager.
    pub(crate) manager: &'static str,
    /// The container toolkit.
    pub(crate) toolkit: &'static str,
    /// The device plugin and, from v24.3 on, GFD.
    pub(crate) plugin: &'static str,
    /// The MIG manager.
    pub(crate) mig: &'static str,
    /// Node Feature Discovery.
    pub(crate) nfd: &'static str,
}

impl Release {
    /// Is it this one or a later one?
    pub(crate) fn is(&self, major: u32, minor: u32) -> bool {
        self.number >= (major, minor)
    }
}

macro_rules! releases {
    ($($name:ident $number:expr, $tag:literal, $driver:literal, $manager:literal, $toolkit:literal, $plugin:literal, $mig:literal, $nfd:literal;)*) => {
        $(
            #[doc = concat!("Operator ", $tag, ".")]
            pub(crate) const $name: Release = Release {
                number: $number, tag: $tag, driver: $driver, manager: $manager,
                toolkit: $toolkit, plugin: $plugin, mig: $mig, nfd: $nfd,
            };
        )*
    };
}

releases! {
    V23_9  (23, 9),  "v23.9.2",  "550.54.14",  "v0.6.5",  "v1.14.6", "v0.14.5", "v0.6.0",  "v0.14.2";
    V24_6  (24, 6),  "v24.6.2",  "550.90.07",  "v0.6.10", "v1.16.2", "v0.16.2", "v0.8.0",  "v0.16.3";
    V24_9  (24, 9),  "v24.9.2",  "550.144.03", "v0.7.0",  "v1.17.4", "v0.17.0", "v0.10.0", "v0.16.6";
    V25_10 (25, 10), "v25.10.1", "580.105.08", "v0.9.1",  "v1.18.1", "v0.18.1", "v0.13.1", "v0.18.2";
    V26_3  (26, 3),  "v26.3.3",  "580.126.20", "v0.11.0", "v1.19.1", "v0.19.3", "v0.14.2", "v0.18.3";
    V26_7  (26, 7),  "v26.7.0",  "595.91.07",  "v0.12.0", "v1.20.0", "v0.20.0", "v0.15.0", "v0.19.0";
}

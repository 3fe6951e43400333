//! A real Kubernetes control plane on loopback for tests, with scenarios of GPU operators that go wrong.
//!
//! etcd, kube-apiserver, kube-controller-manager and kube-scheduler are the real programs; only the kubelets are
//! played, by kwok with the Stages in `stages/`. A supervisor process owns them all and ends with its owner, so that a
//! test that panics or is killed leaves nothing behind.
//!
//! In reading order:
//! - `programs`: the programs, found or built once per machine
//! - `folder`: the one folder of a lab, and the sweep after a supervisor that was killed
//! - `identity`: the CA, the certificates, the kubeconfigs and what the reader may read
//! - `control_plane`: the five processes, started and stopped in order
//! - [`supervisor`]: the process around them, and how an owner starts it
//! - `handle`: [`Lab`], what a test holds in its hand
//! - `audit`, `pod_state`, `step`, `scenario`: what a test does with it
//! - [`operand_lab`], `gpu_operator`: what the scenarios are
//! - `registry`: an image registry, which needs no control plane
//! - [`command`]: `cargo xtask lab`

mod audit;
pub mod command;
mod control_plane;
mod error;
mod folder;
mod gpu_operator;
mod handle;
mod identity;
mod kubectl;
pub mod operand_lab;
mod platform;
mod pod_state;
mod programs;
mod registry;
mod say;
mod scenario;
mod skip;
mod step;
pub mod supervisor;
mod wait;

pub use audit::{Mark, Request};
pub use error::{Error, Missing};
pub use handle::Lab;
pub use pod_state::PodState;
pub use programs::{Krew, Programs};
pub use registry::{Registry, RegistrySetup};
pub use scenario::Scenario;
pub use skip::{krew_or_skip, programs_or_skip, registry_or_skip, start_or_skip};
pub use step::{Owner, PodLine, Step};
pub use wait::wait_until;

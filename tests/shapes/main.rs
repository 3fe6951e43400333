//! Whole clusters made from a description: the healthy ones, on which nobody may cry, and the same with one
//! thing broken, on which exactly that thing is named.

mod ask;
mod bare_lab;
mod broken;
mod build;
mod forty;
mod healthy;
mod invariants;
mod stories;

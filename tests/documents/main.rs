//! What is said in more than one place: the two languages of README, and the commands of the issue forms.

mod forms;
mod markdown;
mod recording;
mod translation;

use std::fs::read_to_string;

use suite::root;

fn document(name: &str) -> String {
    read_to_string(root().join(name)).expect("the document is there")
}

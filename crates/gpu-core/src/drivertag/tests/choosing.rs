//! Which DaemonSets and NVIDIADrivers a node has, and what its driver pods run.

use serde_json::{Value, json};

use super::{driver_pod, driver_set, gpu_node, labelled, nvidia_driver};
use crate::cluster::Kind;
use crate::drivertag::asked::{self, Chooser};
use crate::drivertag::owner::{Owner, owner};
use crate::drivertag::running;
use crate::facts::images::{DRIVER_OWNER, KERNEL, Role};
use crate::testing::recorded;

const OLD: &str = "5.15.0-117-generic";
const NEW: &str = "5.15.0-118-generic";

fn image(tag: &str) -> String {
    format!("nvcr.io/nvidia/driver:{tag}")
}

#[test]
fn a_daemon_set_is_chosen_by_its_selector_and_a_taint_changes_nothing() {
    let mut tainted = gpu_node("gpu-c", NEW, "ubuntu 22.04");
    tainted["spec"] = json!({ "taints": [{ "key": "team", "effect": "NoSchedule" }] });
    let paused = labelled(
        gpu_node("gpu-d", NEW, "ubuntu 22.04"),
        &[(
            "nvidia.com/gpu.deploy.driver",
            Some("paused-for-driver-upgrade"),
        )],
    );
    let cluster = recorded([
        gpu_node("gpu-a", OLD, "ubuntu 22.04"),
        gpu_node("gpu-b", NEW, "ubuntu 22.04"),
        tainted,
        paused,
        driver_set(
            "nvidia-driver-daemonset-a",
            &image("535-a"),
            &[(KERNEL, OLD)],
        ),
        driver_set(
            "nvidia-driver-daemonset-b",
            &image("535-b"),
            &[(KERNEL, NEW)],
        ),
    ]);
    let asking = asked::asking(&cluster);
    let chooser = Chooser::new(&asking);
    let chosen: Vec<_> = cluster
        .nodes
        .iter()
        .map(|it| chooser.chosen(&asking, it))
        .collect();
    assert_eq!(chosen, [vec![0], vec![1], vec![1], vec![]]);
}

/// The containers of a driver DaemonSet, init containers first, and the roles and images that are read.
fn check_images(inits: &[(&str, &str)], mains: &[(&str, &str)], want: &[(Role, &str)]) {
    let containers = |all: &[(&str, &str)]| -> Value {
        all.iter()
            .map(|(name, image)| json!({ "name": name, "image": image }))
            .collect()
    };
    let mut set = driver_set("nvidia-driver-daemonset", "x", &[]);
    set["spec"]["template"]["spec"]["initContainers"] = containers(inits);
    set["spec"]["template"]["spec"]["containers"] = containers(mains);
    let cluster = recorded([set]);
    let asking = asked::asking(&cluster);
    let images: Vec<_> = asking[0]
        .images
        .iter()
        .map(|it| (it.role, it.text))
        .collect();
    assert_eq!(images, want);
}

#[test]
fn every_container_with_an_os_part_is_read_and_no_other() {
    let manager = ("k8s-driver-manager", "m:v0.6");
    check_images(
        &[manager],
        &[
            ("nvidia-driver-ctr", "d:1"),
            ("nvidia-peermem-ctr", "d:1"),
            ("nvidia-fs-ctr", "fs:2"),
            ("nvidia-gdrcopy-ctr", "gdr:3"),
            ("openshift-driver-toolkit-ctr", "dtk:4"),
        ],
        &[
            (Role::Driver, "d:1"),
            (Role::Peermem, "d:1"),
            (Role::Gds, "fs:2"),
            (Role::Gdrcopy, "gdr:3"),
        ],
    );
    // Somebody's own DaemonSet calls its containers as it likes.
    check_images(
        &[manager],
        &[("driver", "d:1"), ("log", "l:1")],
        &[(Role::Driver, "d:1")],
    );
    check_images(&[], &[], &[]);
}

#[test]
fn driver_pods_tell_what_was_started_and_what_cannot_be_pulled() {
    let waiting = |reason: &str| json!({ "waiting": { "reason": reason, "message": "words" } });
    for (state, started, pull, crashes) in [
        (json!({ "running": {} }), true, false, false),
        (
            json!({ "terminated": { "exitCode": 1 } }),
            true,
            false,
            false,
        ),
        // The pod in these tests was restarted three times, so it had its image once.
        (waiting("CrashLoopBackOff"), true, false, true),
        (waiting("ImagePullBackOff"), true, true, false),
        (waiting("ErrImagePull"), true, true, false),
        (waiting("InvalidImageName"), true, true, false),
        (waiting("ContainerCreating"), true, false, false),
    ] {
        let pod = driver_pod("gpu-a", &image("1"), state.clone());
        let cluster = recorded([driver_set("nvidia-driver-daemonset", &image("1"), &[]), pod]);
        let by_node = running::by_node(&cluster);
        let it = &by_node["gpu-a"][0];
        let seen = (it.was_started(), it.pull_trouble().is_some(), it.crashes());
        assert_eq!(seen, (started, pull, crashes), "{state}");
        assert_eq!(it.image.to_string(), image("1"));
    }
}

#[test]
fn a_container_that_never_started_runs_nothing() {
    let mut pod = driver_pod(
        "gpu-a",
        &image("1"),
        json!({ "waiting": { "reason": "ErrImagePull" } }),
    );
    pod["status"]["containerStatuses"][0]["restartCount"] = json!(0);
    let finished = {
        let mut it = pod.clone();
        it["metadata"]["name"] = json!("done");
        it["status"]["phase"] = json!("Failed");
        it
    };
    let cluster = recorded([
        driver_set("nvidia-driver-daemonset", &image("1"), &[]),
        pod,
        finished,
    ]);
    let by_node = running::by_node(&cluster);
    assert_eq!(by_node["gpu-a"].len(), 1);
    assert!(!by_node["gpu-a"][0].was_started());
}

#[test]
fn the_owner_of_a_node_is_told_as_the_operator_tells_it() {
    let pool = |name: &str, spec: Value| nvidia_driver(name, spec);
    let drivers = || {
        vec![
            pool("default", json!({ "default": true })),
            pool("a", json!({ "nodeSelector": { "pool": "a" } })),
            pool("ab", json!({ "nodeSelector": { "rack": "1" } })),
            pool(
                "hosts",
                json!({ "driverType": "vgpu-host-manager", "nodeSelector": {} }),
            ),
        ]
    };
    for (labels, for_hosts, want) in [
        (&[][..], false, "default"),
        (&[("pool", "a")], false, "a"),
        (&[("pool", "b")], false, "default"),
        (&[("pool", "a"), ("rack", "1")], false, "a+ab"),
        (
            &[("pool", "a"), (DRIVER_OWNER, "default")],
            false,
            "default",
        ),
        // What was written for an object that is gone counts for nothing.
        (&[("pool", "a"), (DRIVER_OWNER, "gone")], false, "a"),
        (&[("pool", "a")], true, "hosts"),
    ] {
        let labels: Vec<_> = labels
            .iter()
            .map(|(key, value)| (*key, Some(*value)))
            .collect();
        let mut objects = drivers();
        objects.push(labelled(gpu_node("gpu-a", NEW, "ubuntu 22.04"), &labels));
        let cluster = recorded(objects);
        assert_eq!(cluster.policies[0].kind, Kind::NvidiaDriver);
        let found = match owner(&cluster, &cluster.nodes[0], for_hosts) {
            Owner::One(it) => it.name.clone(),
            Owner::Nobody => "nobody".to_owned(),
            Owner::Several(all) => {
                let names: Vec<_> = all.iter().map(|it| it.name.as_str()).collect();
                names.join("+")
            }
        };
        assert_eq!(found, want, "{labels:?}");
    }
}

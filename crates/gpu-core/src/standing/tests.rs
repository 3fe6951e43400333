//! How operands stand, told by the audit and the order of small clusters.

use expect_test::expect;

use crate::cluster::rows::Rows;
use crate::cluster::{Cluster, Coverage, Kind};
use crate::facts::operands::{CORE, Id};
use crate::testing::*;

fn check(cluster: &Cluster, want: &expect_test::Expect) {
    want.assert_eq(&audit_text(cluster));
}

const VALIDATOR_INITS: [&str; 4] = [
    "driver-validation",
    "toolkit-validation",
    "cuda-validation",
    "plugin-validation",
];

#[test]
fn a_healthy_node_and_a_node_without_gpu_say_nothing() {
    let cluster = cluster(
        [gpu_node("gpu-1"), node("cpu-1")],
        core_daemon_sets(),
        running(&CORE, "gpu-1"),
    );
    check(
        &cluster,
        &expect![[r#"
        cpu-1 OK
        gpu-1 OK
    "#]],
    );
}

#[test]
fn labels_without_any_daemon_set_are_one_finding_a_node() {
    check(
        &cluster([gpu_node("gpu-1")], [], []),
        &expect![[r#"
            gpu-1 MISSING driver
            gpu-1 MISSING container-toolkit
            gpu-1 MISSING device-plugin
            gpu-1 MISSING gpu-feature-discovery
            gpu-1 MISSING dcgm-exporter
            error operand-missing: node/gpu-1 has no pod of driver, container-toolkit, device-plugin, gpu-feature-discovery, dcgm-exporter
              because the node's deploy labels ask for it, and there is no DaemonSet for it
              then pods that ask for GPUs find none on this node
              fix kubectl get clusterpolicies,daemonsets -A
        "#]],
    );
}

#[test]
fn a_taint_that_keeps_two_operands_away_is_one_finding_with_what_waits_behind() {
    let mut sets = core_daemon_sets();
    sets[1] = daemon_set_of(Id::ContainerToolkit).tolerates("team", "Exists");
    sets[2] = daemon_set_of(Id::DevicePlugin).tolerates("team", "Exists");
    let pods = [
        pod_of(Id::ContainerToolkit, "gpu-1").waits_in(&["driver-validation"], 0),
        pod_of(Id::DevicePlugin, "gpu-1"),
    ];
    check(
        &cluster([gpu_node("gpu-1").taint("team=ml:NoSchedule")], sets, pods),
        &expect![[r#"
            gpu-1 MISSING driver
            gpu-1 MISSING container-toolkit
            gpu-1 MISSING gpu-feature-discovery
            gpu-1 MISSING dcgm-exporter
            error taint-not-tolerated: node/gpu-1 gets no pod of driver, gpu-feature-discovery, dcgm-exporter: its taint team=ml:NoSchedule is not tolerated; container-toolkit waits behind it
              because daemonset/nvidia-driver-daemonset has no toleration for team=ml:NoSchedule
              then container-toolkit: it waits in init container driver-validation
              fix kubectl edit daemonset nvidia-driver-daemonset gpu-feature-discovery nvidia-dcgm-exporter -n gpu-operator: add {key: team, operator: Exists, effect: NoSchedule} to spec.template.spec.tolerations
            warning device-plugin-without-toolkit: device-plugin runs on node/gpu-1 and container-toolkit does not
              because it waits in init container driver-validation
              then pods get a GPU from the scheduler and do not see it in their containers
              fix kubectl get pods -A --field-selector spec.nodeName=gpu-1
        "#]],
    );
}

#[test]
fn pods_that_wait_one_behind_the_other_have_one_root() {
    let node = gpu_node("gpu-1").deploys(Id::OperatorValidator, "true");
    let mut sets = core_daemon_sets();
    sets.push(daemon_set_of(Id::OperatorValidator));
    let wait = |id| pod_of(id, "gpu-1").waits_in(&["toolkit-validation"], 0);
    let pods = [
        pod_of(Id::Driver, "gpu-1").container_waits("ImagePullBackOff"),
        pod_of(Id::ContainerToolkit, "gpu-1").waits_in(&["driver-validation"], 0),
        pod_of(Id::OperatorValidator, "gpu-1").waits_in(&VALIDATOR_INITS, 0),
        wait(Id::DevicePlugin),
        wait(Id::GpuFeatureDiscovery),
        wait(Id::DcgmExporter),
    ];
    check(
        &cluster([node], sets, pods),
        &expect![[r#"
            gpu-1 MISSING driver
            gpu-1 MISSING container-toolkit
            gpu-1 MISSING operator-validator
            gpu-1 MISSING device-plugin
            gpu-1 MISSING gpu-feature-discovery
            gpu-1 MISSING dcgm-exporter
            error image-not-pulled: driver on node/gpu-1 cannot pull its image registry.example/driver:1; 5 operands wait behind it
              because container main waits with ImagePullBackOff: no such image
              then container-toolkit: it waits in init container driver-validation
              then operator-validator: it waits in init container driver-validation
              then device-plugin: it waits in init container toolkit-validation
              then gpu-feature-discovery: it waits in init container toolkit-validation
              then dcgm-exporter: it waits in init container toolkit-validation
              then pods that ask for GPUs find none on this node
              fix kubectl describe pod/nvidia-driver-daemonset-gpu-1 -n gpu-operator
        "#]],
    );
}

#[test]
fn a_pod_that_waits_for_what_is_ready_is_itself_the_root() {
    let node = gpu_node("gpu-1").deploys(Id::OperatorValidator, "true");
    let mut sets = core_daemon_sets();
    sets.push(daemon_set_of(Id::OperatorValidator));
    let mut pods = running(
        &[
            Id::Driver,
            Id::ContainerToolkit,
            Id::OperatorValidator,
            Id::DevicePlugin,
            Id::DcgmExporter,
        ],
        "gpu-1",
    );
    pods.push(pod_of(Id::GpuFeatureDiscovery, "gpu-1").waits_in(&["toolkit-validation"], 0));
    check(
        &cluster([node], sets, pods),
        &expect![[r#"
            gpu-1 MISSING gpu-feature-discovery
            error barrier-stuck: gpu-feature-discovery waits in toolkit-validation on node/gpu-1: operator-validator is Ready and the wait goes on
              because what toolkit-validation checks does not work although operator-validator is Ready (file toolkit-ready); an old kernel module may still be loaded
              fix kubectl logs pod/gpu-feature-discovery-gpu-1 -c toolkit-validation -n gpu-operator
        "#]],
    );
}

#[test]
fn the_plugin_behind_a_validator_that_waits_for_the_plugin_is_no_loop() {
    let node = gpu_node("gpu-1").deploys(Id::OperatorValidator, "true");
    let mut sets = core_daemon_sets();
    sets.push(daemon_set_of(Id::OperatorValidator));
    let mut pods = running(
        &[
            Id::Driver,
            Id::ContainerToolkit,
            Id::GpuFeatureDiscovery,
            Id::DcgmExporter,
        ],
        "gpu-1",
    );
    pods.push(pod_of(Id::OperatorValidator, "gpu-1").waits_in(&VALIDATOR_INITS, 3));
    pods.push(pod_of(Id::DevicePlugin, "gpu-1").waits_in(&["toolkit-validation"], 0));
    check(
        &cluster([node], sets, pods),
        &expect![[r#"
            gpu-1 MISSING operator-validator
            gpu-1 MISSING device-plugin
            error barrier-stuck: device-plugin waits in toolkit-validation on node/gpu-1: operator-validator is not-ready there; operator-validator waits behind it
              because operator-validator has to open the barrier (file toolkit-ready) and does not run: it waits in init container plugin-validation
              then operator-validator: it waits in init container plugin-validation
              then pods that ask for GPUs find none on this node
              fix kubectl logs pod/nvidia-device-plugin-daemonset-gpu-1 -c toolkit-validation -n gpu-operator
        "#]],
    );
}

#[test]
fn off_empty_absent_paused_and_odd_values_are_not_missing() {
    let node = gpu_node("gpu-1")
        .deploys(Id::Driver, "pre-installed")
        .deploys(Id::ContainerToolkit, "false")
        .deploys(Id::DevicePlugin, "")
        .deploys(Id::GpuFeatureDiscovery, "paused-for-driver-upgrade")
        .deploys(Id::DcgmExporter, "yes");
    check(
        &cluster([node], core_daemon_sets(), []),
        &expect![[r#"
            gpu-1 OK
            warning deploy-label-empty: node/gpu-1 gets no pod of device-plugin: the deploy labels are empty
              because an empty value is not true, and this operator never corrects a label that is there
              fix kubectl label node/gpu-1 --overwrite nvidia.com/gpu.deploy.device-plugin=true
            warning deploy-label-odd: node/gpu-1 gets no pod of dcgm-exporter: its deploy label is "yes"
              because the DaemonSet selects exactly true, and nobody corrects another value
              fix kubectl label node/gpu-1 nvidia.com/gpu.deploy.dcgm-exporter=true --overwrite (or =false to opt out)
        "#]],
    );
}

#[test]
fn an_opted_out_operand_that_runs_is_unexpected() {
    let node = gpu_node("gpu-1").deploys(Id::DcgmExporter, "false");
    check(
        &cluster([node], core_daemon_sets(), running(&CORE, "gpu-1")),
        &expect![[r#"
            gpu-1 OK
            warning operand-unexpected: dcgm-exporter runs on node/gpu-1 and should not
              because a pod runs although nvidia.com/gpu.deploy.dcgm-exporter=false
              fix kubectl get pod/nvidia-dcgm-exporter-gpu-1 -o yaml -n gpu-operator
        "#]],
    );
}

#[test]
fn the_device_plugin_without_the_toolkit_is_an_error_of_order_and_a_warning_of_the_audit() {
    let only_plugin = node("gpu-1").deploys(Id::DevicePlugin, "true");
    let cluster = cluster(
        [only_plugin],
        core_daemon_sets(),
        running(&[Id::DevicePlugin], "gpu-1"),
    );
    check(
        &cluster,
        &expect![[r#"
        gpu-1 OK
        warning device-plugin-without-toolkit: device-plugin runs on node/gpu-1 and container-toolkit does not
          because nvidia.com/gpu.deploy.container-toolkit is absent
          then pods get a GPU from the scheduler and do not see it in their containers
          fix kubectl label node/gpu-1 nvidia.com/gpu.deploy.container-toolkit=true --overwrite
    "#]],
    );
    expect![[r#"
        gpu-1 device-plugin-without-toolkit
        error device-plugin-without-toolkit: device-plugin runs on node/gpu-1 and container-toolkit does not
          because nvidia.com/gpu.deploy.container-toolkit is absent
          then pods get a GPU from the scheduler and do not see it in their containers
          fix kubectl label node/gpu-1 nvidia.com/gpu.deploy.container-toolkit=true --overwrite
    "#]].assert_eq(&order_text(&cluster));
}

#[test]
fn pods_of_an_unreachable_node_are_not_judged() {
    let cluster = cluster(
        [gpu_node("gpu-1").not_ready("Unknown")],
        core_daemon_sets(),
        running(&CORE, "gpu-1"),
    );
    check(
        &cluster,
        &expect![[r#"
            gpu-1 OK
            warning node-not-ready: node/gpu-1 is unreachable: what runs there cannot be known
              because 
              fix kubectl describe node/gpu-1
        "#]],
    );
}

#[test]
fn without_pods_nothing_is_ok_and_nothing_is_missing() {
    let mut cluster = cluster([gpu_node("gpu-1")], core_daemon_sets(), []);
    cluster.note(Kind::Pod, Coverage::Unseen("pods is forbidden".into()));
    check(
        &cluster,
        &expect![[r#"
        gpu-1 UNKNOWN
        gap pods: pods is forbidden; whether an operand runs is not known
    "#]],
    );
    expect![[r#"
        gpu-1 unknown
        gap pods: pods is forbidden; whether an operand runs is not known
    "#]]
    .assert_eq(&order_text(&cluster));
}

#[test]
fn what_the_policy_switches_off_is_not_missing() {
    let mut cluster = cluster([gpu_node("gpu-1").deploys(Id::Dcgm, "true")], [], []);
    let spec = serde_json::json!({ "driver": { "enabled": false }, "toolkit": { "enabled": false },
        "devicePlugin": { "enabled": false }, "gfd": { "enabled": false }, "dcgmExporter": { "enabled": false } });
    let policy = serde_json::json!({ "metadata": { "name": "cluster-policy" }, "spec": spec });
    let row = serde_json::from_value(policy).unwrap();
    cluster.take(Rows::Policies(Kind::ClusterPolicy, vec![row]));
    cluster.settle();
    // dcgm is on by its default in code, so a policy that does not name it means that it runs.
    check(
        &cluster,
        &expect![[r#"
            gpu-1 MISSING dcgm
            error nfd-absent: no node has a feature.node.kubernetes.io/ label, so the operator finds no GPU node
              because Node Feature Discovery (NFD) is not installed: there is no worker DaemonSet in any namespace
              then no deploy labels and no operands, on no node
              fix install NFD: helm upgrade … --set nfd.enabled=true, or its own chart
            error operand-missing: node/gpu-1 has no pod of dcgm
              because the node's deploy labels ask for it, and there is no DaemonSet for it
              fix kubectl describe clusterpolicy/cluster-policy
        "#]],
    );
}

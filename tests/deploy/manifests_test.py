#!/usr/bin/env python3
"""Do the manifests hold together, without a cluster or a network?

usage: manifests_test.py BUILD_DIR SOURCE_DIR

Checked: YAML style (yamllint), references between objects (labels, ports, volumes, kustomization entries), what a pod may do,
settings and arguments against the real torqued, the unit file (systemd-analyze), HAProxy's file (haproxy -c). `kubectl
kustomize` renders the overlays where a kubectl is there.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

BUILD, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
DEPLOY = SOURCE / "deploy"
BASE = DEPLOY / "kubernetes/base"
OVERLAYS = sorted((DEPLOY / "kubernetes/overlays").iterdir())
LINT = "{extends: default, rules: {document-start: disable, line-length: {max: 132}, braces: {max-spaces-inside: 0}, indentation: {indent-sequences: consistent}}}"


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def documents(path):
    return [d for d in yaml.safe_load_all(path.read_text()) if d]


def base_objects():
    kustomization = documents(BASE / "kustomization.yaml")[0]
    return {d["kind"]: d for name in kustomization["resources"] for d in documents(BASE / name)}


def merge(into, patch):
    """A strategic merge as far as the overlays need it: lists of named things by name, $patch: replace and delete."""
    if isinstance(patch, dict) and isinstance(into, dict):
        if patch.get("$patch") == "replace":
            return {k: v for k, v in patch.items() if k != "$patch"}
        out = dict(into)
        for key, value in patch.items():
            out[key] = merge(into[key], value) if key in into else value
        return out
    if isinstance(patch, list) and isinstance(into, list) and patch and isinstance(patch[0], dict):
        key = "mountPath" if "mountPath" in patch[0] else "name"
        out = {item[key]: item for item in into}
        for item in patch:
            out[item[key]] = merge(out[item[key]], item) if item[key] in out else item
            if item.get("$patch") == "replace":
                out[item[key]] = {k: v for k, v in item.items() if k != "$patch"}
        return list(out.values())
    return patch


def rendered(overlay):
    """The objects of an overlay, by kind."""
    objects = base_objects()
    kustomization = documents(overlay / "kustomization.yaml")[0]
    for name in kustomization.get("resources", []):
        objects.update({d["kind"]: d for d in documents(overlay / name)})
    for name in kustomization["patchesStrategicMerge"]:
        for patch in documents(overlay / name):
            assert patch["kind"] in objects, f"{name} patches a {patch['kind']} that is not there"
            assert patch["metadata"]["name"] == objects[patch["kind"]]["metadata"]["name"], name
            if patch.get("$patch") == "delete":
                del objects[patch["kind"]]
            else:
                objects[patch["kind"]] = merge(objects[patch["kind"]], patch)
    return objects


class Kubernetes(unittest.TestCase):
    def all(self):
        yield "base", base_objects()
        for overlay in OVERLAYS:
            yield overlay.name, rendered(overlay)

    def test_every_pod_is_locked_down(self):
        for name, objects in self.all():
            with self.subTest(name):
                pod = objects["Deployment"]["spec"]["template"]["spec"]
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
                self.assertFalse(pod["automountServiceAccountToken"])
                for container in pod["containers"]:
                    context = container["securityContext"]
                    self.assertTrue(context["readOnlyRootFilesystem"])
                    self.assertFalse(context["allowPrivilegeEscalation"])
                    self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
                    self.assertIn("memory", container["resources"]["limits"])
                    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                        self.assertIn(probe, container)
                self.assertNotIn("--insecure", json.dumps(objects))

    def test_references_meet(self):
        for name, objects in self.all():
            with self.subTest(name):
                deployment = objects["Deployment"]["spec"]
                labels = deployment["template"]["metadata"]["labels"]
                selectors = [deployment["selector"]["matchLabels"], objects["Service"]["spec"]["selector"],
                             objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]]
                if "PodDisruptionBudget" in objects:
                    selectors.append(objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"])
                for selector in selectors:
                    self.assertLessEqual(selector.items(), labels.items())
                pod = deployment["template"]["spec"]
                container = pod["containers"][0]
                ports = {p["name"]: p["containerPort"] for p in container["ports"]}
                for port in objects["Service"]["spec"]["ports"]:
                    self.assertEqual(ports[port["targetPort"]], port["port"])
                for rule in objects["NetworkPolicy"]["spec"]["ingress"]:
                    for port in rule["ports"]:
                        self.assertIn(port["port"], ports)
                for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                    if "httpGet" in container[probe]:
                        self.assertIn(container[probe]["httpGet"]["port"], ports)
                volumes = {v["name"] for v in pod["volumes"]}
                self.assertEqual({m["name"] for m in container["volumeMounts"]}, volumes)
                self.assertEqual(objects["Service"]["spec"]["clusterIP"], "None")
                if "HorizontalPodAutoscaler" in objects:
                    target = objects["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
                    self.assertEqual((target["kind"], target["name"]), ("Deployment", objects["Deployment"]["metadata"]["name"]))
                    self.assertNotIn("replicas", deployment)

    def test_the_drain_fits_into_the_grace_period(self):
        settings = documents(BASE / "torqued.yaml")[0]
        grace = base_objects()["Deployment"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        self.assertLess(settings["drain_delay_s"] + settings["drain_s"], grace)

    def test_overlays_do_what_they_are_for(self):
        single, cluster = (rendered(DEPLOY / "kubernetes/overlays" / n) for n in ("single", "cluster"))
        self.assertEqual(single["Deployment"]["spec"]["replicas"], 1)
        self.assertEqual(single["Deployment"]["spec"]["strategy"], {"type": "Recreate"})
        data = [v for v in single["Deployment"]["spec"]["template"]["spec"]["volumes"] if v["name"] == "data"]
        self.assertEqual(data, [{"name": "data", "persistentVolumeClaim": {"claimName": "torqued-data"}}])
        self.assertNotIn("HorizontalPodAutoscaler", single)
        store = {e["name"]: e["value"] for e in cluster["Deployment"]["spec"]["template"]["spec"]["containers"][0]["env"]}
        self.check_settings(store)

    def check_settings(self, environment):
        """torqued itself says whether the settings are known and fit together, with certificates where the pod has them."""
        with tempfile.TemporaryDirectory() as folder:
            code, output = run(DEPLOY / "lab-certificates", folder)
            self.assertEqual(code, 0, output)
            config = pathlib.Path(folder) / "torqued.yaml"
            config.write_text((BASE / "torqued.yaml").read_text().replace("/certificates/", f"{folder}/"))
            code, output = run("env", *[f"{k}={v}" for k, v in environment.items()], BUILD / "bin/torqued", "check-config",
                               "--config", config)
            self.assertEqual(code, 0, output)

    def test_torqued_takes_its_settings(self):
        self.check_settings({})

    def test_kustomize_renders(self):
        if shutil.which("kubectl") is None:
            self.skipTest("kubectl is not installed")
        for overlay in OVERLAYS:
            code, output = run("kubectl", "kustomize", overlay)
            self.assertEqual(code, 0, output)
            kinds = {d["kind"] for d in yaml.safe_load_all(output)} - {"ConfigMap"}
            self.assertEqual(kinds, set(rendered(overlay)))


class OtherFiles(unittest.TestCase):
    def test_yaml_style(self):
        code, output = run("yamllint", "--strict", "-d", LINT, DEPLOY / "kubernetes", DEPLOY / "compose", DEPLOY / "torqued.yaml")
        self.assertEqual(code, 0, output)

    def test_compose(self):
        compose = documents(DEPLOY / "compose/compose.yaml")[0]
        for name, service in compose["services"].items():
            for port in service["ports"]:
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name} is open to other machines: {port}")
            for volume in service["volumes"] if "volumes" in service else []:
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue((DEPLOY / "compose" / source).is_file(), source)
                else:
                    self.assertIn(source, compose["volumes"])
        code, output = run(BUILD / "bin/torqued", "check-config", *compose["services"]["torqued"]["command"])
        self.assertEqual(code, 0, output)

    def test_the_packaged_configuration(self):
        code, output = run(BUILD / "bin/torqued", "check-config", "--config", DEPLOY / "torqued.yaml")
        self.assertEqual(code, 0, output)

    def test_haproxy(self):
        if shutil.which("haproxy") is None:
            self.skipTest("haproxy is not installed")
        code, output = run("haproxy", "-c", "-f", DEPLOY / "haproxy/haproxy.cfg")
        self.assertEqual(code, 0, output)

    def test_the_unit(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "torqued.service"
            text = (DEPLOY / "systemd/torqued.service").read_text()
            unit.write_text(text.replace("/usr/bin/torqued", str(BUILD / "bin/torqued")))
            code, output = run("systemd-analyze", "verify", "--man=no", unit)
            ours = [line for line in output.splitlines() if "torqued" in line]
            self.assertEqual((code, ours), (0, []), output)
            code, output = run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)
            exposure = re.search(r"exposure level for torqued.service: ([\d.]+)", output)
            print(f"exposure {exposure.group(1) if exposure else '?'} of 10")
            self.assertEqual(code, 0, output[-3000:])
            # Every setting of the command line of the unit is one that torqued knows.
            arguments = re.search(r"^ExecStart=\S+ (.*)$", text, re.M).group(1).split()
            arguments[arguments.index("--config") + 1] = DEPLOY / "torqued.yaml"
            code, output = run(BUILD / "bin/torqued", "check-config", *arguments)
            self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main(argv=["manifests_test"], verbosity=2)

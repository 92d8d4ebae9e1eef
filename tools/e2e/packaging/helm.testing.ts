/** Helm renders the chart of deploy/; a test gets its objects, or why Helm refuses the values. */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@farthing/protocol";
import { parseAllDocuments } from "yaml";

const chart = join(import.meta.dirname, "../../../deploy/helm/farthing");

/** Of the path, or where `go install` puts it. */
const candidates = [process.env["HELM_PATH"] ?? "helm", join(homedir(), "go/bin/helm")];

/** The command; undefined where it is not installed. */
export const helm = candidates.find((one) => spawnSync(one, ["version"]).status === 0);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: {
    readonly secretName: string;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
}

export interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
  readonly terminationGracePeriodSeconds?: number;
}

export type Labels = Readonly<Record<string, string>>;

/** An object of Kubernetes, with the members that the tests read. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Labels;
    readonly annotations?: Labels;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

function runHelm(args: readonly string[], values: JsonObject) {
  if (helm === undefined) throw new Error("There is no Helm");
  // A Helm 3 that `go install` built takes an old one.
  const version = ["--kube-version", "1.34.0"];
  const input = JSON.stringify(values);
  return spawnSync(helm, [...args, chart, ...version, "--values", "-"], {
    input,
    encoding: "utf8",
  });
}

/** What `helm install pay` would send to a cluster. Throws with Helm's words. */
export function renderChart(values: JsonObject): KubernetesObject[] {
  const { status, stdout, stderr } = runHelm(["template", "pay", "--namespace", "shop"], values);
  if (status !== 0) throw new Error(stderr);
  // Kubernetes reads YAML 1.1, where a number that begins with 0 is octal.
  return parseAllDocuments(stdout, { version: "1.1" }).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object: KubernetesObject | null = document.toJS();
    return object === null ? [] : [object];
  });
}

/** What `helm lint` has to say about the chart with these values. */
export function lintChart(values: JsonObject): string {
  const { status, stdout, stderr } = runHelm(["lint", "--strict", "--quiet"], values);
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** The pod that an object is or starts, with its labels. */
export interface Pod {
  readonly owner: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

/** All pods of the objects. */
export function podsOf(objects: readonly KubernetesObject[]): Pod[] {
  return objects.flatMap((object) => {
    const { template }: { template?: PodTemplate } = JSON.parse(JSON.stringify(object.spec ?? {}));
    const spec: PodSpec = JSON.parse(JSON.stringify(object.spec ?? {}));
    const owner = `${object.kind} ${object.metadata.name}`;
    if (object.kind !== "Pod" && template === undefined) return [];
    const { labels, annotations = {} } = (template ?? object).metadata;
    return [{ owner, labels, annotations, spec: template?.spec ?? spec }];
  });
}

/** The one object of this kind and name. */
export function objectOf(
  objects: readonly KubernetesObject[],
  kind: string,
  name: string,
): KubernetesObject {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

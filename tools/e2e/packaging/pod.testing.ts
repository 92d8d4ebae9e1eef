/** Puts what a pod mounts into folders of this machine, as a node of Kubernetes does. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectOf, type Container, type KubernetesObject, type PodSpec } from "./helm.testing.ts";

/** What a container is started with. Paths are those of this machine. */
export interface PlacedContainer {
  readonly container: Container;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The folder in the place of one of the container. */
  place(path: string): string;
}

export function placePod(
  objects: readonly KubernetesObject[],
  { containers: [container], volumes }: PodSpec,
  folder: string,
): PlacedContainer {
  const mounts = container.volumeMounts.map(({ name, mountPath }) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    const volume = volumes.find((one) => one.name === name);
    if (volume?.configMap) writeVolume(path, configOf(objects, volume.configMap.name));
    if (volume?.secret) {
      const { data = {} } = objectOf(objects, "Secret", volume.secret.secretName);
      const texts = volume.secret.items.map(({ key, path: file }) => [file, fromBase64(data[key])]);
      writeVolume(path, Object.fromEntries(texts));
    }
    return { mountPath, path };
  });
  const place = (text: string) => {
    const mount = mounts.find(({ mountPath }) => text.includes(mountPath));
    return mount ? text.replace(mount.mountPath, mount.path) : text;
  };
  const variables = [
    ...(container.envFrom ?? []).flatMap(({ configMapRef }) =>
      Object.entries(configOf(objects, configMapRef.name)),
    ),
    ...(container.env ?? []).map(({ name, value }) => [name, value] as const),
  ];
  return {
    container,
    args: (container.args ?? []).map(place),
    environment: Object.fromEntries(variables.map(([name, value]) => [name, place(value)])),
    place,
  };
}

function configOf(objects: readonly KubernetesObject[], name: string) {
  return objectOf(objects, "ConfigMap", name).data ?? {};
}

function fromBase64(text: string | undefined): string {
  if (text === undefined) throw new Error("The Secret has no such key, so the pod would not start");
  return Buffer.from(text, "base64").toString();
}

let versions = 0;

/**
 * Writes the files of a mounted ConfigMap or Secret, or changes them, as a node does: each file is a link
 * into the folder `..data`, which is a link itself and leads to another folder after a change.
 */
export function writeVolume(folder: string, texts: Readonly<Record<string, string>>): void {
  const version = `..${++versions}`;
  mkdirSync(join(folder, version));
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(folder, version, name), text);
  symlinkSync(version, join(folder, "..new"));
  renameSync(join(folder, "..new"), join(folder, "..data"));
  for (const name of Object.keys(texts)) {
    try {
      symlinkSync(join("..data", name), join(folder, name));
    } catch {
      // It leads there already.
    }
  }
}

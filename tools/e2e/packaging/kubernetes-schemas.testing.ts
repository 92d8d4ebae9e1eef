/**
 * Checks objects against the published schemas of the Kubernetes API and of the operators that the chart
 * has objects for. Kubernetes drops or refuses a member that it does not know, so that is an error, too.
 */
import type { KubernetesObject } from "./helm.testing.ts";

/** A kind of these packages. Its instances have a copy of the object's members. */
interface Kind {
  new (object: KubernetesObject): object;
  /** Checks what it is called on; throws what is wrong. */
  readonly prototype: { validate(this: object): void };
}

/** Packages that have the schemas of groups of the API. */
const packages: Readonly<Record<string, string>> = {
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
  "traefik.io": "@kubernetes-models/traefik",
};

/** Says what is wrong with an object; nothing for one that is in order. */
export async function problemsOf(object: KubernetesObject): Promise<string[]> {
  const { apiVersion, kind, metadata } = object;
  const [group = ""] = apiVersion.split("/");
  const module = `${packages[group] ?? "kubernetes-models"}/${apiVersion}/${kind}`;
  const { [kind]: Kind }: Record<string, Kind> = await import(module);
  if (Kind === undefined) return [`There is no schema of ${module}`];
  const unread = new Set<string>();
  const problems: string[] = [];
  try {
    Kind.prototype.validate.call(watch(new Kind(object), "", unread));
  } catch (error) {
    problems.push(String(error));
  }
  problems.push(...[...unread].map((path) => `${path} is unknown`));
  return problems.map((problem) => `${kind} ${metadata.name}: ${problem}`);
}

/**
 * Gives an object to a validator, which reads every member that its schema has. `unread` has the paths of
 * the others afterwards.
 */
function watch<Value>(value: Value, path: string, unread: Set<string>): Value {
  if (typeof value !== "object" || value === null) return value;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  for (const key of keys) unread.add(`${path}/${key}`);
  return new Proxy(value, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === "symbol") return member;
      unread.delete(`${path}/${key}`);
      return watch(member, `${path}/${key}`, unread);
    },
  });
}

/** The folder in which a service runs in containers: what it consists of, and how it is written. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Address, Network } from "@farthing/protocol";
import { versionOf, walletAddressOf } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";
import { createKey, createPrivate } from "./key-files.ts";

/** An API that a gateway sells. Texts as they stand in its file. */
export interface Sale {
  readonly to: string;
  readonly price: string;
  readonly payTo: Address;
  /** Another facilitator, which settles in place of the gateway's own engine. */
  readonly remote?: { readonly url: string; readonly apiKey: string | undefined };
}

export interface Service {
  readonly kind: "facilitator" | "postgres" | "gateway";
  readonly domain: string;
  readonly network: Network;
  /** JSON-RPC URLs, comma-separated; they may have keys in them. */
  readonly rpc: string;
  /** The number of relayer wallets. */
  readonly wallets: number;
  /** Of a gateway. */
  readonly sale?: Sale;
}

/** The user of the image, for folders that root writes. */
const imageUser = { uid: 1000, gid: 1000 };

/** What a folder consists of, by path; the folders of services below it are private. */
interface FolderPlan {
  readonly files: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly relayers: readonly Address[];
}

/**
 * Writes the folder, which must be new or empty, and returns the addresses of its relayer wallets.
 * Throws the fault `configuration`.
 */
export function writeServiceFolder(target: string, service: Service): readonly Address[] {
  demandRoom(target);
  const { uid, gid } = ownerOf();
  const plan = planOf(service, `${uid}:${gid}`);
  try {
    makeFolder(target);
    for (const name of ["data", "secrets"]) {
      mkdirSync(join(target, name), { recursive: true });
      chmodSync(join(target, name), 0o700);
    }
    for (const [path, text] of plan.files) {
      makeFolder(dirname(join(target, path)));
      writeFileSync(join(target, path), text, { flag: "wx" });
      // Containers read it as users of their own, whatever the umask here.
      chmodSync(join(target, path), 0o644);
    }
    for (const name of ["gateway", "prometheus"]) {
      if (existsSync(join(target, name))) chmodSync(join(target, name), 0o755);
    }
  } catch (cause) {
    throw new Fault("configuration", `${target} cannot be written; look at its rights`, { cause });
  }
  for (const [name, text] of plan.secrets) createPrivate(join(target, "secrets", name), text);
  if (process.getuid?.() === 0) {
    const own = [...plan.secrets.keys()].map((name) => join("secrets", name));
    for (const path of ["data", "secrets", ...own]) chownSync(join(target, path), uid, gid);
  }
  return plan.relayers;
}

/** A user who could change the folder could put files of their own in place of ours. */
function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o022) !== 0) chmodSync(path, mode & ~0o022);
}

function demandRoom(target: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (!found) return;
  const names = found.isDirectory() ? readdirSync(target).sort() : undefined;
  if (names?.length === 0) return;
  const [first, ...others] = names ?? [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = first === undefined ? "is no folder" : `has ${first}${more}`;
  throw new Fault(
    "configuration",
    `${target} ${what}. Nothing was written: name a new folder, or move away what is there.`,
  );
}

/** The containers run as the user who owns the folder, and never as root. */
function ownerOf(): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined || uid === 0 ? imageUser : { uid, gid };
}

function planOf(service: Service, user: string): FolderPlan {
  const { kind, domain, network, rpc, sale } = service;
  const secrets = new Map<string, string>();
  const settings = new Map([
    ["SITE_NAME", domain],
    ["CONTAINER_USER", user],
    ["SOURCE", sourceOf()],
  ]);
  const files = new Map([
    ["Caddyfile", template("caddy/Caddyfile")],
    [".gitignore", "data/\nsecrets/\n"],
  ]);
  const keys: string[] = [];
  const addSecret = (setting: string, name: string, text: string) => {
    secrets.set(name, `${text}\n`);
    settings.set(`${setting}_FILE`, `/run/secrets/${name}`);
  };
  if (sale) {
    files.set("compose.yaml", template("gateway/compose.yaml"));
    files.set("gateway/gateway.yaml", gatewayFile(template("gateway/gateway.yaml"), service, sale));
    const apiKey = sale.remote?.apiKey;
    if (apiKey !== undefined) addSecret("FARTHING_API_KEY", "api-key", apiKey);
  } else {
    files.set("compose.yaml", template("facilitator/compose.yaml"));
    const scrape = template("prometheus/prometheus.yml");
    files.set(
      "prometheus/prometheus.yml",
      scrape
        .replace("127.0.0.1:9464", "facilitator:9464")
        .replace(/^# Prometheus for.*\n# .*\n/, ""),
    );
    files.set("prometheus/alerts.yml", template("prometheus/alerts.yml"));
    settings.set("FARTHING_PUBLIC_URL", `https://${domain}`);
  }
  if (!sale?.remote) {
    for (let index = 0; index < service.wallets; index++) keys.push(createKey());
    settings.set("FARTHING_NETWORKS", network.id);
    addSecret(`FARTHING_RPC_${network.chainId}`, `rpc-${network.chainId}`, rpc);
    addSecret("FARTHING_ID_SECRET", "id-secret", randomBytes(32).toString("hex"));
    addSecret("FARTHING_RELAYER_KEYS", "relayer-keys", keys.join(","));
  }
  if (kind === "postgres") {
    files.set("postgres.yaml", template("facilitator/postgres.yaml"));
    settings.set("COMPOSE_FILE", "compose.yaml:postgres.yaml");
    const password = randomBytes(24).toString("hex");
    secrets.set("postgres-password", `${password}\n`);
    // Its setting is in postgres.yaml.
    secrets.set("database-url", `postgres://farthing:${password}@postgres:5432/farthing\n`);
  }
  files.set(".env", environmentFile(settings));
  return { files, secrets, relayers: keys.map(walletAddressOf) };
}

function template(path: string): string {
  return readFileSync(join(templatesFolder(), path), "utf8");
}

/** In single quotes, Compose replaces nothing. */
const quote = (text: string) => (/^[\w./:@,#-]+$/.test(text) ? text : `'${text}'`);

function environmentFile(settings: ReadonlyMap<string, string>): string {
  return [
    "# Docker Compose fills these into its files. The service reads those that begin with FARTHING_;",
    "# docs/reference/configuration.md lists them all. Secrets are in files of ./secrets.",
    ...[...settings].map(([name, value]) => `${name}=${quote(value)}`),
    "",
  ].join("\n");
}

/** Puts the values in the place of the example's. */
function gatewayFile(example: string, { domain, network }: Service, sale: Sale): string {
  const { to, price, payTo, remote } = sale;
  const values = {
    '"https://api.example.com"': JSON.stringify(`https://${domain}`),
    '"eip155:51"': JSON.stringify(network.id),
    '"0x7A11830374F9a3aA26C125CAa932520D984B1024"': JSON.stringify(payTo),
    '"http://host.docker.internal:3000"': JSON.stringify(to),
    '"0.01"': JSON.stringify(price),
    ...(remote && {
      "embedded # the gateway settles by itself, with a relayer wallet of its own": `{ url: ${JSON.stringify(remote.url)}${remote.apiKey === undefined ? "" : ', apiKey: "${FARTHING_API_KEY}"'} }`,
    }),
  };
  // One pass: a value that was put in may look like another example.
  const examples = Object.keys(values).map((text) => text.replaceAll(/[$.*/?+]/g, "\\$&"));
  const known: Readonly<Record<string, string>> = values;
  return example.replace(new RegExp(examples.join("|"), "g"), (found) => known[found] ?? found);
}

/** The files are packed with this package; a checkout has them in deploy/. */
function templatesFolder(): string {
  const found = ["../templates/", "../../../deploy/"].map(pathOf).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Fault("configuration", "This installation has no templates. Install it anew.");
}

/** What the image is built from: this checkout, or the repository at this version. */
function sourceOf(): string {
  const checkout = pathOf("../../../");
  if (existsSync(join(checkout, "deploy/Dockerfile"))) return checkout.replace(/\/$/, "");
  const manifest: { repository: { url: string } } = JSON.parse(
    readFileSync(pathOf("../package.json"), "utf8"),
  );
  return `${manifest.repository.url.replace(/^git\+/, "")}#v${versionOf()}`;
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** The runtime of Cloudflare Workers with one Durable Object class, on a free port of this machine. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { isObject, parseJson } from "@farthing/protocol";
import { build } from "esbuild";
import type { RecordsNamespace } from "./durable-object.ts";

const config = (
  variables: Readonly<Record<string, string>>,
  compatibilityDate: string,
): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "disk", disk = (path = "disk", writable = true)),
    (name = "internet", network = (allow = ["public", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = ${JSON.stringify(compatibilityDate)},
  durableObjectNamespaces = [
    (className = "PaymentRecordsObject", uniqueKey = "records", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "RECORDS", durableObjectNamespace = "PaymentRecordsObject"),
    ${Object.entries(variables)
      .map(([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)}),`)
      .join("\n    ")}
  ],
);
`;

/** What a Worker is made of. */
export interface WorkerOptions {
  /** The module, which exports `PaymentRecordsObject`; it is bound as `RECORDS`. */
  readonly entryPoint: string;
  /** Its environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Where its `@farthing` packages come from; the sources unless set. */
  readonly conditions?: readonly string[];
  /** The runtime behaves as on that day, as Workers of earlier years ask it to. */
  readonly compatibilityDate?: string;
}

/** Bundles a Worker and runs it; `restart` kills it and starts it again on the same disk. */
export async function startWorker({
  entryPoint,
  variables = {},
  conditions = ["@farthing/source"],
  compatibilityDate = "2026-10-01",
}: WorkerOptions) {
  const folder = await mkdtemp(join(tmpdir(), "farthing-workerd-"));
  await mkdir(join(folder, "disk"));
  await writeFile(join(folder, "config.capnp"), config(variables, compatibilityDate));
  await build({
    entryPoints: [entryPoint],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: [...conditions],
  });
  let running = await runWorkerd(folder);
  return {
    /** The address at the moment: it changes with each start. */
    get url() {
      return running.url;
    },
    async restart() {
      await running.kill();
      running = await runWorkerd(folder);
    },
    async stop() {
      await running.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a Worker whose calls reach one Durable Object class from outside. */
export async function startWorkerd() {
  const entryPoint = join(import.meta.dirname, "worker.testing.ts");
  const worker = await startWorker({ entryPoint });
  const namespace: RecordsNamespace<string> = {
    idFromName: (name) => name,
    get: (name) => ({ fetch: (_url, init) => fetch(`${worker.url}/${name}`, init) }),
  };
  return {
    namespace,
    url: () => worker.url,
    restart: worker.restart,
    stop: worker.stop,
  };
}

/** The file descriptor on which the runtime tells its port. */
const controlFd = 3;

/** Runs the runtime with `config.capnp` of a folder, which names one socket. */
async function runWorkerd(folder: string) {
  const { default: command }: { default: string } = createRequire(import.meta.url)("workerd");
  const flags = ["serve", join(folder, "config.capnp"), `--control-fd=${controlFd}`];
  const child = spawn(command, flags, { cwd: folder, stdio: ["ignore", "ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => (said += more));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const control = child.stdio[controlFd];
  if (!(control instanceof Readable)) throw new Error("The runtime has no control channel.");
  const port = await new Promise<unknown>((resolve, reject) => {
    createInterface(control).on("line", (line) => {
      const event = parseJson(line)?.value;
      if (isObject(event) && event["event"] === "listen") resolve(event["port"]);
    });
    child.once("close", () => reject(new Error(`workerd did not start: ${said}`)));
  });
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

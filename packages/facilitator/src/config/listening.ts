/** Where the service listens, and the processes that read requests. */
import type { ReadSetting } from "./settings-table.ts";
import { whole } from "./values.ts";

/**
 * The main process can keep about four workers busy; more of them only wait, and each takes as much
 * memory as a small service.
 */
const maxWorkers = 16;

export function readListening(read: ReadSetting) {
  return {
    host: read("FARTHING_HOST", (text) => text || undefined),
    port: read("FARTHING_PORT", whole(0, 65_535)),
    workers: read("FARTHING_WORKERS", whole(1, maxWorkers)),
  };
}

/**
 * The environment of a worker, which reads what strangers send: how Node.js runs, and no setting of
 * ours, since some are secrets.
 */
export function workerEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const names = Object.keys(env).filter((name) => /^(NODE_.*|PATH|TZ|TMPDIR)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

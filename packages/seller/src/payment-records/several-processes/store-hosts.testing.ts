/** What keeps the stores that processes share, each started once for the tests of one file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@farthing/engine/testing";
import { findRedisServer, startRedis } from "../redis/redis-server.testing.ts";
import type { Store } from "./shared-stores.testing.ts";
import { startWorkerd } from "../durable-object/workerd.testing.ts";

export interface StoreHost {
  /** Creates an empty store. */
  create(): Promise<Store>;
  stop(): Promise<void>;
}

async function hostFiles(): Promise<StoreHost> {
  const folder = await mkdtemp(join(tmpdir(), "farthing-shops-"));
  let made = 0;
  return {
    create: async () => ({ kind: "sqlite", path: join(folder, `${++made}.db`) }),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function hostRedis(): Promise<StoreHost> {
  const { path, connect, stop } = await startRedis();
  return {
    async create() {
      const client = await connect();
      await client.flushAll();
      client.destroy();
      return { kind: "redis", path };
    },
    stop,
  };
}

async function hostPostgres(): Promise<StoreHost> {
  const server = await startPostgres();
  return {
    create: async () => ({ kind: "postgres", path: await server.createDatabase() }),
    stop: () => server.stop(),
  };
}

async function hostObjects(): Promise<StoreHost> {
  const runtime = await startWorkerd();
  let made = 0;
  return {
    create: async () => ({ kind: "durable object", path: `${runtime.url()}/${++made}` }),
    stop: () => runtime.stop(),
  };
}

/** Name, whether it is on this machine, and how to start what keeps it. */
export const stores = [
  ["sqlite", true, hostFiles],
  ["redis", findRedisServer() !== undefined, hostRedis],
  ["postgres", true, hostPostgres],
  ["durable object", true, hostObjects],
] as const;

/** Those that the seller of commit 7c505e4 had. */
export const firstStores = stores.slice(0, 2);

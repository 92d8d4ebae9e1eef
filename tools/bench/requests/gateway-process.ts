/** `farthing gateway` in front of an API, as an operator runs it, and what opens its routes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { farthingCommand, startServer, type Server } from "../processes.ts";
import { payTo } from "./yes-facilitator.ts";

export interface GatewaySetup {
  readonly upstreamUrl: string;
  readonly facilitatorUrl: string;
  readonly store: "memory" | "sqlite";
  /** The folder of the program that runs; this checkout by default. */
  readonly checkout?: string | undefined;
  /** Routes before those that are asked. */
  readonly otherRoutes?: number;
  /** Of the program, such as options of Node that profile it. */
  readonly env?: Readonly<Record<string, string>>;
}

/** More than the connections of any race, so that none waits for another. */
const concurrency = 2_000;

/** As many as a seller can sell at once; no run uses them up. */
const uses = 1_000_000;

const route = (match: string, more: object) => ({ match, upstream: "api", ...more });

/** Starts one with default settings but for the places for calls. */
export async function startGatewayProcess(setup: GatewaySetup): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  const file = join(folder, "gateway.yaml");
  // No run spends it: the API names no cost, so that each request costs the reserve.
  const balance = { topUp: "1000", reserve: "0.0001" };
  const passes = { uses, validFor: "1d" };
  const others = Array.from({ length: setup.otherRoutes ?? 0 }, (_, index) =>
    route(`GET /other/${index}/*`, { price: "0.02" }),
  );
  const settings = {
    version: 1,
    listen: { http: "127.0.0.1:0" },
    publicUrl: "https://api.example.com",
    facilitator: { url: setup.facilitatorUrl },
    payTo,
    store: setup.store === "memory" ? "memory" : `sqlite:${join(folder, "gateway.db")}`,
    upstreams: { api: { url: setup.upstreamUrl, concurrency } },
    routes: [
      ...others,
      route("GET /free/*", { free: true }),
      route("GET /paid/*", { price: "0.01", description: "One report" }),
      route("GET /pass/*", { price: "0.01", passes }),
      route("GET /balance/*", { balance }),
    ],
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(settings));
  const bin = farthingCommand(setup.checkout);
  const server = await startServer([bin, "gateway", "--config", file], setup.env ?? {});
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

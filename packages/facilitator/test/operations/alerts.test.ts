/**
 * The alert rules and the board of deploy/: they name metrics that exist, the rules pass their unit
 * tests, and alarms that must not fail are provoked on a service at work, read by a real Prometheus.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import { Fault } from "@farthing/engine/base";
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openStore } from "../../src/features/open-store.ts";
import { metricTable, type Metric } from "../../src/operations/metrics-table.ts";
import {
  byContract,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";
import { hasPrometheus } from "../support/find-prometheus.testing.ts";
import { startPrometheus, type Prometheus } from "../support/prometheus.testing.ts";

const deploy = join(import.meta.dirname, "../../../../deploy");
const textOf = (path: string) => readFileSync(join(deploy, path), "utf8");

/** The expressions of the rules by the name of the alert. */
const rules = new Map<string, string>(
  parse(textOf("prometheus/alerts.yml")).groups.flatMap(
    ({ rules: all }: { rules: { alert: string; expr: string }[] }) =>
      all.map(({ alert, expr }) => [alert, expr] as const),
  ),
);

/** Each metric of a text with the labels that it is selected or summed by. */
function metricsIn(text: string) {
  const known = /\b((?:x402|http)_[a-z_]+)(?:\{([^}]*)\})?/g;
  return [...text.matchAll(known)].map(([, name = "", selector = ""]) => {
    return { name, labels: [...selector.matchAll(/(\w+)[=!]~?=?\\?"/g)].map(([, key]) => key) };
  });
}

function find(name: string): Metric | undefined {
  const table: Readonly<Record<string, Metric>> = metricTable;
  const base = table[name.replace(/_(bucket|sum|count)$/, "")];
  return table[name] ?? (base?.kind === "histogram" ? base : undefined);
}

const promtool = (...args: string[]) => spawnSync("promtool", args, { encoding: "utf8" });

test.each(["prometheus/alerts.yml", "prometheus/alerts.test.yml", "grafana/farthing.json"])(
  "%s names metrics and labels that the service has",
  (path) => {
    const named = metricsIn(textOf(path));
    expect(named.length).toBeGreaterThan(15);
    const ofPrometheus = ["le", "instance", "job"];
    for (const { name, labels } of named) {
      const metric = find(name);
      expect([name, metric !== undefined]).toEqual([name, true]);
      const unknown = labels.filter(
        (label = "") => !metric?.labels.includes(label) && !ofPrometheus.includes(label),
      );
      expect([name, unknown]).toEqual([name, []]);
    }
  },
);

test("the guide's page of metrics names every metric of the rules", () => {
  const page = readFileSync(join(deploy, "../docs/reference/metrics.md"), "utf8");
  for (const { name } of metricsIn(textOf("prometheus/alerts.yml"))) {
    expect(page).toContain(`\`${name.replace(/_(bucket|sum|count)$/, "")}\``);
  }
});

test("the board is one that Grafana imports: panels with ids, places and queries", () => {
  const board: unknown = JSON.parse(textOf("grafana/farthing.json"));
  const panels = isObject(board) && Array.isArray(board["panels"]) ? board["panels"] : [];
  expect(panels.length).toBeGreaterThan(10);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
  );
  expect(new Set(places).size).toBe(places.length);
  expect(places.every((place) => Number(place.split("/")[0]) < 24)).toBe(true);
  for (const { targets } of panels) expect(targets[0].expr).toMatch(/x402_|http_|ALERTS/);
});

describe.skipIf(!hasPrometheus)("with Prometheus", () => {
  test("the files are valid, and every rule fires in its unit test", () => {
    const config = promtool("check", "config", join(deploy, "prometheus/prometheus.yml"));
    expect([config.status, config.stderr]).toEqual([0, ""]);
    const tested = promtool("test", "rules", join(deploy, "prometheus/alerts.test.yml"));
    expect([tested.status, tested.stdout + tested.stderr]).toEqual([0, expect.any(String)]);
    // The unit test counts the alerts that fire when everything breaks.
    expect(textOf("prometheus/alerts.test.yml")).toContain(`value: ${rules.size} }`);
  });

  let devnet: Devnet;
  let served: Served;
  let prometheus: Prometheus;
  let isDatabaseGone = false;
  let isReadOnly = false;
  const clock = createSteeredClock();
  clock.hurryFromMs = 15_000;
  beforeAll(async () => {
    devnet = await startChain();
    const databaseUrl = newDatabaseUrl();
    const store = await openStore(databaseUrl);
    served = await serveOn(devnet, {
      databaseUrl,
      clock,
      store: {
        ...store,
        async ping() {
          if (isDatabaseGone) throw new Fault("storage_unavailable", "The database is gone");
          await store.ping();
        },
        async claimSettlements(...args) {
          if (isReadOnly) throw new Fault("storage_unavailable", "The database takes no writes");
          return store.claimSettlements(...args);
        },
      },
      // The gas of 48 payments of a contract wallet, in each half.
      env: {
        FARTHING_METRICS_PORT: "0",
        FARTHING_KEYLESS_GAS_PER_DAY: "0.48",
        FARTHING_TRUSTED_PROXIES: "127.0.0.1",
      },
    });
    prometheus = await startPrometheus(served.metricsUrl ?? "");
  });
  afterAll(async () => {
    await prometheus?.stop();
    await served?.stop();
    await devnet?.stop();
  });

  const isTrue = async (alert: string) =>
    (await prometheus.count(rules.get(alert) ?? "no such rule")) > 0;

  let callers = 0;
  /** Each from another network, because one alone gets a small share of the budget. */
  const settle = () => {
    const caller = { "x-forwarded-for": `10.0.${callers++}.1`, prefer: "respond-async" };
    return served.post("/settle", byContract(devnet), caller);
  };

  test("each alarm is true for what it is for, and not before", async () => {
    const six = [
      "FarthingQueueFull",
      "FarthingGasBudgetUsed",
      "FarthingWalletEmpty",
      "FarthingNodeLagging",
      "FarthingDatabaseGone",
      "FarthingSettlesFail",
    ];
    await devnet.mine();
    await expect.poll(() => prometheus.count("x402_rpc_head_age_seconds < 60")).toBe(1);
    await expect.poll(() => prometheus.count("x402_ready == 1")).toBe(2);
    for (const alert of six) expect([alert, await isTrue(alert)]).toEqual([alert, false]);

    // Every check of readiness succeeds meanwhile.
    isReadOnly = true;
    await Promise.all(Array.from({ length: 12 }, settle));
    await expect.poll(() => isTrue("FarthingSettlesFail")).toBe(true);
    expect(await prometheus.count("x402_ready == 1")).toBe(2);
    isReadOnly = false;

    // No block is mined: the payments of a contract wallet wait for one another.
    await devnet.rpc("evm_setAutomine", [false]);
    await Promise.all(Array.from({ length: 45 }, settle));
    // The first refusals of the process, all before the next look of Prometheus.
    await expect.poll(() => isTrue("FarthingQueueFull")).toBe(true);
    await expect.poll(() => isTrue("FarthingGasBudgetUsed")).toBe(true);

    await devnet.rpc("anvil_setBalance", [served.relayer, "0x1"]);
    await devnet.rpc("evm_mine", []);
    await expect.poll(() => isTrue("FarthingWalletEmpty")).toBe(true);

    clock.aheadMs = 120_000;
    await expect.poll(() => isTrue("FarthingNodeLagging")).toBe(true);

    expect(await isTrue("FarthingDatabaseGone")).toBe(false);
    isDatabaseGone = true;
    await expect.poll(() => isTrue("FarthingDatabaseGone")).toBe(true);
  });
});

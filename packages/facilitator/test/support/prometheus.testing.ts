/** A real Prometheus for tests: it scrapes a service every second and evaluates expressions. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "@farthing/protocol";

export interface Prometheus {
  /** The number of series for which an expression is true at this moment. */
  count(expression: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startPrometheus(metricsUrl: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-prometheus-"));
  const config = join(folder, "prometheus.yml");
  const target = JSON.stringify(new URL(metricsUrl).host);
  writeFileSync(
    config,
    `global: { scrape_interval: 1s }
scrape_configs: [{ job_name: farthing, static_configs: [{ targets: [${target}] }] }]
`,
  );
  const child = spawn("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    "--web.listen-address=127.0.0.1:0",
  ]);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /"Listening on" address=(127\.0\.0\.1:[1-9]\d*)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", () => reject(new Error(`Prometheus ended: ${output}`)));
  });
  return {
    async count(expression) {
      const query = new URLSearchParams({ query: expression });
      const response = await fetch(`http://${address}/api/v1/query?${query}`);
      const reply: unknown = await response.json();
      const data = isObject(reply) ? reply["data"] : undefined;
      const result = isObject(data) ? data["result"] : undefined;
      if (!Array.isArray(result)) throw new Error(`No result: ${JSON.stringify(reply)}`);
      return result.length;
    },
    async stop() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether Prometheus and its promtool are on this machine. */
import { spawnSync } from "node:child_process";

export const hasPrometheus = ["prometheus", "promtool"].every(
  (command) => spawnSync(command, ["--version"]).status === 0,
);

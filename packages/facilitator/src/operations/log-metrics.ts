/**
 * Counts the warnings and errors of the log by their events, so that what only the log tells can be
 * drawn and raise an alarm. Events are constants of the code; `none` stands for a line without one.
 */
import { findNetwork } from "@farthing/protocol";
import type { Registry } from "prom-client";
import type { Log } from "@farthing/engine/base";
import { counter } from "./make-metric.ts";

/** The events that say that another program sends from a wallet of ours. */
const usedElsewhere: ReadonlySet<unknown> = new Set(["nonce_conflict", "nonce_used_externally"]);

type Fields = Readonly<Record<string, unknown>>;

export function createLogWatch(registry: Registry, relayerIndex: (address: string) => string) {
  const lines = counter(registry, "x402_log_lines_total");
  const elsewhere = counter(registry, "x402_relayer_used_elsewhere_total");

  function count(level: "warn" | "error", fields: Fields): void {
    const { event, chainId, relayer } = fields;
    lines.inc({ level, event: typeof event === "string" ? event : "none" });
    const network = findNetwork(`eip155:${String(chainId)}`)?.id;
    if (!usedElsewhere.has(event) || typeof relayer !== "string" || !network) return;
    elsewhere.inc({ network, relayer_index: relayerIndex(relayer) });
  }

  return (log: Log): Log => ({
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn(fields, message) {
      count("warn", { ...fields });
      log.warn(fields, message);
    },
    error(fields, message) {
      count("error", { ...fields });
      log.error(fields, message);
    },
  });
}

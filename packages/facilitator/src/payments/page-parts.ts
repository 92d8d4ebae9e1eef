/** Parts that the pages about the service's state share. */
import { findNetwork, html, type Html } from "@farthing/protocol";
import type { ReadyCheck } from "./ready-check.ts";

export function badge(kind: "good" | "warn" | "plain", text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}

/** A check is named `database`, or after its network. */
export function checkName(check: string): string {
  return check === "database" ? "Database" : (findNetwork(check)?.name ?? check);
}

/** The checks of readiness, each with its result or what is wrong. */
export function checkList(checks: readonly ReadyCheck[]): Html {
  return html`<dl class="facts">
    ${checks.map(
      ({ name, ok, text }) =>
        html`<dt>${checkName(name)}</dt>
          <dd>${ok ? "OK" : html`${badge("warn", "Failing")} ${text ?? ""}`}</dd>`,
    )}
  </dl>`;
}

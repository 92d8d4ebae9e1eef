import type { Purchase, PurchaseState } from "@farthing/facilitator/api";
import { Timeline, type Step } from "../../components/timeline.tsx";

const way: readonly PurchaseState[] = ["awaiting_payment", "settling", "confirmed", "credited"];

const titles: Readonly<Record<PurchaseState, string>> = {
  awaiting_payment: "Waiting for payment",
  settling: "Payment signed and submitted",
  confirmed: "Settled on chain and final",
  credited: "Credits added",
  held: "Held for review",
  rejected: "Not credited",
  failed: "Failed",
  expired: "Expired",
  canceled: "Canceled",
};

export function PurchaseSteps({ purchase: { state, timeline } }: { readonly purchase: Purchase }) {
  const done: Step[] = timeline.map((one, index) => ({
    key: `${one.state} ${one.at}`,
    title: one.state === way[0] && index === 0 ? "Purchase started" : titles[one.state],
    at: one.at,
    look: lookOf(one.state),
  }));
  const at = way.indexOf(state);
  const ahead = at === -1 ? [] : way.slice(at + 1).map((one) => titles[one]);
  if (state === "awaiting_payment") ahead[0] = "Your signature";
  if (state === "held") ahead.push("Manual review");
  const waiting = ahead.map((title, index) => {
    return { key: title, title, look: index === 0 ? ("now" as const) : ("ahead" as const) };
  });
  return <Timeline steps={[...done, ...waiting]} />;
}

function lookOf(state: PurchaseState): Step["look"] {
  if (state === "held") return "warn";
  return state === "failed" || state === "rejected" ? "bad" : "done";
}

import type { Purchase, PurchaseState } from "@farthing/facilitator/api";
import { Timeline, type Step } from "../../components/timeline.tsx";

/** The states of a successful purchase. */
const way: readonly (readonly [PurchaseState, string])[] = [
  ["awaiting_payment", "Purchase started"],
  ["settling", "Payment signed and submitted"],
  ["confirmed", "Settled on chain and final"],
  ["credited", "Credits added"],
];

const waits: Readonly<Partial<Record<PurchaseState, string>>> = {
  awaiting_payment: "Your signature",
  settling: "Settled on chain and final",
  confirmed: "Credits added",
  held: "Manual review",
};

const words: Readonly<Record<PurchaseState, string>> = {
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
    title: one.state === "awaiting_payment" && index === 0 ? "Purchase started" : words[one.state],
    at: one.at,
    look: lookOf(one.state),
  }));
  const waiting = waits[state];
  if (waiting === undefined) return <Timeline steps={done} />;
  const at = way.findIndex(([one]) => one === state);
  const ahead = at === -1 ? [] : way.slice(at + 2).map(([, title]) => title);
  return (
    <Timeline
      steps={[
        ...done,
        { key: "now", title: waiting, look: "now" },
        ...ahead.map((title) => ({ key: title, title, look: "ahead" as const })),
      ]}
    />
  );
}

function lookOf(state: PurchaseState): Step["look"] {
  if (state === "held") return "warn";
  return state === "failed" || state === "rejected" ? "bad" : "done";
}

import type { SettlementDetail, TimelineStep } from "@farthing/facilitator/api";
import { isOver } from "../../api/queries.ts";
import { Timeline, type Step } from "../../components/timeline.tsx";
import { Short } from "../../components/values.tsx";

const titles: Readonly<Record<TimelineStep["what"], string>> = {
  queued: "Payment accepted",
  recovered: "Found on the network again",
  submitted: "Transfer being prepared",
  transaction: "Transfer sent to the network",
  confirmed: "Confirmed: the money has arrived",
  finalized: "Final: it cannot be taken back",
  failed: "Failed",
};

const waits = {
  queued: "Waiting to be sent",
  submitted: "Waiting until the network has taken it",
} as const;

export function SettlementTimeline({ settlement }: { readonly settlement: SettlementDetail }) {
  const { timeline, state } = settlement;
  const steps: Step[] = timeline.map((one, index) => ({
    key: `${index} ${one.what}`,
    title: titles[one.what],
    look: one.what === "failed" ? "bad" : "done",
    at: one.at,
    note: noteOf(one),
  }));
  if (isOver(settlement)) return <Timeline steps={steps} />;
  const waiting =
    state === "queued" || state === "submitted" ? waits[state] : "Waiting until it is final";
  return <Timeline steps={[...steps, { key: "now", title: waiting, look: "now" }]} />;
}

function noteOf({ transaction }: TimelineStep) {
  return transaction ? <Short text={transaction} what="transaction hash" /> : undefined;
}

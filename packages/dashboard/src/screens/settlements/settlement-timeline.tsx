import type { SettlementDetail, TimelineStep } from "@farthing/facilitator/api";
import { isOver } from "../../api/queries.ts";
import { Timeline, type Step } from "../../components/timeline.tsx";
import { Short } from "../../components/values.tsx";

const titles: Readonly<Record<TimelineStep["what"], string>> = {
  queued: "Accepted and queued",
  recovered: "Found on the chain again",
  submitted: "Taken up for sending",
  transaction: "Transaction signed and sent",
  confirmed: "Mined",
  finalized: "Final",
  failed: "Failed",
};

const waits = { queued: "Waiting for a transaction", submitted: "Waiting for the block" } as const;

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
    state === "queued" || state === "submitted" ? waits[state] : "Waiting for finality";
  return <Timeline steps={[...steps, { key: "now", title: waiting, look: "now" }]} />;
}

function noteOf({ transaction }: TimelineStep) {
  return transaction ? <Short text={transaction} what="transaction hash" /> : undefined;
}

/** What a person reads of a soak of channels. */
import type { ChannelSoakReport } from "./channel-soak.ts";

const labelWidth = 26;
const secondMs = 1_000;

const sum = (units: readonly bigint[]) => `${units.reduce((all, one) => all + one, 0n)}`;

export function channelPage({
  options,
  ledger,
  uses,
  transactions,
  ms,
  violations,
}: ChannelSoakReport): string {
  const { accounts, receivers } = ledger;
  const figures = {
    calls: `${options.calls} by ${accounts.length} stock clients, ${Math.round((options.calls * secondMs) / ms)} a second`,
    transactions: `${transactions}, of deposits, claims, sweeps and ${options.refunds} refunds`,
    delivered: `${sum(uses.map(({ delivered }) => delivered))} base units`,
    deposited: sum(accounts.map(({ deposited }) => deposited)),
    claimed: sum(accounts.map(({ claimed }) => claimed)),
    "sent to the seller": sum(receivers.map(({ totalSettled }) => totalSettled)),
    refunded: sum(accounts.map(({ refunded }) => refunded)),
    "left on the chain": sum(accounts.map(({ state }) => state.balance - state.totalClaimed)),
  };
  const lines = Object.entries(figures).map(
    ([label, value]) => `${label.padEnd(labelWidth)}${value}`,
  );
  const verdict =
    violations.length === 0
      ? "Every base unit is where it belongs."
      : violations.map(({ rule, text }) => `${rule}: ${text}`).join("\n");
  return ["", ...lines, "", verdict, ""].join("\n");
}

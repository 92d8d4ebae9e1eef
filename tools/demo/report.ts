/** The demo for programs: one JSON object. Amounts are decimal digits of base units. */
import type { Change } from "./balances.ts";
import type { UsedPass } from "./pass.ts";
import type { UsedBalance } from "./stream.ts";
import type { MadePayment } from "./payments.ts";
import type { MadeRefund } from "./refund.ts";
import type { DemoEnvironment } from "./environment.ts";

/** Everything that happened, ready for JSON. */
export function describeDemo(
  { devnet, network, facilitatorUrl, paidApi }: DemoEnvironment,
  payments: readonly MadePayment[],
  {
    pass,
    stream,
    refund,
  }: { readonly pass: UsedPass; readonly stream: UsedBalance; readonly refund: MadeRefund },
  changes: readonly Change[],
) {
  return {
    network: network.id,
    asset: network.usdc,
    rpcUrl: devnet.rpcUrl,
    facilitatorUrl,
    paidApiUrl: paidApi.publicUrl,
    pids: { demo: process.pid, chain: devnet.pid },
    payments,
    pass,
    stream,
    refund,
    balances: changes.map(({ before, after }) => ({
      holder: before.holder,
      address: before.address,
      usdcBefore: before.usdcUnits.toString(),
      usdcAfter: after.usdcUnits.toString(),
      coinBefore: before.coinWei.toString(),
      coinAfter: after.coinWei.toString(),
    })),
  };
}

/** Settles one payment on a local chain, with nothing but the engine: no HTTP, no accounts. */
import { startDevnet } from "@farthing/devnet";
import { createEngine, createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { networkOfChain, parsePaymentRequest } from "@farthing/protocol";
import { signPayment } from "./sign-payment.ts";

const devnet = await startDevnet();
const network = networkOfChain(devnet.chainId);
const engine = createEngine({
  networks: [{ network, rpcUrls: [new Secret(devnet.rpcUrl)] }],
  signers: createSigners({ keys: devnet.relayers.map((wallet) => new Secret(wallet.privateKey)) }),
  storage: { databaseUrl: "sqlite::memory:" },
});
try {
  await engine.start();
  // What a seller receives in the PAYMENT-SIGNATURE header, beside its own terms.
  const request = parsePaymentRequest(signPayment(devnet));
  if (!request.ok) throw new Error(request.refusal.message);
  const result = await engine.settle(request.value);
  if (result.kind !== "settlement") throw new Error(JSON.stringify(result));
  const { id, state, amount, transaction } = result.settlement;
  process.stdout.write(
    `${id} ${state}: ${amount} base units of USDC in transaction ${transaction}\n`,
  );
} finally {
  await engine.stop();
  await devnet.stop();
}

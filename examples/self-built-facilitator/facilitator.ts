/** A facilitator of your own on the engine: `/supported`, `/verify` and `/settle`, for your servers. */
import { createEngine, createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { networkOfChain, parsePaymentRequest } from "@farthing/protocol";
import fastify from "fastify";

const { DATABASE_URL = "sqlite:./engine.db", RPC_URL = "", RELAYER_KEY = "", PORT } = process.env;
const { id, usdc, domain } = networkOfChain(51);
const engine = createEngine({
  networks: [{ network: networkOfChain(51), rpcUrls: [new Secret(RPC_URL)] }],
  signers: createSigners({ keys: [new Secret(RELAYER_KEY)] }),
  storage: { databaseUrl: DATABASE_URL },
});
await engine.start();

const app = fastify();
const extra = { ...domain, assetTransferMethod: "eip3009" };
const kinds = [{ x402Version: 2, scheme: "exact", network: id, asset: usdc, extra }];
app.get("/supported", async () => ({ kinds, extensions: [], signers: {} }));

app.post("/verify", async ({ body }) => {
  const request = parsePaymentRequest(body);
  const verified = request.ok ? await engine.verify(request.value) : request;
  return verified.ok ? { isValid: true } : { isValid: false, invalidReason: verified.refusal.code };
});

const failed = (errorReason: string) => ({
  success: false,
  errorReason,
  transaction: "",
  network: id,
});
const pending = new Set<string>();
app.post("/settle", async ({ body }) => {
  const request = parsePaymentRequest(body);
  if (!request.ok) return failed(request.refusal.code);
  const result = await engine.settle(request.value);
  if (result.kind === "denied") return failed(result.code);
  if (result.kind === "refused") return failed(result.refusal.code);
  const { id: settlement, state, transaction, payer, failure } = result.settlement;
  // A success is reported once, because a payment can be shown to two sellers. A repeat gets it only
  // if the calls before it got no outcome.
  if (result.isRepeat && !pending.has(settlement))
    return { ...failed("already_settled"), transaction, payer };
  if (state === "queued" || state === "submitted") pending.add(settlement);
  else pending.delete(settlement);
  const reason = pending.has(settlement) ? "settlement_pending" : (failure ?? "settlement_failed");
  const told = state === "confirmed" ? { success: true } : failed(reason);
  return { ...told, transaction: transaction ?? "", network: id, payer };
});

console.log(`The facilitator listens on ${await app.listen({ port: Number(PORT) })}`);
process.once("SIGTERM", () => void app.close().then(() => engine.stop()));

/** A facilitator of your own on the engine: `/supported`, `/verify` and `/settle`, for your servers. */
import { createEngine, createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { createFacilitator } from "@farthing/engine/x402";
import { networkOfChain } from "@farthing/protocol";
import fastify from "fastify";

const { DATABASE_URL = "sqlite:./engine.db", RPC_URL = "", RELAYER_KEY = "", PORT } = process.env;
const engine = createEngine({
  networks: [{ network: networkOfChain(51), rpcUrls: [new Secret(RPC_URL)] }],
  signers: createSigners({ keys: [new Secret(RELAYER_KEY)] }),
  storage: { databaseUrl: DATABASE_URL },
});
await engine.start();

const facilitator = createFacilitator(engine);
const app = fastify();
app.get("/supported", async () => facilitator.supported());
app.post("/verify", async (request, reply) => {
  const { status, body } = await facilitator.verify(request.body);
  return reply.code(status).send(body);
});
app.post("/settle", async (request, reply) => {
  const { status, body } = await facilitator.settle(request.body, { caller: request.ip });
  return reply.code(status).send(body);
});

console.log(`The facilitator listens on ${await app.listen({ port: Number(PORT) })}`);
for (const signal of ["SIGTERM", "SIGINT"])
  process.once(signal, () => void app.close().then(() => engine.stop()));

/**
 * A facilitator of published packages behind Express, wired as the upstream example wires it:
 * `node stock-facilitator.mjs <folder of the packages>`, with the variables of `farthing conform`.
 */
import express from "express";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { CONFORM_RPC_URL, CONFORM_CHAIN_ID, CONFORM_KEY, CONFORM_NETWORK, PORT } = process.env;
const folder = new URL(`../${process.argv[2]}/facilitator.mjs`, import.meta.url);
const { x402Facilitator, toFacilitatorEvmSigner, registerExactEvmScheme } = await import(
  folder.href
);

const coin = { name: "XDC", symbol: "XDC", decimals: 18 };
const rpcUrls = { default: { http: [CONFORM_RPC_URL] } };
const chain = defineChain({
  id: Number(CONFORM_CHAIN_ID),
  name: "devnet",
  nativeCurrency: coin,
  rpcUrls,
});
const account = privateKeyToAccount(CONFORM_KEY);
const client = createWalletClient({ account, chain, transport: http() }).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (args) => client.getCode(args),
  readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
  verifyTypedData: (args) => client.verifyTypedData(args),
  writeContract: (args) => client.writeContract({ ...args, args: args.args ?? [] }),
  sendTransaction: (args) => client.sendTransaction(args),
  waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
});
const facilitator = new x402Facilitator();
registerExactEvmScheme(facilitator, { signer, networks: CONFORM_NETWORK });

const app = express();
app.use(express.json());
for (const call of ["verify", "settle"]) {
  app.post(`/${call}`, async (req, res) => {
    try {
      res.json(await facilitator[call](req.body.paymentPayload, req.body.paymentRequirements));
    } catch (error) {
      res.status(500).json({ error: error instanceof Error ? error.message : "Unknown error" });
    }
  });
}
app.get("/supported", (_req, res) => res.json(facilitator.getSupported()));
app.listen(Number(PORT), "127.0.0.1");

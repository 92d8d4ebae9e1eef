/**
 * The facilitator that everybody starts from: `@x402/core` and `@x402/evm` behind Express, wired as
 * the upstream example wires it, without the example's lines to the console. A program of its own:
 * `node reference-server.ts <flavour>`; it prints its address when it listens.
 *
 * | flavour        | what differs from the example                                              |
 * | -------------- | -------------------------------------------------------------------------- |
 * | `example`      | nothing                                                                    |
 * | `tuned`        | viem's nonce manager, JSON-RPC batching, polls every 200 ms instead of 4 s |
 * | `tuned-legacy` | tuned, and legacy transactions with fixed gas and gas price                |
 */
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import express from "express";
import {
  createWalletClient,
  http,
  nonceManager,
  publicActions,
  type Hex,
  type TypedData,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { xdcTestnet } from "viem/chains";

/** How the reference is wired. */
export const flavours = ["example", "tuned", "tuned-legacy"] as const;

/** A way to wire the reference. */
export type Flavour = (typeof flavours)[number];

/** Five looks in a block of one second; more only cost CPU. */
const tunedPollMs = 200;

/** Above what one transfer of the devnet's token takes, 82,000. */
const fixedGas = 120_000n;

/** XDC's lowest price, 12.5 gwei. */
const fixedGasPriceWei = 12_500_000_000n;

/** The wallet of the reference, through which it reads the chain and sends. */
export function createReferenceSigner(flavour: Flavour, rpcUrl: string, privateKey: Hex) {
  const isTuned = flavour !== "example";
  const account = privateKeyToAccount(privateKey, isTuned ? { nonceManager } : {});
  const client = createWalletClient({
    account,
    chain: xdcTestnet,
    transport: http(rpcUrl, { batch: isTuned }),
    ...(isTuned && { pollingInterval: tunedPollMs }),
  }).extend(publicActions);
  const fixed =
    flavour === "tuned-legacy"
      ? ({ type: "legacy", gas: fixedGas, gasPrice: fixedGasPriceWei } as const)
      : {};
  return toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => client.getCode(args),
    readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: ({ types, ...args }) => {
      if (!isTyped(types)) throw new Error("The package passes types that are none");
      return client.verifyTypedData({ ...args, types, blockTag: "latest" });
    },
    writeContract: (args) => client.writeContract({ ...args, ...fixed }),
    sendTransaction: (args) => client.sendTransaction({ ...args, ...fixed }),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
  });
}

function createFacilitator(flavour: Flavour, rpcUrl: string, privateKey: Hex) {
  return registerExactEvmScheme(new x402Facilitator(), {
    signer: createReferenceSigner(flavour, rpcUrl, privateKey),
    networks: `eip155:${xdcTestnet.id}`,
  });
}

/** The package's own type is wider than viem's. */
function isTyped(types: Record<string, unknown>): types is Record<string, unknown> & TypedData {
  return Object.values(types).every(Array.isArray);
}

interface PaymentRequest {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

/** The upstream example's routes. */
export function createReferenceApp(facilitator: x402Facilitator) {
  const app = express();
  app.use(express.json());
  const routes = {
    "/verify": (asked: PaymentRequest) =>
      facilitator.verify(asked.paymentPayload, asked.paymentRequirements),
    "/settle": (asked: PaymentRequest) =>
      facilitator.settle(asked.paymentPayload, asked.paymentRequirements),
  };
  for (const [path, verifyPayment] of Object.entries(routes)) {
    app.post(path, (req, res) => {
      verifyPayment(req.body).then(
        (answer) => res.json(answer),
        (error: unknown) =>
          res.status(500).json({ error: error instanceof Error ? error.message : "Unknown error" }),
      );
    });
  }
  return app;
}

function serve(facilitator: x402Facilitator): void {
  const app = createReferenceApp(facilitator);
  const server = app.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") {
      process.stderr.write(`Reference listens on http://127.0.0.1:${address.port}\n`);
    }
  });
}

if (import.meta.main) {
  const [flavour] = process.argv.slice(2);
  const { BENCH_RPC_URL: rpcUrl, BENCH_RELAYER_KEY: key } = process.env;
  const known = flavours.find((name) => name === flavour);
  if (!known || !rpcUrl || !key?.startsWith("0x")) {
    throw new Error(`Give one of ${flavours.join(", ")}, BENCH_RPC_URL and BENCH_RELAYER_KEY`);
  }
  serve(createFacilitator(known, rpcUrl, `0x${key.slice(2)}`));
}

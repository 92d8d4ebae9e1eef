/** The stock facilitator of 2.27, in this process, on the same chain as ours. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { createWalletClient, http, publicActions, type Address, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { xdcTestnet } from "viem/chains";
import { chainId, network } from "../deployment.ts";
import { labelV1, type WireRequest } from "./requests.ts";

/** What the class returns to both questions; the members that are compared. */
export interface StockResponse {
  readonly isValid?: boolean;
  readonly invalidReason?: string;
  readonly success?: boolean;
  readonly errorReason?: string;
}

/** The stock facilitator. Both calls may throw, as the class does. */
export interface StockFacilitator {
  verify(request: WireRequest): Promise<StockResponse>;
  settle(request: WireRequest): Promise<StockResponse>;
}

interface FacilitatorClass {
  register(networks: string, scheme: object): FacilitatorClass;
  registerV1(networks: string[], scheme: object): FacilitatorClass;
  verify(payload: object, requirements: object): Promise<StockResponse>;
  settle(payload: object, requirements: object): Promise<StockResponse>;
}

interface FacilitatorPackages {
  readonly x402Facilitator: new () => FacilitatorClass;
  readonly toFacilitatorEvmSigner: (signer: object) => object;
  readonly ExactEvmFacilitator: new (signer: object) => object;
  readonly ExactEvmFacilitatorV1: new (signer: object) => object;
  readonly EVM_NETWORK_CHAIN_ID_MAP: Record<string, number>;
}

/** Five looks in a block of one second. */
const pollMs = 200;

/** Thirty blocks. */
const receiptTimeoutMs = 30_000;

/** Starts one with a relayer wallet of its own. */
export async function createStockFacilitator(
  { rpcUrl }: Devnet,
  { privateKey }: DevnetWallet,
): Promise<StockFacilitator> {
  const stock: FacilitatorPackages = await import(
    new URL("../stock/2.27/index.mjs", import.meta.url).href
  );
  // Stock version 1 has a closed list of labels without XDC's; everything else of it is unchanged.
  stock.EVM_NETWORK_CHAIN_ID_MAP[labelV1] = chainId;
  const client = createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: xdcTestnet,
    transport: http(rpcUrl, { batch: true }),
    pollingInterval: pollMs,
  }).extend(publicActions);
  const signer = stock.toFacilitatorEvmSigner({
    address: client.account.address,
    getCode: (args: { address: Address }) => client.getCode(args),
    readContract: (args: Parameters<typeof client.readContract>[0]) =>
      client.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: (args: Parameters<typeof client.verifyTypedData>[0]) =>
      client.verifyTypedData(args),
    writeContract: (args: Parameters<typeof client.writeContract>[0]) => client.writeContract(args),
    sendTransaction: (args: Parameters<typeof client.sendTransaction>[0]) =>
      client.sendTransaction(args),
    waitForTransactionReceipt: (args: { hash: Hex }) =>
      client.waitForTransactionReceipt({ ...args, timeout: receiptTimeoutMs }),
  });
  const facilitator = new stock.x402Facilitator()
    .register(network, new stock.ExactEvmFacilitator(signer))
    .registerV1([labelV1], new stock.ExactEvmFacilitatorV1(signer));
  // One settle at a time: the next transaction takes its nonce from the node, and a settle that the
  // node refuses leaves no gap.
  let last: Promise<unknown> = Promise.resolve();
  return {
    verify: (request) => facilitator.verify(request.paymentPayload, request.paymentRequirements),
    settle(request) {
      const { paymentPayload, paymentRequirements } = request;
      const settled = last.then(() => facilitator.settle(paymentPayload, paymentRequirements));
      last = settled.catch(() => undefined);
      return settled;
    },
  };
}

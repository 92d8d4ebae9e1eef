/** Signed payments in stock: they are made before the clock starts. */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import {
  authorizationDigest,
  networkOfChain,
  toWireAuthorization,
  type Address,
  type Authorization,
  type Hex,
  type Network,
} from "@farthing/protocol";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";

/** Makes bodies of /verify and /settle. */
export interface Mint {
  /** So many payments, each with a nonce of its own, from all payers in turn. */
  make(count: number, payees?: readonly Address[]): string[];
}

/** One US cent in base units. */
const priceUnits = 10_000n;

/** Longer than a whole measurement. */
const validSeconds = 7_200n;

/** Signs for one account: what it signs is the digest of an authorization. */
export interface Payer {
  readonly address: Address;
  sign(digest: Hex): Hex;
}

/** Compiles the signing code and opens the mint. Without `payers`, the devnet's buyers pay. */
export async function openMint(
  devnet: Devnet,
  payers: readonly Payer[] = devnet.buyers.map(payerOf),
): Promise<Mint> {
  await compileSignatures();
  const network = networkOfChain(devnet.chainId);
  const validBefore = BigInt(Math.floor(Date.now() / 1000)) + validSeconds;
  let made = 0;
  return {
    make(count, payees = [devnet.seller.address]) {
      return Array.from({ length: count }, () => {
        made += 1;
        const payer = pick(payers, made);
        return signedBody(network, payer, { to: pick(payees, made), validBefore, serial: made });
      });
    },
  };
}

/** Signs with the key of an account. */
export function payerOf({ address, privateKey }: DevnetWallet): Payer {
  return {
    address,
    sign: (payload) => Signature.toHex(Secp256k1.sign({ payload, privateKey })),
  };
}

function pick<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length];
  if (item === undefined) throw new Error("Nothing to pick from");
  return item;
}

function signedBody(
  network: Network,
  payer: Payer,
  { to, validBefore, serial }: { to: Address; validBefore: bigint; serial: number },
): string {
  const authorization: Authorization = {
    from: payer.address,
    to,
    value: priceUnits,
    validAfter: 0n,
    validBefore,
    nonce: `0x${serial.toString(16).padStart(64, "0")}`,
  };
  const signature = payer.sign(authorizationDigest(network, authorization));
  const accepted = {
    scheme: "exact",
    network: network.id,
    amount: priceUnits.toString(),
    asset: network.usdc,
    payTo: to,
    maxTimeoutSeconds: 120,
    extra: { assetTransferMethod: "eip3009", ...network.domain },
  };
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource: { url: "https://api.example/report", description: "A report", mimeType: "" },
      accepted,
      payload: {
        signature,
        authorization: toWireAuthorization(authorization),
      },
    },
    paymentRequirements: accepted,
  });
}

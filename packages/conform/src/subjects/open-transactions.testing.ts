/** The transactions of the honest facilitator: written to a file before they are sent, one wallet. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { networkOfChain, type ChainId, type Hex } from "@farthing/protocol";
import * as Address from "ox/Address";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeLegacy from "ox/TxEnvelopeLegacy";

/** What a wallet signed for one payment. */
export interface OpenTransaction {
  /** Payer and nonce of the authorization. */
  readonly key: string;
  readonly nonce: number;
  readonly raw: Hex;
  readonly hash: Hex;
  readonly gasPriceWei: string;
}

const gasLimit = 200_000n;

/** Opens the file; transactions of an earlier process are still there. */
export function openTransactions(path: string, chainId: ChainId, privateKey: Hex) {
  /** Those that this process has signed. */
  const signedNow = new Set<string>();
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  const written: OpenTransaction[] = lines.filter(Boolean).map((line) => JSON.parse(line));
  const open = new Map(written.map((one) => [one.key, one]));
  let nextNonce = Math.max(-1, ...written.map(({ nonce }) => nonce)) + 1;
  return {
    address: Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey })),
    find: (key: string) => open.get(key),
    all: () => [...open.values()],
    isOfEarlierProcess: (key: string) => open.has(key) && !signedNow.has(key),
    /** Signs with the next nonce, or with that of the transaction that it replaces. */
    sign(key: string, data: Hex, gasPrice: bigint): OpenTransaction {
      const nonce = open.get(key)?.nonce ?? nextNonce++;
      const envelope = TxEnvelopeLegacy.from({
        chainId,
        nonce: BigInt(nonce),
        gasPrice,
        gas: gasLimit,
        to: networkOfChain(chainId).usdc,
        data,
      });
      const payload = TxEnvelopeLegacy.getSignPayload(envelope);
      const signed = TxEnvelopeLegacy.from(envelope, {
        signature: Secp256k1.sign({ payload, privateKey }),
      });
      const raw = TxEnvelopeLegacy.serialize(signed);
      const hash = TxEnvelopeLegacy.hash(signed);
      const transaction = { key, nonce, raw, hash, gasPriceWei: `${gasPrice}` };
      open.set(key, transaction);
      signedNow.add(key);
      appendFileSync(path, `${JSON.stringify(transaction)}\n`);
      return transaction;
    },
    /** The payment's next transaction has this nonce or a later one. */
    forget(key: string, nonce: number) {
      open.delete(key);
      nextNonce = Math.max(nextNonce, nonce);
    },
  };
}

/** Ways to be refused for the signature. */
import type { Devnet, WalletMode } from "@farthing/devnet";
import { bodyOn, byContract, newNonce, walletAt, withMember } from "./facilitator.testing.ts";
import type { RefusalCase } from "./refusal-cases.testing.ts";
import { toErc6492, toHighS } from "./signature-forms.testing.ts";

const authorization = "paymentPayload.payload.authorization";

const wallet = (mode: WalletMode) => ({
  arrange: (at: Devnet) => at.walletMode(mode),
  restore: (at: Devnet) => at.walletMode("owner-signed"),
});

/** Gives a plain account the code that a delegation to the contract wallet leaves (EIP-7702). */
const delegated = {
  arrange: (at: Devnet) => setCode(at, `0xef0100${at.smartWallet.address.slice(2).toLowerCase()}`),
  restore: (at: Devnet) => setCode(at, "0x"),
};

async function setCode(at: Devnet, code: string): Promise<void> {
  await at.rpc("anvil_setCode", [walletAt(at.buyers, 4).address, code]);
}

export const signatureCases: RefusalCase[] = [
  {
    name: "another wallet's signature",
    code: "invalid_signature",
    says: /does not recover to authorization\.from; sign the EIP-712 domain name USDC/,
    body: (at) =>
      bodyOn(at, {
        payer: walletAt(at.buyers, 1),
        authorization: { from: walletAt(at.buyers, 0).address },
      }),
  },
  {
    name: "a nonce other than the signed one",
    code: "invalid_signature",
    says: /does not recover/,
    body: (at) => withMember(bodyOn(at), `${authorization}.nonce`, newNonce()),
  },
  {
    name: "a signature of no bytes",
    code: "invalid_signature",
    says: /does not recover/,
    body: (at) => bodyOn(at, { alter: () => "0x" }),
  },
  {
    name: "r and s zero",
    code: "invalid_signature",
    says: /does not recover/,
    body: (at) => bodyOn(at, { alter: () => `0x${"00".repeat(64)}1b` }),
  },
  {
    name: "66 bytes",
    code: "invalid_signature",
    says: /does not recover/,
    body: (at) => bodyOn(at, { alter: (signature) => `${signature}00` }),
  },
  {
    name: "high s",
    code: "invalid_signature",
    says: /high s value; sign again with low s/,
    body: (at) => bodyOn(at, { alter: toHighS }),
  },
  {
    name: "a contract wallet that rejects the signature",
    code: "invalid_signature",
    says: /contract wallet and does not accept.*sign with its owner/,
    body: (at) => byContract(at),
    ...wallet("refuse"),
  },
  {
    name: "a contract wallet that reverts",
    code: "invalid_signature",
    says: /contract wallet and does not accept/,
    body: (at) => byContract(at),
    ...wallet("revert"),
  },
  {
    name: "a contract wallet signed for by a third party",
    code: "invalid_signature",
    says: /contract wallet and does not accept/,
    body: (at) => byContract(at, { payer: walletAt(at.buyers, 2) }),
  },
  {
    name: "a delegation that does not accept the payer's own key",
    code: "invalid_signature",
    says: /payer has code: a delegation to 0x1271000000000000000000000000000000001271 \(EIP-7702\).*The key of authorization\.from has signed it, but the token asks the code first/,
    body: (at) => bodyOn(at, { payer: walletAt(at.buyers, 4) }),
    ...delegated,
  },
  {
    name: "a delegation signed for by a third party",
    code: "invalid_signature",
    says: /payer has code: a delegation to 0x1271.*\. The token asks the code first/,
    body: (at) =>
      bodyOn(at, {
        payer: walletAt(at.buyers, 1),
        authorization: { from: walletAt(at.buyers, 4).address },
      }),
    ...delegated,
  },
  {
    name: "a contract wallet that burns all gas",
    code: "simulation_failed",
    says: /needs more gas than a payment may use; simplify/,
    body: (at) => byContract(at),
    ...wallet("burn-gas"),
  },
  {
    name: "a contract wallet that answers with a bomb",
    code: "simulation_failed",
    says: /needs more gas than a payment may use; simplify/,
    body: (at) => byContract(at),
    ...wallet("return-bomb"),
  },
  {
    name: "a wallet that is not deployed",
    code: "wallet_not_deployed",
    says: /not deployed; deploy it first/,
    body: (at) =>
      bodyOn(at, {
        authorization: { from: `0x${"33".repeat(20)}` },
        alter: toErc6492,
      }),
  },
  {
    name: "a plain wallet's signature in the wrapping of an undeployed one",
    code: "wallet_not_deployed",
    says: /not deployed; deploy it first/,
    body: (at) => bodyOn(at, { alter: toErc6492 }),
  },
  {
    name: "a wrapping that is malformed, of a wallet that is not deployed",
    code: "wallet_not_deployed",
    says: /not deployed; deploy it first/,
    body: (at) => bodyOn(at, { alter: (signature) => `${signature}${"6492".repeat(16)}` }),
  },
  {
    name: "a wrapping that is malformed, of a deployed wallet",
    code: "invalid_signature",
    says: /wrapping is malformed; the wallet is deployed, so send its signature without it/,
    body: (at) => byContract(at, { alter: (signature) => `${signature}${"6492".repeat(16)}` }),
  },
  {
    name: "a wrapped signature of a third party for a deployed wallet",
    code: "invalid_signature",
    says: /contract wallet and does not accept/,
    body: (at) => byContract(at, { payer: walletAt(at.buyers, 2), alter: toErc6492 }),
  },
];

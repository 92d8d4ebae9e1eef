/**
 * Small changes to production rules, each of which breaks a promise. The model has to find every one of
 * them; a test holds this list to the files. That a replacement is dearer is no promise of the model, in
 * which one at the same price is the same bytes and changes nothing: the tests of prices find that.
 */

export interface Mutant {
  /** What the changed rule says. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly text: string;
  readonly instead: string;
}

const settlement = "packages/engine/src/model/settlement.ts";
const transaction = "packages/engine/src/model/relayer-transaction.ts";
const used = "packages/engine/src/relayer/used-nonces.ts";
const proofs = "packages/engine/src/settlement/chain-proofs.ts";
const recovery = "packages/engine/src/relayer/recovery-action.ts";
const lost = "packages/engine/src/model/lost-commits.ts";

export const mutants: readonly Mutant[] = [
  {
    name: "a queued payment is not submitted by its signature",
    file: settlement,
    text: 'signed: { from: ["queued", "submitted"]',
    instead: 'signed: { from: ["submitted"]',
  },
  {
    name: "a queued payment is not confirmed",
    file: settlement,
    text: 'confirmed: { from: ["queued", "submitted", "failed"]',
    instead: 'confirmed: { from: ["submitted", "failed"]',
  },
  {
    name: "a submitted payment is not confirmed",
    file: settlement,
    text: 'confirmed: { from: ["queued", "submitted", "failed"]',
    instead: 'confirmed: { from: ["queued", "failed"]',
  },
  {
    name: "a failed payment is not confirmed",
    file: settlement,
    text: 'confirmed: { from: ["queued", "submitted", "failed"]',
    instead: 'confirmed: { from: ["queued", "submitted"]',
  },
  {
    name: "a queued payment does not fail",
    file: settlement,
    text: 'failed: { from: ["queued", "submitted"]',
    instead: 'failed: { from: ["submitted"]',
  },
  {
    name: "a failure is recorded as a confirmation",
    file: settlement,
    text: 'failed: { from: ["queued", "submitted"], to: "failed" }',
    instead: 'failed: { from: ["queued", "submitted"], to: "confirmed" }',
  },
  {
    name: "a confirmation is recorded as a failure",
    file: settlement,
    text: '"failed"], to: "confirmed" }',
    instead: '"failed"], to: "failed" }',
  },
  {
    name: "a payment is requeued while a transaction carries it",
    file: settlement,
    text: 'to: "queued", only: "uncarried"',
    instead: 'to: "queued"',
  },
  {
    name: "a submitted payment is not requeued",
    file: settlement,
    text: 'requeued: { from: ["submitted"]',
    instead: 'requeued: { from: ["queued"]',
  },
  {
    name: "a payment is requeued as submitted",
    file: settlement,
    text: 'requeued: { from: ["submitted"], to: "queued"',
    instead: 'requeued: { from: ["submitted"], to: "submitted"',
  },
  {
    name: "a reorganised payment stays confirmed",
    file: settlement,
    text: 'reorganised: { from: ["confirmed"], to: "submitted"',
    instead: 'reorganised: { from: ["confirmed"], to: "confirmed"',
  },
  {
    name: "a reorganised payment fails",
    file: settlement,
    text: 'reorganised: { from: ["confirmed"], to: "submitted"',
    instead: 'reorganised: { from: ["confirmed"], to: "failed"',
  },
  {
    name: "finality is recorded of no payment",
    file: settlement,
    text: 'finalized: { from: ["confirmed"], to: "confirmed"',
    instead: 'finalized: { from: ["submitted"], to: "confirmed"',
  },
  {
    name: "a final payment is submitted again",
    file: settlement,
    text: 'finalized: { from: ["confirmed"], to: "confirmed"',
    instead: 'finalized: { from: ["confirmed"], to: "submitted"',
  },
  {
    name: "queued payments are not open",
    file: settlement,
    text: 'openStates = ["queued", "submitted"]',
    instead: 'openStates = ["submitted"]',
  },
  {
    name: "signed transactions are not open",
    file: transaction,
    text: '  "intent",\n  "signed",\n  "sent",\n] as const',
    instead: '  "intent",\n  "sent",\n] as const',
  },
  {
    name: "sent transactions are not open",
    file: transaction,
    text: '  "intent",\n  "signed",\n  "sent",\n] as const',
    instead: '  "intent",\n  "signed",\n] as const',
  },
  {
    name: "nothing is stored as signed",
    file: transaction,
    text: 'signed: { from: ["intent"]',
    instead: 'signed: { from: ["sent"]',
  },
  {
    name: "signed bytes leave the transaction unsigned",
    file: transaction,
    text: 'signed: { from: ["intent"], to: "signed"',
    instead: 'signed: { from: ["intent"], to: "intent"',
  },
  {
    name: "signed bytes count as dropped",
    file: transaction,
    text: 'signed: { from: ["intent"], to: "signed"',
    instead: 'signed: { from: ["intent"], to: "dropped"',
  },
  {
    name: "sent bytes count as dropped",
    file: transaction,
    text: 'sent: { from: ["signed"], to: "sent"',
    instead: 'sent: { from: ["signed"], to: "dropped"',
  },
  {
    name: "a mined transaction counts as dropped",
    file: transaction,
    text: 'mined: { from: openTransactionStates, to: "mined"',
    instead: 'mined: { from: openTransactionStates, to: "dropped"',
  },
  {
    name: "a mined transaction is not opened again",
    file: transaction,
    text: 'reopened: { from: ["mined", "dropped"]',
    instead: 'reopened: { from: ["dropped"]',
  },
  {
    name: "a transaction is opened again as dropped",
    file: transaction,
    text: '"dropped"], to: "sent"',
    instead: '"dropped"], to: "dropped"',
  },
  {
    name: "a payment is failed before its block is final",
    file: used,
    text: 'if (blocks.finalized < blockNumber) return "wait";\n',
    instead: "",
  },
  {
    name: "a used nonce is never resolved",
    file: used,
    text: 'open.carried > 0 ? "resolve" : "close"',
    instead: 'open.carried > 0 ? "wait" : "close"',
  },
  {
    name: "an unused nonce counts as used by others",
    file: used,
    text: "count > nonce && receipts",
    instead: "count >= nonce && receipts",
  },
  {
    name: "a nonce is never given up to others",
    file: used,
    text: "count > nonce && receipts",
    instead: "count < nonce && receipts",
  },
  {
    name: "a cancellation counts before it is final",
    file: proofs,
    text: "return isAuthorizedTransfer(proof) || proof.event.blockNumber <= finalizedNumber;",
    instead: "return true;",
  },
  {
    name: "a cancellation never counts",
    file: proofs,
    text: "return isAuthorizedTransfer(proof) || proof.event.blockNumber <= finalizedNumber;",
    instead: "return isAuthorizedTransfer(proof);",
  },
  {
    name: "a cancellation counts after it is final for a block",
    file: proofs,
    text: "proof.event.blockNumber <= finalizedNumber;",
    instead: "proof.event.blockNumber < finalizedNumber;",
  },
  {
    name: "a transfer is no proof",
    file: proofs,
    text: '    kind === "used" &&',
    instead: '    kind === "canceled" &&',
  },
  {
    name: "a transfer of another amount is a proof, and the signed one is none",
    file: proofs,
    text: "transfer.value === settlement.amount",
    instead: "transfer.value !== settlement.amount",
  },
  {
    name: "signed bytes are not sent",
    file: recovery,
    text: '    case "unsent":\n      return "send";',
    instead: '    case "unsent":\n      return "wait";',
  },
  {
    name: "what is too cheap is not priced again",
    file: recovery,
    text: 'return pending.unresolved.size === 0 ? "cancel" : "reprice";\n  }\n  const sinceSend',
    instead: 'return "wait";\n  }\n  const sinceSend',
  },
  {
    name: "nothing is priced again where the price is within the bounds",
    file: recovery,
    text: 'if (!price.isPaid) return "wait";',
    instead: 'if (price.isPaid) return "wait";',
  },
  {
    name: "a send without a reply is not repeated",
    file: recovery,
    text: 'return pending.refusals >= refusalsMax ? "move" : "send";',
    instead: 'return "wait";',
  },
  {
    name: "a dearer transaction is planned and not made",
    file: recovery,
    text: 'return action === "reprice" || action',
    instead: "return action",
  },
  {
    name: "a signature leaves a payment queued",
    file: settlement,
    text: 'signed: { from: ["queued", "submitted"], to: "submitted"',
    instead: 'signed: { from: ["queued", "submitted"], to: "queued"',
  },
  {
    name: "a confirmation leaves a payment submitted",
    file: settlement,
    text: '"failed"], to: "confirmed" }',
    instead: '"failed"], to: "submitted" }',
  },
  {
    name: "a failure leaves a payment queued",
    file: settlement,
    text: 'failed: { from: ["queued", "submitted"], to: "failed" }',
    instead: 'failed: { from: ["queued", "submitted"], to: "queued" }',
  },
  {
    name: "signed bytes count as mined",
    file: transaction,
    text: 'signed: { from: ["intent"], to: "signed"',
    instead: 'signed: { from: ["intent"], to: "mined"',
  },
  {
    name: "sent bytes count as mined",
    file: transaction,
    text: 'sent: { from: ["signed"], to: "sent"',
    instead: 'sent: { from: ["signed"], to: "mined"',
  },
  {
    name: "a transaction is opened again as mined",
    file: transaction,
    text: '"dropped"], to: "sent"',
    instead: '"dropped"], to: "mined"',
  },
  {
    name: "a receipt waits for blocks that were read",
    file: used,
    text: "if (blockNumber > blocks.head)",
    instead: "if (blockNumber <= blocks.head)",
  },
  {
    name: "a transfer to another payee is a proof, and the signed one is none",
    file: proofs,
    text: "isSameAddress(transfer.to, settlement.payTo)",
    instead: "!isSameAddress(transfer.to, settlement.payTo)",
  },
  {
    name: "a transfer of another payer is a proof, and the signed one is none",
    file: proofs,
    text: "isSameAddress(transfer.from, settlement.payer)",
    instead: "!isSameAddress(transfer.from, settlement.payer)",
  },
  {
    name: "ours is given up although it has a receipt",
    file: used,
    text: "count > nonce && receipts.every((one) => one === undefined)",
    instead: "count > nonce && !receipts.every((one) => one === undefined)",
  },
  {
    // Found only with a node that is behind.
    name: "ours is given up where the first node that is asked lacks its receipt",
    file: used,
    text: "count > nonce && receipts.every((one) => one === undefined)",
    instead: "count > nonce",
  },
  {
    // These are found only with a database that loses commits.
    name: "a wallet of which the chain has more shows no loss",
    file: lost,
    text: "return nextNonce < count;",
    instead: "return false;",
  },
  {
    name: "a payment is refused while its lost transaction may be mined",
    file: lost,
    text: "return finalCount < known;",
    instead: "return finalCount > known;",
  },
  {
    name: "a transfer whose payment the database has lost is not claimed",
    file: lost,
    text: 'if (!settlement) return "claim";',
    instead: 'if (!settlement) return "nothing";',
  },
];

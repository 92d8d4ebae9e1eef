/**
 * What the project promises, and what shows it: the source of docs/guarantees.md and of the list for
 * programs. A test holds every name of a test, a rule, an invariant and a case to the files.
 */

/** What shows a promise. */
export interface Evidence {
  /** Test files, each with the title of a test, or undefined for all of the file. */
  readonly tests: readonly (readonly [file: string, title?: string])[];
  /** Rules of the audit that follows each run of the simulator and the soak. */
  readonly rules: readonly string[];
  /** Invariants of the model of the engine. */
  readonly invariants?: readonly string[];
  /** Cases of `farthing conform`. */
  readonly cases?: readonly string[];
  /** Recovery paths of the engine, which the simulator and the soak count. */
  readonly paths?: readonly string[];
}

export interface Guarantee {
  /** Stable: pages and programs refer to it. */
  readonly id: string;
  /** One sentence. */
  readonly promise: string;
  /** What has to hold for it. */
  readonly conditions: string;
  /** What it does not say. */
  readonly limits: string;
  readonly evidence: Evidence;
}

export const guarantees: readonly Guarantee[] = [
  {
    id: "money-moves-once",
    promise: "One authorization moves money at most once.",
    conditions:
      "The token's contract keeps its rule that a nonce is used once. Crashes, repeats, races, replaced transactions, reorganisations and a database that lost its last seconds are covered.",
    limits:
      "A buyer who signs two authorizations pays twice; Farthing's own buyer does not, see “no-second-signature”.",
    evidence: {
      tests: [
        ["packages/facilitator/test/crash/crash.suite.ts"],
        [
          "packages/facilitator/test/chain/lost-commits.test.ts",
          "a payment that was lost is recovered by its repeat: nobody is told to pay again, and it is told once",
        ],
        [
          "packages/facilitator/test/chain/reorganisation.test.ts",
          "of our transaction: the same bytes confirm again",
        ],
        [
          "tools/soak/soak.test.ts",
          "nothing is lost and nothing doubled while processes are killed",
        ],
      ],
      rules: [
        "used once",
        "one settlement",
        "the same bytes first",
        "stored before sent",
        "every step is the model's",
      ],
      invariants: [
        "a payment gets a new nonce only when the old one is used by another transaction",
        "what reached a node is stored",
      ],
      cases: [
        "equal-calls-at-once",
        "answer-lost",
        "killed-before-the-send",
        "killed-after-the-send",
        "killed-before-the-receipt",
        "stuck-transaction",
      ],
      paths: [
        "the same bytes are sent again",
        "a transaction is replaced at a higher price",
        "a payment that the database had lost is found",
      ],
    },
  },
  {
    id: "paid-is-served",
    promise: "A buyer who has paid is served, or can prove the payment.",
    conditions:
      "The seller's payment records are on a disk or in a database; the buyer keeps the payment until it has the response.",
    limits:
      "A seller who stops for good serves nobody: the receipt and the chain show the payment, and a refund is the seller's decision. A repeat without a proof that it comes from the same buyer gets the receipt, not the content.",
    evidence: {
      tests: [
        [
          "tools/e2e/sellers/one-payment-one-response.test.ts",
          "hands the same report out again when its answer was lost",
        ],
        [
          "tools/e2e/sellers/one-payment-one-response.test.ts",
          "an answer of /settle that is lost costs the buyer nothing",
        ],
        ["packages/seller/src/bound-repeats.suite.ts"],
        ["packages/seller/src/payment-records/rules/repeats.suite.ts"],
      ],
      rules: ["paid is paid", "the seller has it", "a claim is remembered"],
      cases: ["settle-answer-lost", "equal-requests-in-a-row"],
    },
  },
  {
    id: "nothing-unpaid",
    promise: "Nobody is served without paying, and one payment opens one response.",
    conditions:
      "With `serveWhen: confirmed`, the default, content is sent after the transfer is confirmed. The API behind a gateway is reachable through it alone.",
    limits:
      "`serveWhen: queued` serves before confirmation, for a facilitator inside the seller's process. A chain that reverts a confirmed block takes a payment back: large amounts can wait until they are final.",
    evidence: {
      tests: [
        [
          "tools/e2e/sellers/one-payment-one-response.test.ts",
          "opens nothing else for a payment that has opened a report",
        ],
        ["packages/gateway/src/path-tricks.test.ts", "no address by %s opens what is sold"],
        [
          "tools/e2e/gateway/forward-authorization.test.ts",
          "no address and no claim opens what is sold",
        ],
        [
          "packages/seller/src/payment-records/rules/payment-records.suite.ts",
          "of many at once goes to one",
        ],
      ],
      rules: ["confirmed is paid", "deep enough"],
      invariants: ["no payment is told to be confirmed whose money has not moved"],
      cases: [
        "another-request",
        "success-needs-money",
        "nonce-of-another-payer",
        "receipt-without-transfer",
      ],
    },
  },
  {
    id: "unknown-is-not-failed",
    promise: "An unknown outcome is never reported as failed.",
    conditions:
      "A response that a network lost, a node that is silent or wrong, and a database that is behind are reported as not known, with a way to ask again.",
    limits:
      "A payment is pending until the chain shows its outcome or its authorization has expired; how long that takes depends on the chain. Where a database has lost a transaction that is in no block yet, and every process that knew of it has ended as well, its payment may be refused; it is confirmed if it is made after all.",
    evidence: {
      tests: [
        ["packages/facilitator/test/crash/lost-responses.test.ts"],
        [
          "packages/facilitator/test/chain/lost-transactions.test.ts",
          "while nodes may have a transaction that was lost, its payment is not refused",
        ],
        [
          "packages/facilitator/test/chain/lost-commits.test.ts",
          "while it is read nothing is claimed, nothing is unknown, and readiness says so",
        ],
        [
          "packages/facilitator/test/chain/reorganisation.test.ts",
          "of the payer's cancellation: not failed before it stays, and the payment goes through",
        ],
      ],
      rules: [
        "failed is final",
        "a word is kept",
        "a last word",
        "every caller is answered",
        "every step is the model's",
      ],
      invariants: [
        "no transaction of ours moves the money of a payment that was told to have failed",
        "no payment is failed whose money has moved for good, once every process has seen it",
      ],
      cases: [
        "settlement-pending",
        "verify-unavailable",
        "settle-unavailable",
        "node-forgets-the-transaction",
      ],
      paths: [
        "a send without a clear reply is treated as sent",
        "a failed payment that a third party has paid is confirmed",
        "a confirmed payment is open again after a reorganisation",
      ],
    },
  },
  {
    id: "every-payment-ends",
    promise: "Every payment that was accepted ends as confirmed or failed.",
    conditions:
      "A node can be reached, and the gas price is within the operator's bounds before the authorization expires.",
    limits:
      "Above the bounds a payment waits; it ends as failed once its authorization has expired.",
    evidence: {
      tests: [
        [
          "packages/facilitator/test/chain/gas-price-step.test.ts",
          "what was claimed waits without a hash that no node took, and is sent when the price allows",
        ],
        [
          "packages/facilitator/test/chain/lost-commits.test.ts",
          "a loss that breaks no connection is found although nobody pays any more",
        ],
      ],
      rules: ["nothing is stuck", "final at last", "no gap"],
      cases: ["stuck-transaction", "expires-while-pending"],
      paths: [
        "a payment without an open transaction waits for a wallet again",
        "a gap between nonces is filled",
        "a used nonce is open again",
      ],
    },
  },
  {
    id: "no-custody",
    promise: "The facilitator never holds anybody's money.",
    conditions:
      "Each payment is a transfer from the buyer to the seller that the buyer signed; the facilitator's wallets hold gas alone.",
    limits:
      "A channel's deposit is held by the published contract, from which the payer can withdraw it without the seller.",
    evidence: {
      tests: [
        [
          "packages/facilitator/src/features/channels/vault.test.ts",
          "money that is paid to the collector itself is refused",
        ],
      ],
      rules: ["as signed", "the payer has the rest", "the books are the chain"],
    },
  },
  {
    id: "no-second-signature",
    promise:
      "Farthing's buyer signs no second payment for a request while the first one can still be used, and never more than its limits allow.",
    conditions: "The buyer's ledger is kept. Programs that share a ledger share its limits.",
    limits: "A ledger that was deleted knows nothing of what was signed before.",
    evidence: {
      tests: [
        [
          "packages/buyer/src/redteam.test.ts",
          "fake_delivery: paid and nothing came: the same order is not paid twice",
        ],
        [
          "packages/buyer/src/redteam.test.ts",
          "budget_split: ten honest cents stop at the five that are allowed",
        ],
        [
          "packages/buyer/src/open-payments.test.ts",
          "without any node an open payment ends a minute after it expired, and stays spent",
        ],
      ],
      rules: [],
      cases: ["answer-lost-resumed", "refused-after-payment", "limit-holds", "terms-changed"],
    },
  },
  {
    id: "refunds-once",
    promise: "A refund returns no more than was paid, and each refund is made once.",
    conditions: "Refunds are made with `seller.refund`, the command or the seller's account.",
    limits: "A transfer that the seller makes by other means is not counted.",
    evidence: {
      tests: [
        [
          "packages/facilitator/test/http/refunds.test.ts",
          "twenty at once: the payment goes back once",
        ],
        [
          "packages/facilitator/test/http/refunds.test.ts",
          "a failed refund is signed again with the same nonce, and charged once",
        ],
        ["packages/seller/src/payment-records/rules/refunds.suite.ts"],
      ],
      rules: ["no more than was paid goes back", "told is what went back"],
    },
  },
  {
    id: "passes-count",
    promise:
      "A pass opens as many requests as were bought, and a balance pays no more than it holds.",
    conditions: "All processes of the seller share their payment records.",
    limits:
      "A use that was taken for a request that failed is given back; after a crash that may take as long as a lease.",
    evidence: {
      tests: [
        [
          "packages/seller/src/payment-records/passes/passes.suite.ts",
          "opens as many requests as it has uses, of a thousand at once",
        ],
        [
          "packages/seller/src/payment-records/balances/balances.suite.ts",
          "holds as many reserves as it can pay, of three hundred requests at once",
        ],
      ],
      rules: [],
    },
  },
  {
    id: "delivered-is-claimable",
    promise:
      "What a seller delivers over a channel was claimed or can be claimed, also when the seller never comes back.",
    conditions:
      "The seller has an account with the facilitator, which keeps the newest vouchers and claims them.",
    limits:
      "At most `channels.maxUnvaulted` for each channel (0.10 USDC by default, or three calls) is not kept yet at any moment. Without an account the seller claims by itself, and no bound exists. The facilitator is believed when it tells what a channel holds. What a facilitator's database has lost is handed over again within five minutes, unless the seller ends before.",
    evidence: {
      tests: [
        [
          "packages/facilitator/src/features/channels/vault.test.ts",
          "is paid by itself when a payer withdraws, and never comes back",
        ],
        [
          "packages/seller/src/channels/voucher-vault.test.ts",
          "while the vault is away a channel is served up to the bound, and goes on once it is back",
        ],
        ["tools/soak/channels/killed-shops.test.ts"],
      ],
      rules: [
        "delivered is claimable",
        "claimed once",
        "charged is signed",
        "deposits are where they belong",
      ],
    },
  },
  {
    id: "gas-is-bounded",
    promise: "Strangers cannot spend more of an operator's gas than its budgets allow.",
    conditions: "Budgets are set; the defaults are in the reference of settings.",
    limits: "Callers with an account spend what their credits pay for.",
    evidence: {
      tests: [
        [
          "packages/facilitator/test/chain/reverted-gas.test.ts",
          "fresh contract wallets burn the budget's open half and no more, whichever way they come",
        ],
        [
          "packages/facilitator/test/http/limits-by-price.test.ts",
          "what gas may cost a day without a key follows the price",
        ],
      ],
      rules: [],
    },
  },
  {
    id: "no-secret-is-told",
    promise: "No key, signature or endpoint's path appears in a log, a trace or a response.",
    conditions: "Log level and tracing as documented.",
    limits: "What a seller's own code logs is its own.",
    evidence: {
      tests: [
        [
          "packages/facilitator/test/operations/secrecy.test.ts",
          "through everything that can happen",
        ],
        ["packages/facilitator/test/accounts/account-secrecy.test.ts"],
      ],
      rules: [],
    },
  },
  {
    id: "webhooks-are-signed",
    promise: "An account learns of every event at least once, and can check who sent it.",
    conditions: "The account's endpoint responds within a day.",
    limits: "An event can come twice and out of order; its id says which one it is.",
    evidence: {
      tests: [
        [
          "packages/facilitator/src/features/webhooks/webhooks.test.ts",
          "what happens is told, signed, and its signature stands for nothing else",
        ],
        [
          "packages/facilitator/src/features/webhooks/webhooks.test.ts",
          "a refused message comes again, with the same id and a new time; then by hand",
        ],
      ],
      rules: [],
    },
  },
];

/** The drawings of the concept pages, by their file in docs/concepts. */
import { drawSequence } from "./sequence-drawing.ts";

const [buyer, seller, facilitator, chain] = ["Buyer", "Seller", "Facilitator", "XDC"];

export const drawings: Readonly<Record<string, () => string>> = {
  "payment-flow.svg": () =>
    drawSequence({
      title:
        "A payment: the seller answers 402, the buyer signs, the facilitator settles on XDC, and the seller serves",
      parties: [buyer, seller, facilitator, chain],
      steps: [
        { from: buyer, to: seller, text: "GET /report" },
        { from: seller, to: buyer, text: "402 + price", isReply: true },
        { at: buyer, note: "signs a transfer; sends nothing to the chain" },
        { from: buyer, to: seller, text: "GET /report + payment" },
        { from: seller, to: facilitator, text: "POST /settle" },
        { from: facilitator, to: chain, text: "transfer, with gas" },
        { from: chain, to: facilitator, text: "in a block", isReply: true },
        { from: facilitator, to: seller, text: "confirmed", isReply: true },
        { from: seller, to: buyer, text: "200 + report + receipt", isReply: true },
      ],
    }),
  "unknown-outcome.svg": () =>
    drawSequence({
      title:
        "An unknown outcome: the seller answers 503, the buyer repeats the same payment, and it is charged once",
      parties: [buyer, seller, facilitator, chain],
      steps: [
        { from: buyer, to: seller, text: "request + payment" },
        { from: seller, to: facilitator, text: "POST /settle" },
        { from: facilitator, to: chain, text: "transfer" },
        { from: facilitator, to: seller, text: "pending", isReply: true },
        { from: seller, to: buyer, text: "503, retry later", isReply: true },
        { from: chain, to: facilitator, text: "in a block", isReply: true },
        { from: buyer, to: seller, text: "the same payment" },
        { from: seller, to: facilitator, text: "how does it stand?" },
        { from: facilitator, to: seller, text: "confirmed", isReply: true },
        { from: seller, to: buyer, text: "200 + content", isReply: true },
      ],
    }),
  "pass.svg": () =>
    drawSequence({
      title: "A pass: one payment buys several requests, and the later ones show a token",
      parties: [buyer, seller, facilitator],
      steps: [
        { from: buyer, to: seller, text: "request + payment" },
        { from: seller, to: facilitator, text: "POST /settle" },
        { from: facilitator, to: seller, text: "confirmed", isReply: true },
        { from: seller, to: buyer, text: "200 + token, 4 uses left", isReply: true },
        { from: buyer, to: seller, text: "request + token" },
        { at: seller, note: "takes a use before the work" },
        { from: seller, to: buyer, text: "200, 3 uses left", isReply: true },
      ],
    }),
  "balance.svg": () =>
    drawSequence({
      title: "A balance: a payment tops it up, and each request is charged what it used",
      parties: [buyer, seller, facilitator],
      steps: [
        { from: buyer, to: seller, text: "request + payment of 0.10" },
        { from: seller, to: facilitator, text: "POST /settle" },
        { from: facilitator, to: seller, text: "confirmed", isReply: true },
        { at: seller, note: "balance 0.10, reserves 0.02" },
        { from: seller, to: buyer, text: "200, 0.007 charged", isReply: true },
        { from: buyer, to: seller, text: "request + token" },
        { at: seller, note: "balance 0.093, reserves 0.02" },
        { from: seller, to: buyer, text: "200, 0.011 charged", isReply: true },
      ],
    }),
  "channel.svg": () =>
    drawSequence({
      title:
        "A channel: one deposit, a voucher for each call, and one claim for all of them, which the facilitator makes in time",
      parties: [buyer, seller, facilitator, chain],
      steps: [
        { from: buyer, to: seller, text: "deposit + voucher 0.001" },
        { from: seller, to: facilitator, text: "POST /settle" },
        { from: facilitator, to: chain, text: "deposit, with gas" },
        { from: seller, to: buyer, text: "200 + content", isReply: true },
        { from: buyer, to: seller, text: "request + voucher 0.002" },
        { at: seller, note: "checks the signature alone" },
        { from: seller, to: buyer, text: "200 + content", isReply: true },
        { from: seller, to: facilitator, text: "the newest voucher" },
        { at: facilitator, note: "claims within a day" },
        { from: facilitator, to: chain, text: "claim and sweep" },
      ],
    }),
  "refund.svg": () =>
    drawSequence({
      title: "A refund: the seller signs a transfer back, and the facilitator sends it",
      parties: [seller, facilitator, chain, buyer],
      steps: [
        { at: seller, note: "ends what was bought, then signs" },
        { from: seller, to: facilitator, text: "POST /v1/refunds" },
        { at: facilitator, note: "is the payment final?" },
        { from: facilitator, to: chain, text: "transfer, with gas" },
        { from: chain, to: buyer, text: "USDC" },
        { from: chain, to: facilitator, text: "in a block", isReply: true },
        { from: facilitator, to: seller, text: "confirmed", isReply: true },
      ],
    }),
};

/** The seller's offers, and which of them can be paid from this page. */
import {
  checkOffer,
  offersOf,
  orderOffers,
  type Offer,
  type OfferContext,
} from "@farthing/buyer/steps";
import { texts } from "./texts.ts";
import {
  channelScheme,
  member,
  parseJson,
  zeroAddress,
  type Address,
  type Requirements,
} from "@farthing/protocol";

export interface Payable {
  readonly offer: Offer;
  readonly requirements: Requirements;
}

/** The person sees the price and decides, so the page sets no limit. */
const noLimit = 1n << 255n;

/** Undefined when the payer can pay the offer. */
export function complaintAbout(offer: Offer, payer: Address): string | undefined {
  const context: OfferContext = {
    payer,
    allow: {},
    limits: {
      perCallUnits: noLimit,
      perDayUnits: undefined,
      askAboveUnits: noLimit,
      openPaymentsMax: 1,
      openPaymentsPerHostMax: 1,
    },
    hasApprover: false,
    usage: { spentUnits: 0n, openPayments: 0 },
  };
  return checkOffer(offer, context).find(({ verdict }) => verdict === "fail")?.message;
}

/** Returns the best offer first; `complaint` says why nothing can be paid. */
export function readOffers(challenge: string) {
  const ordered = orderOffers(offersOf("body", parseJson(challenge)?.value), "v2");
  const payable = ordered.flatMap((offer) =>
    offer.requirements && complaintAbout(offer, zeroAddress) === undefined
      ? [{ offer, requirements: offer.requirements }]
      : [],
  );
  if (payable.length > 0) return { payable };
  // A key for vouchers would lie within reach of the seller's own scripts.
  if (ordered.some(({ raw }) => member(raw, "scheme") === channelScheme)) {
    return { payable, complaint: texts.before.onlyChannels };
  }
  const [first] = ordered;
  const complaint = first && complaintAbout(first, zeroAddress);
  return {
    payable,
    complaint: complaint ?? texts.before.noOffer,
  };
}

/** Why a purchase is held or was not credited, for the buyer of the credits. */
const sentences: Readonly<Record<string, string>> = {
  amount_above_limit: "Payments of this size are looked at by a person first.",
  sender_not_linked: "The wallet that paid is not linked to this account.",
  screening: "The paying address needs a closer look.",
  amount_mismatch: "The amount that arrived is not the amount asked for.",
  daily_limit: "More was bought today than is credited without a look.",
};

/** The sentence for a reason; a reason that is a sentence already stays as it is. */
export function holdText(reason: string): string {
  return sentences[reason] ?? reason;
}

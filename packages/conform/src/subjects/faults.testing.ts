/** The ways in which the honest subjects can be told to break one rule: the name is that of the case. */

export const facilitatorFaults = [
  "equal-calls-at-once",
  "other-terms",
  "success-needs-money",
  "different-payments-at-once",
  "repeat-after-success",
  "answer-lost",
  "killed-before-the-send",
  "killed-after-the-send",
  "killed-before-the-receipt",
  "send-answer-lost",
  "send-refused",
  "node-forgets-the-transaction",
  "receipt-without-transfer",
  "node-down",
  "slow-block",
  "stuck-transaction",
  "foreign-submitter",
  "reorganisation",
] as const;

export type FacilitatorFault = (typeof facilitatorFaults)[number];

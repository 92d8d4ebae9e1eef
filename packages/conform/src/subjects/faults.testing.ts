/** The ways in which the honest subjects can be told to break one rule. */

/** Each breaks the rule of the case that has its name. */
export const facilitatorFaults = ["equal-calls-at-once"] as const;

export type FacilitatorFault = (typeof facilitatorFaults)[number];

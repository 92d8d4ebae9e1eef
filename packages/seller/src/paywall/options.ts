/** What a seller says about the page for people. */

/** Settings of the page. */
export interface PaywallOptions {
  /** Who sells, as people know them: one line above the price. The host is always shown too. */
  readonly name?: string;
}

/** A few lines on a telephone; more is no name. */
export const nameCharsMax = 200;

/** Options of the page for people. */
export interface PaywallOptions {
  /** The seller's name, in one line above the price. The host is always shown too. */
  readonly name?: string;
}

/** A few lines on a phone. */
export const maxNameChars = 200;

/** The settings of what gas may cost, and of what an XDC costs. */
export const gasSettings = {
  FARTHING_GAS_PRICE_MAX: {
    shape:
      "highest gas price in gwei, at least 12.5: what is below it is paid, whoever reports it; without it the price follows the chain within the next two bounds",
    example: "800",
  },
  // A contract wallet's payment of 400,000 gas costs 0.25 XDC at 625 gwei; twice that has room for replacements.
  FARTHING_GAS_PER_PAYMENT_MAX: {
    shape:
      "the most that a payment may cost in gas, in XDC; above it nothing is accepted until the price falls",
    fallback: "0.5",
  },
  // Some ten thousand payments at 625 gwei. Payments at a price that two endpoints report are not counted.
  FARTHING_GAS_ABOVE_PER_DAY: {
    shape:
      "the most that a day may cost above a gas price that two RPC endpoints report, or above 12.5 gwei with one endpoint, in XDC; each process counts from its start",
    fallback: "1000",
  },
  FARTHING_XDC_PRICE: {
    shape:
      "what an XDC costs in USDC: a number, or the path of a file with a number, which is reread when another program writes it; without it costs and income of settlements are not compared",
    example: "/var/lib/farthing/xdc-price",
  },
  // A program that writes every hour may miss a day.
  FARTHING_XDC_PRICE_HOURS_MAX: {
    shape: "hours for which the price in that file counts after it was written, 1 to 8760",
    fallback: "24",
  },
} as const;

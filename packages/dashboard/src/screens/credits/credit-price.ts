/** What a credit costs: 0.001 USDC, which is 1,000 of its base units. */
export const creditUnits = 1_000n;

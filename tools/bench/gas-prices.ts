/** What a payment costs at two prices of gas, and what the limits in XDC then stand for. */
import { startDevnet } from "@farthing/devnet";
import { startFarthing } from "./contenders.ts";
import { openMint } from "./payments.ts";
import { table } from "./report-table.ts";
import { gasUsedBy, settleAtOnce } from "./settle-at-once.ts";

export interface GasPriceFigures {
  readonly gwei: number;
  /** Gas of a payment that is alone in its transaction. */
  readonly alone: number;
  /** Gas of each payment of the largest batch. */
  readonly batched: number;
  readonly batchSize: number;
}

export interface GasPricePlan {
  readonly prices: readonly number[];
  /** Payments that are settled at once: several full batches of a wallet. */
  readonly payments: number;
}

/** XDC's price for years, and the one that its release 2.9.0 has prepared. */
export const gasPricePlan: GasPricePlan = { prices: [12.5, 625], payments: 400 };

/** At this price no budget is used. */
const usualGwei = 12.5;

export const gasPricesHeading = "## At other prices of gas";

/** Payers of the payments, so that the balance of none is in question. */
const payers = 50;
/** One wallet, so that payments gather into batches. */
const wallets = 1;

const weiPerGwei = 1_000_000_000;

/** Measures one devnet for each price. */
export async function measureGasPrices(
  { prices, payments }: GasPricePlan,
  tell: (line: string) => void,
): Promise<GasPriceFigures[]> {
  const figures: GasPriceFigures[] = [];
  for (const gwei of prices) {
    const gasPriceWei = BigInt(gwei * weiPerGwei);
    const devnet = await startDevnet({
      blockTimeSeconds: 1,
      buyers: payers,
      relayers: wallets,
      gasPriceWei,
    });
    const server = await startFarthing(devnet, devnet.rpcUrl, wallets);
    try {
      const mint = await openMint(devnet);
      const settle = (count: number) =>
        settleAtOnce(devnet, server.url, mint.make(count, [devnet.seller.address]));
      // The first payment to a payee costs more.
      await settle(1);
      const [[lone] = []] = await settle(1);
      const sizes = [...(await settle(payments))].toSorted(([, one], [, other]) => other - one);
      const [[largest, batchSize] = []] = sizes;
      if (lone === undefined || largest === undefined || batchSize === undefined) {
        throw new Error(`No payment is on the chain at ${gwei} gwei`);
      }
      const alone = await gasUsedBy(devnet, lone);
      const batched = (await gasUsedBy(devnet, largest)) / batchSize;
      figures.push({ gwei, alone, batched, batchSize });
      tell(`${gwei} gwei: ${alone} gas alone, ${Math.round(batched)} in a batch of ${batchSize}`);
    } finally {
      await server.stop();
      await devnet.stop();
    }
  }
  return figures;
}

/** The default budgets of a day, and the gas that they count for a payment without a key. */
const keylessXdc = 200;
const countedGas = 104_000;
const aboveXdc = 1_000;

const gasPerXdc = (gwei: number) => 1e9 / gwei;
const xdc = (gas: number, gwei: number) => `${Number((gas / gasPerXdc(gwei)).toPrecision(2))}`;
const count = (value: number) => Math.floor(value).toLocaleString("en");

/** Six decimals, as USDC has, rounded up. */
function usdc(gas: number, gwei: number, price: number): string {
  const units = Math.ceil((gas / gasPerXdc(gwei)) * price * 1e6);
  return `${units / 1e6}`;
}

/** USDC for an XDC in the example of the table. */
const examplePrice = 0.05;

/** Writes the section, which replaces the one before. */
export function gasPriceSection(
  { payments }: GasPricePlan,
  all: readonly GasPriceFigures[],
): string {
  const row = (name: string, of: (one: GasPriceFigures) => string) => [name, ...all.map(of)];
  return [
    gasPricesHeading,
    "",
    `\`npm run bench -- --gas-prices\`. One wallet settles one payment, and then ${payments} at once, on a devnet with the gas price. XDC's nodes accept no transaction whose gas limit may cost more than 1 XDC, which bounds a batch. The rows below the first four are computed from the measured gas and from the default settings.`,
    "",
    table(
      ["", ...all.map(({ gwei }) => `${gwei} gwei`)],
      [
        row("gas of a payment alone", ({ alone }) => count(alone)),
        row("gas of a payment in the largest batch", ({ batched }) => count(batched)),
        row("payments in the largest batch", ({ batchSize }) => `${batchSize}`),
        row(
          "XDC of a payment, alone and in a batch",
          ({ gwei, alone, batched }) => `${xdc(alone, gwei)}, ${xdc(batched, gwei)}`,
        ),
        row(
          `payments of a day without a key (\`FARTHING_KEYLESS_GAS_PER_DAY\`, ${keylessXdc} XDC)`,
          ({ gwei }) => count((keylessXdc * gasPerXdc(gwei)) / countedGas),
        ),
        row(
          `single payments of a day that one endpoint's price pays for (\`FARTHING_GAS_ABOVE_PER_DAY\`, ${count(aboveXdc)} XDC)`,
          ({ gwei, alone }) =>
            gwei > usualGwei ? count((aboveXdc * gasPerXdc(gwei)) / alone) : "no bound",
        ),
        row(`USDC of a payment alone, at ${examplePrice} USDC for an XDC`, ({ gwei, alone }) =>
          usdc(alone, gwei, examplePrice),
        ),
        row(
          "smallest amount (`FARTHING_MIN_AMOUNT`) of which the gas is at most a tenth, alone, in USDC",
          ({ gwei, alone }) => usdc(alone * 10, gwei, examplePrice),
        ),
        row(
          "price of XDC above which a fee of 1 credit loses money, in USDC",
          ({ gwei, alone }) => `${Number((0.001 / (alone / gasPerXdc(gwei))).toPrecision(2))}`,
        ),
      ],
    ),
    "",
  ].join("\n");
}

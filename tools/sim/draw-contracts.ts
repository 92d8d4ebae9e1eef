/** Draws the payments of contract payers and what happens to their accounts. */
import {
  contractPayerKinds,
  contractPayersEach,
  type DrawnPayment,
  type Event,
  type Plan,
} from "./plan.ts";
import { createSeededRandom, type SeededRandom } from "./seeded-random.ts";

interface DrawnContracts {
  readonly payments: readonly DrawnPayment[];
  readonly events: readonly Event[];
}

/** Payments of one payer at most: the later ones meet one that has failed and is paused. */
const paymentsMax = 3;

/** Small against what a payer holds, so that none fails for want of money. */
const units = 10_000;

/** Blocks in which most payments begin, so that they share transactions. */
const meetingsMax = 2;

export function drawContracts(
  seed: number,
  { blocks }: Pick<Plan, "blocks">,
  firstIndex: number,
): DrawnContracts {
  const random = createSeededRandom(seed, "contracts");
  const meetings = Array.from({ length: meetingsMax }, () => random.whole(2, blocks - 4));
  const blockOf = () => (random.chance(70) ? random.pick(meetings) : random.whole(1, blocks - 3));
  const payers = contractPayerKinds.flatMap((contract) =>
    Array.from({ length: contractPayersEach }, (_, buyer) => ({ contract, buyer })),
  );
  const payments = payers
    .flatMap((payer) => Array.from({ length: random.whole(1, paymentsMax) }, () => payer))
    .map((payer, index) => ({
      ...payer,
      index: firstIndex + index,
      block: blockOf(),
      units,
      validFor: random.pick([40, 90, 300, 3_600]),
      beginsIn: -600,
      isVerified: random.chance(60),
      asks: [drawAsk(random)],
      isWatched: random.chance(30),
    }));
  return { payments, events: drawHarm(random, blockOf) };
}

function drawAsk(random: SeededRandom): DrawnPayment["asks"][number] {
  return {
    afterBlocks: 0,
    prefer: random.pick(["", "respond-async", "wait=12"] as const),
    atOnce: random.pick([1, 1, 2]),
    again: random.pick([0, 2, 6]),
  };
}

/** Longest time in blocks for which a wallet does harm or an account has code. */
const harmBlocksMax = 3;

/** Most of it begins in the block of the payments: after their check, ahead of their transaction. */
function drawHarm(random: SeededRandom, blockOf: () => number): Event[] {
  const times = (draw: (from: number, to: number) => readonly Event[]) =>
    Array.from({ length: random.whole(2, 4) }, () => {
      const from = blockOf();
      return draw(from, from + random.whole(1, harmBlocksMax));
    }).flat();
  const account = () => random.whole(0, contractPayersEach - 1);
  return [
    ...times((from, to) => {
      const contract = random.pick(["burner", "reverter"] as const);
      return [
        { block: from, what: "harm", contract },
        { block: to, what: "no-harm", contract },
      ];
    }),
    ...times((from, to) => {
      const holder = account();
      return [
        { block: from, what: "code-placed", account: holder },
        { block: to, what: "code-removed", account: holder },
      ];
    }),
    { block: blockOf(), what: "wallet-deployed", account: account() },
  ];
}

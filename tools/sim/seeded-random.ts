/**
 * Random choices from a seed. Every part of a run draws from a stream of its own, named after the
 * part, so that its draws do not change those of another part.
 */
import * as fc from "fast-check";

/** A stream of random choices. */
export interface SeededRandom {
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  whole(min: number, max: number): number;
  pick<T>(choices: readonly T[]): T;
}

const drawMax = 0x3fffffff;

/** Opens the stream of a name, from its beginning. */
export function createSeededRandom(seed: number, name: string): SeededRandom {
  const draws = fc.infiniteStream(fc.noBias(fc.integer({ min: 0, max: drawMax })));
  const [stream] = fc.sample(draws, { seed: seed ^ hashOf(name), numRuns: 1 });
  if (!stream) throw new Error("a sample has one element");
  const next = (): number => {
    const { value } = stream.next();
    if (value === undefined) throw new Error("an infinite stream has ended");
    return value;
  };
  const whole = (min: number, max: number) => min + (next() % (max - min + 1));
  return {
    chance: (percent) => whole(1, 10_000) <= percent * 100,
    whole,
    pick: (choices) => {
      const choice = choices[whole(0, choices.length - 1)];
      if (choice === undefined) throw new Error("nothing to pick from");
      return choice;
    },
  };
}

/** Returns the stream of a name, the same one at each call. */
export function seededRandomByName(seed: number): (name: string) => SeededRandom {
  const streams = new Map<string, SeededRandom>();
  return (name) => {
    const stream = streams.get(name) ?? createSeededRandom(seed, name);
    streams.set(name, stream);
    return stream;
  };
}

/** FNV-1a: spreads names over 32 bits. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash | 0;
}

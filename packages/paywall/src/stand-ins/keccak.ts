/**
 * Keccak-256, written for its size. Lanes are 64-bit integers, the constants come from their
 * definitions (FIPS 202, sections 3.2 and 3.3; the padding is Ethereum's older one).
 */
import type { Hex } from "@farthing/protocol";

/** Bytes absorbed at a time: 1600 bits without twice 256. */
const rateBytes = 136;
const mask = (1n << 64n) - 1n;
const turn = (lane: bigint, bits: number) =>
  ((lane << BigInt(bits)) | (lane >> BigInt((64 - bits) % 64))) & mask;
const at = (lanes: readonly bigint[], index: number) => lanes[index] ?? 0n;

export function keccak256Of(input: Hex): Hex {
  const bytes = (input.slice(2).match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const size = bytes.length;
  const blocks = Math.floor(size / rateBytes) + 1;
  const padded = Array.from({ length: blocks * rateBytes }, (_, index) => bytes[index] ?? 0);
  padded[size] = 1;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;
  let lanes: readonly bigint[] = Array.from({ length: 25 }, () => 0n);
  for (let start = 0; start < padded.length; start += rateBytes) {
    lanes = permute(
      lanes.map((lane, index) =>
        index * 8 < rateBytes ? lane ^ readLane(padded, start + index * 8) : lane,
      ),
    );
  }
  return `0x${lanes.slice(0, 4).map(writeLane).join("")}`;
}

function readLane(bytes: readonly number[], start: number): bigint {
  let lane = 0n;
  for (let index = 7; index >= 0; index--) lane = (lane << 8n) | BigInt(bytes[start + index] ?? 0);
  return lane;
}

/** Little-endian. */
function writeLane(lane: bigint): string {
  return (lane.toString(16).padStart(16, "0").match(/../g) ?? []).toReversed().join("");
}

function permute(start: readonly bigint[]): readonly bigint[] {
  let lanes = [...start];
  let feedback = 1;
  for (let round = 0; round < 24; round++) {
    // Theta: each lane takes the parities of two columns.
    const parity = [0, 1, 2, 3, 4].map((x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ at(lanes, x + y), 0n),
    );
    lanes = lanes.map(
      (lane, index) => lane ^ at(parity, (index + 4) % 5) ^ turn(at(parity, (index + 1) % 5), 1),
    );
    // Rho and pi: lanes turn, and change places.
    let [x, y] = [1, 0];
    let moving = at(lanes, 1);
    for (let step = 0; step < 24; step++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const index = x + 5 * y;
      const next = at(lanes, index);
      lanes[index] = turn(moving, (((step + 1) * (step + 2)) / 2) % 64);
      moving = next;
    }
    // Chi: the one step that is not linear, along each row.
    lanes = lanes.map((lane, index) => {
      const row = index - (index % 5);
      const one = at(lanes, row + ((index + 1) % 5));
      return lane ^ (~one & mask & at(lanes, row + ((index + 2) % 5)));
    });
    // Iota: the round's constant, from a shift register.
    for (let bit = 0; bit < 7; bit++) {
      if ((feedback & 1) === 1) lanes[0] = at(lanes, 0) ^ (1n << BigInt((1 << bit) - 1));
      feedback = (feedback << 1) ^ ((feedback >> 7) * 0x171);
    }
  }
  return lanes;
}

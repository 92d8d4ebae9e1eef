/** Finds states from which no fair path leads to an end. */
import { Numbers } from "./numbers.ts";

/** Returns the first of them, which is one of the shallowest; undefined when every state can end. */
export function listEndless(
  states: number,
  fair: { readonly from: Numbers; readonly to: Numbers },
  goals: Numbers,
): number | undefined {
  // The steps by the state that they lead to.
  const starts = new Uint32Array(states + 1);
  for (let at = 0; at < fair.to.length; at++) count(starts, fair.to.at(at) + 1);
  for (let at = 1; at <= states; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0);
  const places = starts.slice();
  const sources = new Uint32Array(fair.from.length);
  for (let at = 0; at < fair.from.length; at++) {
    sources[count(places, fair.to.at(at))] = fair.from.at(at);
  }
  const canEnd = new Uint8Array(states);
  const waiting = new Numbers();
  const reach = (index: number) => {
    if (canEnd[index] === 1) return;
    canEnd[index] = 1;
    waiting.push(index);
  };
  for (let at = 0; at < goals.length; at++) reach(goals.at(at));
  for (let at = 0; at < waiting.length; at++) {
    const index = waiting.at(at);
    const last = starts[index + 1] ?? 0;
    for (let edge = starts[index] ?? 0; edge < last; edge++) reach(sources[edge] ?? 0);
  }
  const endless = canEnd.indexOf(0);
  return endless === -1 ? undefined : endless;
}

/** Adds one; returns the number before. */
function count(counts: Uint32Array, index: number): number {
  const before = counts[index] ?? 0;
  counts[index] = before + 1;
  return before;
}

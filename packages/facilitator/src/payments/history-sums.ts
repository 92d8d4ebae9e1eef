/** Adds up the service's history by hour and by day. Times are counted in UTC. */
import {
  hourMs,
  hoursKept,
  daysKept,
  latencyBounds,
  minuteMs,
  slotMinutes,
  type AvailabilitySlot,
  type LatencyCount,
} from "./service-history.ts";

/** Minutes of a span of time. */
export interface Minutes {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** All of them; of the present span, those that are over. */
  readonly past: number;
  readonly looked: number;
  readonly available: number;
}

/** How long settlements of a span took, in seconds; infinite above the last bound. */
export interface Latency {
  readonly start: number;
  readonly settlements: number;
  readonly half: number;
  readonly most: number;
}

const slotMs = slotMinutes * minuteMs;
const dayMs = 24 * hourMs;

function countBits(bits: number): number {
  return bits.toString(2).replaceAll("0", "").length;
}

/** The spans of one length up to the present one, oldest first. */
function startsOf(spanMs: number, count: number, now: number): number[] {
  const last = Math.floor(now / spanMs);
  return Array.from({ length: count }, (_, index) => (last - count + 1 + index) * spanMs);
}

function minutesOf(
  slots: readonly AvailabilitySlot[],
  now: number,
  { spanMs, count }: { readonly spanMs: number; readonly count: number },
): Minutes[] {
  const bySlot = new Map(slots.map((one) => [one.slot, one]));
  return startsOf(spanMs, count, now).map((start) => {
    const inside = Array.from({ length: spanMs / slotMs }, (_, index) =>
      bySlot.get(start / slotMs + index),
    );
    const sum = (of: "looked" | "available") =>
      inside.reduce((total, one) => total + countBits(one?.[of] ?? 0), 0);
    const looked = sum("looked");
    const past = Math.floor((Math.min(now, start + spanMs) - start) / minuteMs);
    // A process that ends writes the minute that is not over.
    return { start, past: Math.max(past, looked), looked, available: sum("available") };
  });
}

export function hoursOf(slots: readonly AvailabilitySlot[], now: number): Minutes[] {
  return minutesOf(slots, now, { spanMs: hourMs, count: hoursKept });
}

export function daysOf(slots: readonly AvailabilitySlot[], now: number): Minutes[] {
  return minutesOf(slots, now, { spanMs: dayMs, count: daysKept });
}

export function totalOf(spans: readonly Minutes[]): Omit<Minutes, "start"> {
  const sum = (of: "past" | "looked" | "available") =>
    spans.reduce((total, one) => total + one[of], 0);
  return { past: sum("past"), looked: sum("looked"), available: sum("available") };
}

export function latencyByHour(counts: readonly LatencyCount[], now: number): Latency[] {
  const byHour = Map.groupBy(counts, ({ hour }) => hour);
  return startsOf(hourMs, hoursKept, now).map((start) =>
    latencyOf(byHour.get(start / hourMs) ?? [], start),
  );
}

export function latencyOf(counts: readonly LatencyCount[], start: number): Latency {
  const settlements = counts.reduce((sum, one) => sum + one.settlements, 0);
  const within = (wanted: number) => {
    let sum = 0;
    for (const bound of latencyBounds) {
      for (const one of counts) if (one.within === bound) sum += one.settlements;
      if (sum >= wanted) return bound;
    }
    return Infinity;
  };
  if (settlements === 0) return { start, settlements, half: 0, most: 0 };
  return { start, settlements, half: within(settlements / 2), most: within(settlements * 0.95) };
}

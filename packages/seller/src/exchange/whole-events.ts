/** Cuts the bytes of an event stream behind whole events, so that another event can follow. */

/** Bytes of one event that are held back; those of a longer one leave in parts. */
const maxHeldBytes = 64 * 1024;

const lineFeed = 10;
const carriageReturn = 13;

export interface EventCutter {
  /** Returns the bytes up to the end of the last whole event. */
  next(chunk: Uint8Array): Uint8Array;
  /** Returns the bytes of an event that has no end. */
  rest(): Uint8Array;
}

export function createEventCutter(): EventCutter {
  let held = new Uint8Array();
  return {
    next(chunk) {
      const bytes = new Uint8Array(held.length + chunk.length);
      bytes.set(held);
      bytes.set(chunk, held.length);
      const end = endOfEvents(bytes);
      const isTooLong = bytes.length - end > maxHeldBytes;
      held = isTooLong ? new Uint8Array() : bytes.slice(end);
      return isTooLong ? bytes : bytes.slice(0, end);
    },
    rest: () => held,
  };
}

/** Returns where the last blank line ends: two ends of lines in a row, each of them CR, LF or both. */
function endOfEvents(bytes: Uint8Array): number {
  for (let end = bytes.length; end > 1; end--) {
    const [before, last] = [bytes[end - 2], bytes[end - 1]];
    if (last === lineFeed && before === lineFeed) return end;
    if (last === carriageReturn && before === carriageReturn) return end;
    const isPair = last === lineFeed && before === carriageReturn;
    if (isPair && bytes[end - 3] === lineFeed) return end;
  }
  return 0;
}

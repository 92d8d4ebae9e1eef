/** Durations and sizes in the configuration: `300ms`, `20s`, `10m`; `64KiB`, `1MiB`. */

const millisecondsOf: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const bytesOf: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

export const durationPattern = "^[1-9][0-9]{0,8}(ms|s|m|h)$";
export const sizePattern = "^(0|[1-9][0-9]{0,8})(B|KiB|MiB|GiB)$";

/** Returns milliseconds. */
export function parseDuration(text: string): number | undefined {
  return parseAmount(text, millisecondsOf);
}

/** Returns bytes. */
export function parseSize(text: string): number | undefined {
  return parseAmount(text, bytesOf);
}

/** Formats milliseconds, as seconds where they are whole: `20s`, `1500ms`. */
export function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

function parseAmount(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const factor = units[text.replace(/^\d+/, "")];
  return factor && Number.parseInt(text, 10) * factor;
}

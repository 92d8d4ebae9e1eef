/** Troubles as people write them: names with commas, `none` for none. */
import { troubles, type Trouble } from "./plan.ts";

/** Reads a list; throws when one of the names is unknown. */
export function readTroubles(text: string): Trouble[] {
  const names = text.split(",").filter((name) => name !== "" && name !== "none");
  const known = troubles.filter((trouble) => names.includes(trouble));
  if (known.length < names.length) {
    throw new Error(`Not all of "${text}" are known; there are ${troubles.join(", ")}`);
  }
  return known;
}

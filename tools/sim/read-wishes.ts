/** Troubles and services as people write them, at the command and with the kept seeds. */
import { databaseKinds } from "./databases.ts";
import { faces, troubles, type Service, type Trouble } from "./plan.ts";

/** A service, or parts of one, in words. */
export interface ServiceWords {
  readonly database?: string | undefined;
  readonly face?: string | undefined;
  readonly confirmations?: string | number | undefined;
  readonly "in-flight"?: string | number | undefined;
}

/** Reads names with commas, `none` for none; throws when one of them is unknown. */
export function readTroubles(text: string): Trouble[] {
  const names = text.split(",").filter((name) => name !== "" && name !== "none");
  const known = troubles.filter((trouble) => names.includes(trouble));
  if (known.length < names.length) {
    throw new Error(`Not all of "${text}" are known; there are ${troubles.join(", ")}`);
  }
  return known;
}

/** Reads a service; what is not said is left to the seed. Throws when something makes no sense. */
export function readService(words: ServiceWords): Partial<Service> {
  const { database, face, confirmations } = words;
  const inFlight = words["in-flight"];
  return {
    ...(database === undefined ? {} : { database: oneOf(databaseKinds, database) }),
    ...(face === undefined ? {} : { face: oneOf(faces, face) }),
    ...(confirmations === undefined ? {} : { confirmations: atLeastOne(confirmations) }),
    ...(inFlight === undefined ? {} : { inFlight: atLeastOne(inFlight) }),
  };
}

function oneOf<T extends string>(choices: readonly T[], text: string): T {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new Error(`"${text}" is none of ${choices.join(", ")}`);
  return choice;
}

function atLeastOne(value: string | number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`"${value}" is no number from 1`);
  return number;
}

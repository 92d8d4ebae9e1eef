/** Fault kinds and services as the command line and the kept seeds name them. */
import { databaseKinds } from "./databases.ts";
import { servedSurfaces, faultKinds, type Service, type FaultKind } from "./plan.ts";

/** A service, or parts of one, in text. */
export interface ServiceInput {
  readonly database?: string | undefined;
  readonly face?: string | undefined;
  readonly confirmations?: string | number | undefined;
  readonly "in-flight"?: string | number | undefined;
}

/** Reads names with commas, `none` for none; throws when one of them is unknown. */
export function readFaultKinds(text: string): FaultKind[] {
  const names = text.split(",").filter((name) => name !== "" && name !== "none");
  const known = faultKinds.filter((faultKind) => names.includes(faultKind));
  if (known.length < names.length) {
    throw new Error(`Not all of "${text}" are known; there are ${faultKinds.join(", ")}`);
  }
  return known;
}

/** Reads a service; the seed decides what is missing. Throws when a value is invalid. */
export function readService(words: ServiceInput): Partial<Service> {
  const { database, face, confirmations } = words;
  const inFlight = words["in-flight"];
  return {
    ...(database === undefined ? {} : { database: oneOf(databaseKinds, database) }),
    ...(face === undefined ? {} : { servedSurface: oneOf(servedSurfaces, face) }),
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

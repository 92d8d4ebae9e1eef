/** Input of addresses. */
import { parseAddress, type Address } from "@farthing/protocol";
import { HttpProblem } from "./responses.ts";

/** Reads an address whose form a schema has checked. Throws 400 for a wrong checksum. */
export function readAddress(text: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw new HttpProblem(
    "invalid_request",
    "The address has a wrong checksum: one of its characters is mistyped, or in the wrong case.",
  );
}

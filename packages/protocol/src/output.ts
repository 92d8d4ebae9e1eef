/**
 * What programs print with, for the packages of this repository. It loads nothing that signs or hashes,
 * which a command may never need.
 */
export { isObject } from "./encoding/json.ts";
export { printableJson, printableLine, printableText, writeTo } from "./encoding/printable.ts";

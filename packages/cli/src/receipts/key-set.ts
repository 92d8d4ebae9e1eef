/** Public keys (RFC 7517) of a facilitator or a seller, from a file or their address. */
import { readFileSync } from "node:fs";
import { parseJson } from "@farthing/protocol";
import { ConfigurationError } from "../command/command-errors.ts";
import { parseHttpUrl } from "../input/http-url.ts";
import { readBodyWithin } from "../input/read-body.ts";

const keySetPath = "/.well-known/jwks.json";
const keySetTimeoutMs = 10_000;

/** A hundred keys with all their members. */
const maxKeySetBytes = 64 * 1024;

/**
 * Reads keys from a file, or from an address; an origin alone stands for its well-known path.
 * Throws a ConfigurationError that names the option.
 */
export async function readKeySet(place: string, option: string): Promise<unknown> {
  const url = parseHttpUrl(place);
  const text = url ? await fetchKeySet(url) : readKeyFile(place, option);
  const parsed = parseJson(text);
  if (parsed) return parsed.value;
  throw new ConfigurationError(`${option}: ${place} holds no keys as JSON.`);
}

function readKeyFile(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigurationError(`${option}: the file ${path} cannot be read.`);
  }
}

async function fetchKeySet(url: URL): Promise<string> {
  const address = url.pathname === "/" ? new URL(keySetPath, url) : url;
  const signal = AbortSignal.timeout(keySetTimeoutMs);
  // A redirect may lead to keys of someone else.
  const response = await fetch(address, { signal, redirect: "error" });
  if (!response.ok) throw new Error(`${address.href} responds ${response.status}, without keys.`);
  const advice = "is it the address of the keys?";
  return new TextDecoder().decode(await readBodyWithin(response, maxKeySetBytes, advice));
}

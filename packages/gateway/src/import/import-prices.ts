/**
 * Prices for an import: a YAML file with one line for each operation, by its method and path (`GET
 * /v1/reports/{id}`) or its operationId, and `*` for all others.
 */
import { isObject, parseUsdc } from "@farthing/protocol";
import { ImportError } from "./imported-api.ts";
import { readYamlSource } from "../configuration/yaml-source.ts";

export type ImportPrices = ReturnType<typeof importPrices>;

/** Reads a file of prices. Throws {@link ImportError} with all problems. */
export function readPrices(text: string): ImportPrices {
  const source = readYamlSource(text);
  const value = "value" in source ? (source.value ?? {}) : undefined;
  if (!("value" in source) || !isObject(value)) {
    throw new ImportError('The prices must be lines such as GET /v1/reports/{id}: "0.01".');
  }
  const wrong = Object.entries(value).flatMap(([name, price]) => {
    const line = source.lineOf([name]);
    const isPrice =
      price === "free" || (typeof price === "string" && (parseUsdc(price) ?? 0n) > 0n);
    const said = `line ${line}: ${name} must be: USDC as text in quotes, or free. Example: "0.01"`;
    return isPrice ? [] : [said];
  });
  if (wrong.length > 0) throw new ImportError(wrong.join("\n"));
  return importPrices(new Map(Object.entries(value).map(([name, price]) => [name, String(price)])));
}

export function importPrices(prices: ReadonlyMap<string, string>) {
  const used = new Set(["*"]);
  return {
    fallback: prices.get("*"),
    /** Returns the price of an operation: USDC, or `free`; undefined without one. */
    find(names: readonly string[]): string | undefined {
      const name = names.find((one) => prices.has(one));
      if (name === undefined) return undefined;
      used.add(name);
      return prices.get(name);
    },
    /** Lines that have named no operation so far. */
    unused: () => [...prices.keys()].filter((name) => !used.has(name)),
  };
}

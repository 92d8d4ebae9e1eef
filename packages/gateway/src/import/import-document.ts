import { readDocument } from "../configuration/assemble-configuration.ts";
import { importOpenapi } from "./import-openapi.ts";
import { importPrices, type ImportPrices } from "./import-prices.ts";
import { importXdcai, isXdcai } from "./import-xdcai.ts";
import { ImportError } from "./imported-api.ts";

/** Reads a description of an API of any supported kind. Throws {@link ImportError}. */
export function importApi(path: string, prices: ImportPrices = importPrices(new Map())) {
  const document = readDocument(path);
  if (typeof document === "string") throw new ImportError(`The import ${document}.`);
  return isXdcai(document) ? importXdcai(document) : importOpenapi(document, prices);
}

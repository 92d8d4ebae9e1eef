/**
 * The script of the API reference in Brotli. `npm run build` writes it beside this module's
 * build, so that a published service loads no code of other makers for it; a checkout takes it
 * from the development dependency.
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import Fastify from "fastify";
import { assert } from "@farthing/engine/base";
import { toBrotli } from "./compressed.ts";

const builtFile = fileURLToPath(new URL("./scalar.js.br", import.meta.url));

/** In a checkout, where it takes a second. */
let packed: Promise<Buffer> | undefined;

export async function readScalar(): Promise<Buffer> {
  return existsSync(builtFile) ? readFile(builtFile) : (packed ??= packScalar());
}

/** Writes the file for a build in `folder`. */
export async function writeScalar(folder: string): Promise<void> {
  await writeFile(`${folder}/scalar.js.br`, await packScalar());
}

/**
 * Names the samples with `fetch` after TypeScript, which they are as well as JavaScript. Scalar has
 * no setting for it, and its samples of one's own have no tab.
 */
function nameTypeScript(script: string): string {
  const parts = script.split(/(?<={key:[`"']js[`"'],title:[`"'])JavaScript/);
  assert(parts.length === 2, "Scalar's script names the language of its fetch samples once");
  return parts.join("TypeScript");
}

/** Scalar's plugin for Fastify is the smallest package with the script, which only its route has. */
async function packScalar(): Promise<Buffer> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const server = Fastify();
  await server.register(plugin, { routePrefix: "/docs", configuration: { url: "/" } });
  const { payload } = await server.inject("/docs/js/scalar.js");
  const licence = fileURLToPath(
    new URL("../LICENSE", import.meta.resolve("@scalar/fastify-api-reference")),
  );
  const banner = `/*! Scalar, https://github.com/scalar/scalar\n\n${await readFile(licence, "utf8")}*/\n`;
  return toBrotli(Buffer.from(banner + nameTypeScript(payload)));
}

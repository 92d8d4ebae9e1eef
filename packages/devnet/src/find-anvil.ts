/** Where anvil is: beside this package, or in a folder that it was installed into. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** As in this package's manifest, which the bundle of the command does not bring along. */
export const anvilVersion = "1.7.1";

const systems: Partial<Record<string, string>> = { linux: "linux", darwin: "darwin" };
const machines: Partial<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** The npm package with anvil for this machine; undefined where there is none. */
export function anvilPackage(): string | undefined {
  const system = systems[process.platform];
  const machine = machines[process.arch];
  return system && machine ? `@foundry-rs/anvil-${system}-${machine}` : undefined;
}

/**
 * Returns anvil's path, undefined when it is in neither place. A folder has the machine's package
 * in its node_modules.
 */
export function findAnvil(folder?: string): string | undefined {
  const name = anvilPackage();
  if (name === undefined) return undefined;
  // A package manager may link the machine's package only for its parent package, whose
  // post-install script may not have run.
  const parent = resolve(import.meta.url, "@foundry-rs/anvil/package.json");
  const program = `${name}/bin/anvil`;
  const beside = parent === undefined ? undefined : resolve(parent, program);
  if (beside !== undefined || folder === undefined) return beside;
  return resolve(join(folder, "package.json"), program);
}

function resolve(from: string, path: string): string | undefined {
  try {
    return createRequire(from).resolve(path);
  } catch {
    return undefined;
  }
}

/** anvil's 44 MB are no dependency, since only a local chain needs them. */
export function howToGetAnvil(): string {
  if (anvilPackage() === undefined) {
    return `The local chain needs anvil, which is not published for ${process.platform} ${process.arch}. It runs on Linux and macOS (x64 and arm64).`;
  }
  return (
    `The local chain needs anvil, which is not installed. Install it beside farthing: ` +
    `npm install @foundry-rs/anvil@${anvilVersion} (with -g where farthing was installed so, ` +
    "and without --omit=optional)."
  );
}

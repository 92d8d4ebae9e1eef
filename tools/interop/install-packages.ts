/** Installs packages from a lock file of their own, where it has changed since the last time. */
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";

const modified = (file: URL) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Installs the packages of a folder: all, or those of some of its workspaces. */
export function installPackages(folder: URL, workspaces: readonly string[] = []): void {
  // npm writes the first file last, so that one older than the lock means a stale install.
  const installed = modified(new URL("node_modules/.package-lock.json", folder));
  const isCurrent = installed >= modified(new URL("package-lock.json", folder));
  const isComplete = workspaces.every(
    (name) => modified(new URL(`node_modules/runtime-${name}`, folder)) > 0,
  );
  if (isCurrent && isComplete) return;
  const flags = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
  const chosen = workspaces.map((name) => `--workspace=${name}`);
  execFileSync("npm", [...flags, ...chosen], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

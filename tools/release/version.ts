/** The next version: the changes since the last one decide it, and all packages share it. */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addVersion, isOpen } from "./changelog.ts";
import { nextVersion, readChanges } from "./changes.ts";

/** The version of a release; what follows a hyphen is a candidate for it. */
const versionForm = /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/;

/** Replaces `from` by `to` in all manifests, in the names of images and in the Helm chart. */
function setVersion(root: string, from: string, to: string): void {
  const change = (path: string, edit: (text: string) => string) =>
    writeFileSync(join(root, path), edit(readFileSync(join(root, path), "utf8")));
  const ours = /("(?:version|farthing|farthing-operator|@farthing\/[a-z]+)": )"([^"]+)"/g;
  const manifests = globSync("{packages,tools,examples}/*/package.json", { cwd: root });
  for (const path of ["package.json", ...manifests])
    change(path, (text) =>
      text.replace(ours, (whole, name: string, version: string) =>
        version === from ? `${name}"${to}"` : whole,
      ),
    );
  for (const path of ["deploy/facilitator/compose.yaml", "deploy/gateway/compose.yaml"])
    change(path, (text) => text.replace(`farthing:${from}`, `farthing:${to}`));
  change("deploy/helm/farthing/Chart.yaml", (text) =>
    text.replace(`\nversion: ${from}\n`, `\nversion: ${to}\n`).replace(`"${from}"`, `"${to}"`),
  );
}

export interface VersionRequest {
  readonly current: string;
  /** Instead of the version that follows from the changes. */
  readonly version?: string | undefined;
  /** The day of the release, such as 2027-01-31. */
  readonly day: string;
}

/**
 * Sets the next version and moves the changes from `.changeset` to the changelog. A candidate leaves
 * both for the release. Returns the version; throws when there is nothing to release.
 */
export async function prepareVersion(root: string, request: VersionRequest): Promise<string> {
  const { current, day } = request;
  const changes = await readChanges(root, current);
  const changelogPath = join(root, "CHANGELOG.md");
  const changelog = readFileSync(changelogPath, "utf8");
  const following = isOpen(changelog, current) ? current : await nextVersion(root);
  const version = request.version ?? following;
  if (version === undefined) throw new Error("There is no change in .changeset to release");
  if (!versionForm.test(version))
    throw new Error(`${version} is no version such as 1.2.3 or 1.2.3-rc.1`);
  if (version !== current) setVersion(root, current, version);
  if (version.includes("-")) return version;
  writeFileSync(changelogPath, addVersion(changelog, version, day, changes));
  for (const { id } of changes) rmSync(join(root, ".changeset", `${id}.md`));
  return version;
}

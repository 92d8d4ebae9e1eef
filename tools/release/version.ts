/** All packages share one version: it is set in every manifest, and the changelog gets its heading. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The version of a release; what follows a hyphen is a candidate for it. */
const versionForm = /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/;

/** Replaces `from` by `to` in the manifests of the packages, the image's name and the changelog. */
export function setVersion(root: string, from: string, to: string, day: string): string[] {
  if (!versionForm.test(to)) throw new Error(`${to} is no version such as 1.2.3 or 1.2.3-rc.1`);
  const changed: string[] = [];
  const change = (path: string, edit: (text: string) => string) => {
    const before = readFileSync(join(root, path), "utf8");
    const after = edit(before);
    if (after === before) return;
    writeFileSync(join(root, path), after);
    changed.push(path);
  };
  const ours = /("(?:version|farthing|farthing-operator|@farthing\/[a-z]+)": )"([^"]+)"/g;
  const manifests = globSync("{packages,tools,examples}/*/package.json", { cwd: root }).sort();
  for (const path of ["package.json", ...manifests])
    change(path, (text) =>
      text.replace(ours, (whole, name: string, version: string) =>
        version === from ? `${name}"${to}"` : whole,
      ),
    );
  for (const path of ["deploy/facilitator/compose.yaml", "deploy/gateway/compose.yaml"])
    change(path, (text) => text.replace(`farthing:${from}`, `farthing:${to}`));
  change("CHANGELOG.md", (text) => text.replace("(not released)", `(${day})`));
  return changed;
}

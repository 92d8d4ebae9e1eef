/**
 * Links from the pages to files of the repository that are no pages, such as a package's README,
 * lead to the repository.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

const root = join(import.meta.dirname, "../..");

/** Where the packages say that their sources are. */
function repositoryUrl(): string {
  const manifest = JSON.parse(readFileSync(join(root, "packages/protocol/package.json"), "utf8"));
  return String(manifest.repository.url)
    .replace(/^git\+/, "")
    .replace(/\.git$/, "");
}

export function repositoryLinks(markdown: MarkdownRenderer): void {
  const base = `${repositoryUrl()}/blob/main`;
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const folder = posix.dirname(`docs/${env.relativePath}`);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href === null || /^([a-z]+:|#|\/)/.test(href)) continue;
      const target = posix.normalize(`${folder}/${href}`);
      const isPage = target.startsWith("docs/") && /\.md(#|$)/.test(target);
      if (!isPage) token.attrSet("href", `${base}/${target}`);
    }
  });
}

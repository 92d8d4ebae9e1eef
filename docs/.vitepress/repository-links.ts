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

const base = `${repositoryUrl()}/blob/main`;

/**
 * Returns the address in the repository of what a page of `folder`, below docs/, links to; undefined
 * for a page, an address of its own or a drawing beside the page.
 */
export function repositoryTarget(folder: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return undefined;
  const target = posix.normalize(`docs/${folder}/${href}`);
  const isPage = target.startsWith("docs/") && /\.(md|svg)(#|$)/.test(target);
  return isPage ? undefined : `${base}/${target}`;
}

export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    // The texts of the start page's head are rendered without a page.
    const folder = posix.dirname(env.relativePath ?? "index.md");
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      const target = href === null ? undefined : repositoryTarget(folder, href);
      if (target !== undefined) token.attrSet("href", target);
    }
  });
}

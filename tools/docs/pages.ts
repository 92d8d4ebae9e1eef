/** The pages that people follow, and what is left out when they are run. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPage, type Block } from "./read-page.ts";

const root = join(import.meta.dirname, "../..");

/** A page with its blocks. */
export interface Page {
  /** From the repository's folder. */
  readonly path: string;
  readonly blocks: readonly Block[];
  /** Files that it links to, by their paths from its own folder. */
  readonly links: readonly string[];
}

/** The README and every guide. */
export function readPages(): Page[] {
  const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
  const paths = ["README.md", ...guides.sort().map((name) => `docs/guides/${name}`)];
  return paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) => to);
    const links = targets.filter((target) => !/^[a-z]+:/.test(target));
    try {
      return { path, links, blocks: readPage(text) };
    } catch (cause) {
      throw new Error(`${path}: ${String(cause)}`, { cause });
    }
  });
}

/** Whether a block is TypeScript or JavaScript, which is checked and run. */
export const isProgram = ({ language }: Block): boolean => ["ts", "js", "mjs"].includes(language);

/** The file that a program is saved in. */
export const fileOf = ({ run, line, language }: Block): string =>
  run.as ?? `line-${line}.${language}`;

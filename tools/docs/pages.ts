/** The pages whose blocks are run: the README, the guides and the concepts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPage, type Block } from "./read-page.ts";

const root = join(import.meta.dirname, "../..");

export interface Page {
  /** Path from the repository's folder. */
  readonly path: string;
  readonly blocks: readonly Block[];
  /** The toolchain that the page's programs need: `<!-- needs: python -->` at its top. */
  readonly needs?: string;
  /** Linked files, relative to the page's folder. */
  readonly links: readonly string[];
}

export function readPages(): Page[] {
  const paths = ["README.md", ...pagesIn("docs/guides"), ...pagesIn("docs/concepts")];
  return paths.map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) => to);
    const links = targets.filter((target) => !/^[a-z]+:/.test(target));
    const needs = /^<!-- needs: (\w+) -->$/m.exec(text)?.[1];
    try {
      return { path, links, blocks: readPage(text), ...(needs === undefined ? {} : { needs }) };
    } catch (cause) {
      throw new Error(`${path}: ${String(cause)}`, { cause });
    }
  });
}

/** Returns whether a block is TypeScript or JavaScript, which is checked and run. */
export const isProgram = ({ language }: Block): boolean => ["ts", "js", "mjs"].includes(language);

/** Returns the file in which a program is saved. */
export const fileOf = ({ run, line, language }: Block): string =>
  run.as ?? `line-${line}.${language}`;

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

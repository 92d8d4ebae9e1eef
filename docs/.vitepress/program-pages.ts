/**
 * The documentation for programs that read: each page as Markdown at its own address with `.md`,
 * `llms.txt` with the list of them, and `llms-full.txt` with all guides, concepts and reference pages.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { repositoryTarget } from "./repository-links.ts";

const root = join(import.meta.dirname, "../..");
const docs = join(root, "docs");

export interface ListedPage {
  readonly text: string;
  readonly link: string;
}

export interface PageGroup {
  readonly text: string;
  readonly items: ListedPage[];
}

/** Pages that a program would not read to use the product: they are listed, and left out of the whole. */
const background = "Background";

/** Writes the files into a built site. `pages` are all Markdown files of docs/, by their path. */
export function writeProgramPages(
  site: string,
  pages: readonly string[],
  groups: readonly PageGroup[],
  summary: { readonly title: string; readonly description: string },
): void {
  for (const path of pages) {
    const file = join(site, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, readPage(path));
  }
  cpSync(join(root, "skills"), join(site, "skills"), { recursive: true });
  writeFileSync(join(site, "llms.txt"), listOf(groups, summary));
  const whole = groups.filter(({ text }) => text !== background).flatMap(({ items }) => items);
  const texts = whole
    .map(({ link }) => fileOf(link))
    .filter((path) => !path.startsWith("types/"))
    .map((path) => `<!-- /${path} -->\n\n${readPage(path)}`);
  writeFileSync(join(site, "llms-full.txt"), texts.join("\n"));
}

function listOf(
  groups: readonly PageGroup[],
  { title, description }: { readonly title: string; readonly description: string },
): string {
  return [
    `# ${title}`,
    "",
    `> ${description}`,
    "",
    "Every page is Markdown at these addresses and HTML without `.md`. `/llms-full.txt` has all guides, concepts and reference pages in one text.",
    "",
    ...groups.flatMap(({ text, items }) => [
      `## ${text}`,
      "",
      ...items.map((item) => `- [${item.text}](/${fileOf(item.link)})${firstSentence(item.link)}`),
      "",
    ]),
    "## Lists for programs",
    "",
    "- [Errors](/errors.json): every code with which a facilitator, a seller or a gateway refuses a payment or a request, its meaning, and whether the same payment or request can succeed later (`retryable`)",
    "- [Guarantees](/guarantees.json): what is promised, under which conditions, and the tests that show it",
    "- [Skill](/skills/farthing/SKILL.md): instructions for an agent that sells or buys with Farthing",
    "- `/openapi.json` of a facilitator and of a gateway describe their own operations",
    "",
  ].join("\n");
}

function fileOf(link: string): string {
  const path = link.replace(/^\//, "");
  return path === "" || path.endsWith("/") ? `${path}index.md` : `${path}.md`;
}

/** What a page is about: its first sentence after the heading. */
function firstSentence(link: string): string {
  const text = readPage(fileOf(link));
  const prose = text
    .split(/\n{2,}/)
    .map((part) => part.trim().replaceAll("\n", " "))
    .find((part) => /^[A-Za-z`*[]/.test(part) && !part.startsWith("layout:"));
  const sentence = /^.*?[.:](?= |$)/.exec(prose?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1") ?? "");
  return sentence ? `: ${sentence[0].replace(/[.:]$/, "")}` : "";
}

/** A page as Markdown: without the comments for tools, with links that lead out of docs/ to the repository. */
function readPage(path: string): string {
  const folder = posix.dirname(path);
  return readFileSync(join(docs, path), "utf8")
    .replaceAll(/<!--.*?-->\n*/gs, "")
    .replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
      const target = repositoryTarget(folder, href);
      return target === undefined ? link : `](${target})`;
    });
}

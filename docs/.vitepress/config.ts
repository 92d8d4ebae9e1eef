/**
 * The documentation as a static site: `npm run docs` builds it into docs/.vitepress/dist. Its pages
 * are the Markdown files of docs/, as a reader of the repository sees them. Nothing is loaded from
 * other hosts, and the search runs in the browser.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { asked } from "./asked.ts";
import { drawings } from "./drawings.ts";
import { writeProgramPages, type PageGroup } from "./program-pages.ts";
import { repositoryLinks } from "./repository-links.ts";

const docs = join(import.meta.dirname, "..");

/** A page's first heading. */
function titleOf(path: string): string {
  const text = readFileSync(join(docs, path), "utf8");
  return /^# (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? path;
}

const page = (path: string) => ({
  text: titleOf(`${path}.md`),
  link: `/${path.replace(/index$/, "")}`,
});

/** All pages of a folder: those that are named, in this order, and then the others. */
function pagesOf(folder: string, first: readonly string[] = []) {
  const names = readdirSync(join(docs, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length));
  const rest = names.filter((name) => !first.includes(name)).sort();
  return [...first, ...rest].map((name) => page(`${folder}/${name}`));
}

/** The pages of types, which `npm run docs:types` writes, under the names that programs import. */
function pagesOfTypes() {
  const names = readdirSync(join(docs, "types"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && name !== "index.md")
    .map((name) => name.slice(0, -".md".length));
  return names.sort().map((name) => page(`types/${name}`));
}

const guides = (...names: readonly string[]) => names.map((name) => page(`guides/${name}`));

const summary = {
  title: "Farthing",
  description: "x402 payments in USDC on XDC: for sellers, buyers and operators",
};

/** The pages that people look for, as the sidebar and the lists for programs have them. */
const groups: readonly PageGroup[] = [
  {
    text: "Sell",
    items: guides(
      "sell-with-express",
      "sell-with-the-gateway",
      "sell-behind-your-proxy",
      "price-by-caller",
      "sell-with-the-stock-sdk",
      "python",
      "go",
      "sell-a-subscription",
      "sell-by-use",
      "sell-many-small-calls",
      "give-money-back",
      "sellers-account",
      "extend-payments",
      "go-live",
    ),
  },
  { text: "Buy", items: guides("buy", "agents", "prove-what-you-paid") },
  { text: "Operate", items: guides("run-a-facilitator", "run-on-kubernetes", "upgrade", "grow") },
  { text: "Test", items: [page("guides/test-x402-software"), page("reference/conformance")] },
  {
    text: "Concepts",
    items: pagesOf("concepts", [
      "x402",
      "payment-flow",
      "finality",
      "passes-and-balances",
      "channels",
    ]),
  },
  {
    text: "Reference",
    items: [
      ...pagesOf("reference", ["glossary", "troubleshooting", "runbook"]),
      page("guarantees"),
      page("security"),
      { text: "Types of the packages", link: "/types/" },
    ],
  },
  {
    text: "Background",
    items: [page("benchmarks"), { text: "Decisions", link: "/decisions/" }],
  },
];

/** A part of a page: `titles` are the headings above it, and none for a page's first part. */
type IndexedSection = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly titles: readonly string[];
};

/** How the search index is built. VitePress hands all of it to MiniSearch, and its types name a part. */
const indexOptions = {
  fields: ["title", "titles", "text", "asked"],
  extractField(section: IndexedSection, field: string) {
    if (field !== "asked") return section[field];
    const path = section.id.split("#")[0]?.slice(1) ?? "";
    return section.titles.length === 0 ? (asked[path] ?? []).join(" / ") : "";
  },
  /** Names of code are one word too, beside their parts. */
  tokenize: (text: string) => [
    ...text.split(/[\s\p{Z}\p{P}]+/u),
    ...(text.match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+/gu) ?? []),
  ],
};

/** The functions are sent to the browser as they are, so they use nothing of this file. */
const searchOptions = {
  boost: { title: 4, text: 2, titles: 1, asked: 12 },
  // Words such as "refund" are names in the types many times over; people want the guide.
  boostDocument: (id: string) => (id.includes("/types/") ? 0.1 : 1),
  tokenize: (text: string) => text.match(/[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*/gu) ?? [],
};

export default defineConfig({
  ...summary,
  buildEnd({ pages, outDir }) {
    writeProgramPages(outDir, pages, groups, summary);
  },
  cleanUrls: true,
  // Dates would come from git, which a tarball lacks.
  lastUpdated: false,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/mark.svg" }]],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // As the repository's host makes them, so that links to headings work in both places.
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(/\s/g, "-"),
    },
    config(markdown) {
      markdown.use(repositoryLinks).use(drawings);
    },
  },
  themeConfig: {
    logo: "/mark.svg",
    search: {
      provider: "local",
      options: {
        detailedView: true,
        miniSearch: { options: indexOptions, searchOptions },
      },
    },
    outline: [2, 3],
    notFound: {
      title: "Page not found",
      quote:
        "There is nothing at this address. Search for a word of the page, or begin at the start.",
      // The same as the text: who speaks to a browser says what they see.
      linkLabel: "Go to the start page",
      linkText: "Go to the start page",
    },
    nav: [
      { text: "Guides", link: "/guides/sell-with-express", activeMatch: "/guides/" },
      { text: "Concepts", link: "/concepts/x402", activeMatch: "/concepts/" },
      {
        text: "Reference",
        link: "/reference/configuration",
        activeMatch: "/(reference/(?!troubleshooting)|types/)",
      },
      { text: "Troubleshooting", link: "/reference/troubleshooting" },
    ],
    sidebar: {
      "/decisions/": [
        { text: "Documentation", link: "/" },
        { text: "Decisions", items: pagesOf("decisions", ["index"]) },
      ],
      "/types/": [
        { text: "Documentation", link: "/" },
        { text: "Types of the packages", link: "/types/", items: pagesOfTypes() },
      ],
      "/": [...groups],
    },
  },
});

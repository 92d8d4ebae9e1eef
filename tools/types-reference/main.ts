/**
 * Writes docs/types: a page for each entry point of the libraries, from the comments in their
 * sources. `npm run docs` does this before it builds the site.
 *
 * typedoc reads no TypeScript 7, which compiles everything else. Hence this package has a
 * TypeScript 6 of its own. It only reads: `npm run check` has checked the types.
 */
import { join } from "node:path";
import { Application, type ProjectReflection } from "typedoc";
import { entryPoints } from "./entry-points.ts";

const root = join(import.meta.dirname, "../..");
const points = entryPoints();

/** A module is called as programs import it; typedoc calls it by the path of its source. */
function renameModules(project: ProjectReflection): void {
  for (const module of project.children ?? []) {
    const source = project.getSymbolIdFromReflection(module)?.fileName;
    const point = points.find((one) => one.source === source);
    if (!point) throw new Error(`No entry point is ${source ?? module.name}.`);
    module.name = point.name;
  }
}

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: points.map(({ source }) => source),
  tsconfig: join(root, "tsconfig.json"),
  skipErrorChecking: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  readme: "none",
  // What a program calls comes first, then what it passes and gets.
  groupOrder: ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables"],
  name: "Types of the packages",
  out: join(root, "docs/types"),
  // A link in a comment that leads nowhere is a mistake.
  treatWarningsAsErrors: true,
});
// Options of the plugin, which typedoc's own types do not know.
const page = { outputFileStrategy: "modules", entryFileName: "index", hidePageHeader: true };
const look = { hideBreadcrumbs: true, useCodeBlocks: true, sanitizeComments: true };
// The site numbers headings of the same name in its own way, so links lead to anchors instead.
const anchors = { useHTMLAnchors: true, anchorPrefix: "type-" };
const tables = { parametersFormat: "table", interfacePropertiesFormat: "table" };
for (const [name, value] of Object.entries({ ...page, ...look, ...anchors, ...tables }))
  app.options.setValue(name, value);
const project = await app.convert();
if (!project) throw new Error("typedoc has not read the sources; its messages stand above.");
renameModules(project);
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;

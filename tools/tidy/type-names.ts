/** Names of exported types: inside a package each stands for one thing. */
import { at, isNode, listOf, textOf, type Source } from "./source.ts";

/** Finds the types that more than one file of a package declares and exports. */
export function checkTypeNames(sources: readonly Source[]): string[] {
  const first = new Map<string, string>();
  return sources
    .filter(({ path, isTest }) => !isTest && /^packages\/[^/]+\/src\//.test(path))
    .flatMap((source) =>
      exportedTypes(source).flatMap(({ name, where }) => {
        const key = `${source.path.split("/")[1]} ${name}`;
        const other = first.get(key);
        if (other === undefined) first.set(key, where);
        return other === undefined ? [] : [`${where}: ${name} is also in ${other}; rename one`];
      }),
    );
}

function exportedTypes(source: Source) {
  return source.visits.flatMap(({ node }) => {
    if (node.type !== "ExportNamedDeclaration") return [];
    return listOf([node["declaration"]])
      .filter(isNode)
      .filter(({ type }) => /^(TSInterface|TSTypeAlias|Class)Declaration$/.test(type))
      .map((declared) => declared["id"])
      .filter(isNode)
      .map((id) => ({ name: textOf(id["name"]), where: at(source, id) }));
  });
}

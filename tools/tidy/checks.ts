/** The checks. Each looks at one source and says what to do instead of what it found. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { arrows, bannedNames, layers, onlyRules, typeArrows } from "./rules.ts";
import { checkSizes } from "./sizes.ts";
import { checkWords } from "./words.ts";
import {
  at,
  dotted,
  importedBy,
  importsOf,
  isNode,
  isObject,
  isTestFile,
  resolveFrom,
  textIn,
  textOf,
  type Source,
  type Visit,
} from "./source.ts";

const root = join(import.meta.dirname, "../..");

/** Looks at one source; what it finds is for a person to read. */
export type Check = (source: Source) => readonly string[];

function checkLayers(source: Source): string[] {
  return Object.entries(layers)
    .filter(([home]) => source.path.startsWith(home))
    .flatMap(([home, folders]) => checkLayer(source, home, folders));
}

function checkLayer(source: Source, home: string, folders: string): string[] {
  const order = folders.split(" ");
  const levelOf = (path: string) => {
    const [first = "", ...rest] = path.slice(home.length).split("/");
    const level = order.indexOf(first);
    return level < 0 && rest.length === 0 ? order.length : level;
  };
  const level = levelOf(source.path);
  if (level < 0) {
    return [`${source.path}: its folder has no layer; put the file into one of: ${folders}`];
  }
  if (source.isTest) return [];
  return importsOf(source)
    .filter(({ target }) => target.startsWith("."))
    .map(({ node, target }) => ({ node, to: resolveFrom(source.path, target) }))
    .filter(({ to }) => to.startsWith(home) && levelOf(to) > level)
    .map(
      ({ node, to }) =>
        `${at(source, node)} reaches up to ${to}; take what is needed as an argument, or move it down (${folders}, other files)`,
    );
}

const packages = globSync("{packages,tools}/*/package.json", { cwd: root }).map((path) => {
  const manifest: Readonly<Record<string, unknown>> = JSON.parse(
    readFileSync(join(root, path), "utf8"),
  );
  return { home: dirname(path), name: textOf(manifest["name"]), manifest };
});

const mayImport = (home: string, name: string) =>
  arrows[home] === "*" || (arrows[home] ?? "").split(" ").includes(name);

/** The package of ours that an import names, with the subpath behind it. */
function ourPackage(target: string) {
  const found = packages.find(({ name }) => target === name || target.startsWith(`${name}/`));
  return found && { ...found, subpath: `.${target.slice(found.name.length)}` };
}

/** A package's examples use what its users install beside it. */
const isExample = (path: string) => /^packages\/[a-z]+\/examples\//.test(path);

function checkArrows(source: Source): string[] {
  const home = source.path.split("/").slice(0, 2).join("/");
  const isPackage = home.startsWith("packages/") || packages.some((one) => one.home === home);
  if (isPackage && arrows[home] === undefined) {
    return [`${home} is in no arrow; say in \`arrows\` above what it may import`];
  }
  return importsOf(source).flatMap(({ node, target }) => {
    if (target.startsWith(".")) {
      const to = resolveFrom(source.path, target);
      if (!isPackage || to.startsWith(`${home}/`)) return [];
      return [`${at(source, node)} reaches into ${to}; import that package by its name`];
    }
    const ours = ourPackage(target);
    if (!ours || ours.home === home) return [];
    const exported = isObject(ours.manifest["exports"]) ? ours.manifest["exports"] : {};
    // Tests may look inside a package through `./source/*`, which is not in the published one.
    const isInside = source.isTest && ours.subpath.startsWith("./source/");
    if (!(ours.subpath in exported) && !isInside) {
      return [`${at(source, node)} reaches into ${target}; import what its package.json exports`];
    }
    if (!isPackage || source.isTest || isExample(source.path) || mayImport(home, ours.name))
      return [];
    if (typeArrows[home]?.split(" ").includes(target)) {
      if (node["importKind"] === "type" || node["exportKind"] === "type") return [];
      return [`${at(source, node)} must import types only from ${target}; write import type`];
    }
    return [`${at(source, node)} must not import ${ours.name}; take the thing as an argument`];
  });
}

function matches(pattern: RegExp | undefined, text: string): boolean {
  return text !== "" && pattern !== undefined && pattern.test(text);
}

function checkOnly(name: string): Check {
  const rule = onlyRules[name];
  if (!rule) throw new Error(`no rule ${name}`);
  return (source) => {
    const { path, isTest, visits } = source;
    if (isTest || !rule.scope.test(path)) return [];
    if (rule.home.test(path.replace(rule.scope, ""))) return [];
    return visits
      .filter(
        ({ node }) =>
          matches(rule.imports, importedBy(node)) ||
          (node.type === "Identifier" && matches(rule.names, textOf(node["name"]))) ||
          (node.type === "MemberExpression" && matches(rule.members, dotted(node))) ||
          matches(rule.texts, textIn(node)) ||
          rule.also?.(node) === true,
      )
      .map(({ node }) => `${at(source, node)} knows ${name}; instead: ${rule.instead}`);
  };
}

/** In a feature's folder the name says whose service it is. */
const isServiceOfFeature = (path: string) => /\/features\/[a-z-]+\/service\.ts$/.test(path);

function checkNames({ path }: Source): string[] {
  const stem = basename(path).replace(/(\.(test|suite|testing|config|d))?\.[a-z]+$/, "");
  const parts = [...dirname(path).split("/").slice(1), stem];
  return [
    ...parts
      .filter((part) => bannedNames.test(part) && !isServiceOfFeature(path))
      .map((part) => `${path}: "${part}" says nothing; name it after what it is or does`),
    ...parts
      .filter((part) => !/^[a-z0-9][a-z0-9.-]*$/.test(part))
      .map((part) => `${path}: write "${part}" in kebab-case`),
  ];
}

function checkLeftovers(source: Source): string[] {
  const remarks = source.comments.flatMap((comment) => [
    ...(/\b(FIXME|XXX)\b/.test(comment.value)
      ? [`${at(source, comment)} has a FIXME; fix it, or open an issue and write TODO #number`]
      : []),
    ...(/\bTODO\b(?![^\n]*#\d)/.test(comment.value)
      ? [`${at(source, comment)} has a TODO without an issue; write TODO #number, or do it`]
      : []),
  ]);
  const only = source.visits
    .filter(({ node }) => /^(describe|test|it)(\.\w+)*\.only$/.test(dotted(node)))
    .map(({ node }) => `${at(source, node)} runs only this test; remove .only`);
  return [...remarks, ...only];
}

function isSleep({ node, parent }: Visit): boolean {
  if (/^node:timers\/promises$/.test(importedBy(node))) return true;
  if (node.type !== "CallExpression") return false;
  const callee = dotted(node["callee"]);
  if (callee === "systemClock.sleep") return true;
  let around = parent;
  while (around && !/Function/.test(around.node.type)) around = around.parent;
  return (
    /^(globalThis\.)?setTimeout$/.test(callee) &&
    dotted(around?.parent?.node["callee"]) === "Promise"
  );
}

function isRetry({ node, parent }: Visit): boolean {
  let call = parent?.parent?.node;
  while (call?.type === "CallExpression" && isNode(call["callee"]) && !dotted(call["callee"])) {
    call = call["callee"];
  }
  return (
    node.type === "Property" &&
    dotted(node["key"]) === "retry" &&
    /^(describe|test|it)(\.|$)/.test(dotted(call?.["callee"]))
  );
}

function checkTests(source: Source): string[] {
  const { path, isTest, visits } = source;
  if (!isTest) {
    return importsOf(source)
      .filter(({ target }) => isTestFile(target))
      .map(
        ({ node }) => `${at(source, node)} imports what only tests run; move it to a source file`,
      );
  }
  const sleeps = path.endsWith(".testing.ts") ? [] : visits.filter(isSleep);
  return [
    ...sleeps.map(
      ({ node }) => `${at(source, node)} sleeps; wait for the thing, or move the clock`,
    ),
    ...visits
      .filter(isRetry)
      .map(({ node }) => `${at(source, node)} retries a test; find out why it fails now and then`),
  ];
}

/** Dependencies that npm installs must follow the arrows too. */
export function wrongDependencies(): string[] {
  return packages
    .filter(({ home }) => arrows[home] !== undefined)
    .flatMap(({ home, manifest }) =>
      ["dependencies", "peerDependencies", "optionalDependencies"]
        .flatMap((kind) => Object.keys(isObject(manifest[kind]) ? manifest[kind] : {}))
        .filter((name) => ourPackage(name) && !mayImport(home, name))
        .map((name) => `${home}/package.json depends on ${name}; an arrow forbids it, remove it`),
    );
}

/** All checks by what they keep. */
export const checks: Readonly<Record<string, Check>> = {
  "a folder imports only the folders below it": checkLayers,
  "a package imports only its neighbours, by what they export": checkArrows,
  "nothing grows too long": checkSizes,
  "names say something": checkNames,
  "names use the field's words": checkWords,
  "nothing is left over": checkLeftovers,
  "tests are the real thing": checkTests,
  ...Object.fromEntries(Object.keys(onlyRules).map((name) => [name, checkOnly(name)])),
};

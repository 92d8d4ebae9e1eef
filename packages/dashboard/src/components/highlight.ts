/** Syntax highlighting; a file of its own, which only screens with code load. */
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const languages = { bash, go, json, python, typescript, yaml };

export type Language = keyof typeof languages;

export type HighlightedNode =
  | { readonly type: "text"; readonly value: string }
  | {
      readonly type: "element";
      readonly classes: string;
      readonly children: readonly HighlightedNode[];
    };

const { highlight: parse } = createLowlight(languages);

export function highlight(language: Language, code: string): readonly HighlightedNode[] {
  return nodesOf(parse(language, code).children);
}

type Parsed = ReturnType<typeof parse>["children"];

function nodesOf(parsed: Parsed): HighlightedNode[] {
  return parsed.flatMap((node): HighlightedNode[] => {
    if (node.type === "text") return [{ type: "text", value: node.value }];
    if (node.type !== "element") return [];
    const { className } = node.properties;
    const classes = Array.isArray(className) ? className.join(" ") : "";
    return [{ type: "element", classes, children: nodesOf(node.children) }];
  });
}

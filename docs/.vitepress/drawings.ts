/**
 * Drawings stand in the page itself, so that they have the site's colours in light and in dark. In
 * the repository, where they are images, a style of their own follows the reader's system.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { MarkdownRenderer } from "vitepress";

export function drawings(markdown: MarkdownRenderer): void {
  const { image } = markdown.renderer.rules;
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const source = tokens[index]?.attrGet("src") ?? "";
    if (!source.endsWith(".svg")) {
      return image?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
    }
    const folder = posix.dirname(env.relativePath);
    const svg = readFileSync(join(import.meta.dirname, "..", folder, source), "utf8");
    const drawing = svg.replace(/<style>.*?<\/style>/s, "").replaceAll(/\n\s*/g, "");
    // It can be scrolled with the keys of a keyboard.
    return `<span class="drawing-frame" tabindex="0">${drawing}</span>`;
  };
}

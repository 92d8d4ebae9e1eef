/**
 * A bought page, shown in a frame of its own: no script runs there, nothing is sent, nothing is
 * loaded. The policy of this page holds in the frame too and would take its styles away; they are
 * put back as objects, which are none of the policy's business and cannot do anything but style.
 */
import { el } from "./element.ts";

/** Builds the frame. */
export function showBoughtPage(html: string): HTMLElement {
  const bought = new DOMParser().parseFromString(html, "text/html");
  const sheets = [...bought.querySelectorAll("style")].map((style) => style.textContent);
  const styled = [...bought.querySelectorAll("[style]")].map((element) => {
    const text = element.getAttribute("style") ?? "";
    element.removeAttribute("style");
    element.setAttribute(mark, "");
    return text;
  });
  for (const left of bought.querySelectorAll("style, script, link, meta, base")) left.remove();
  const frame = el("iframe", {
    // Not to run anything, but to be reachable from here.
    sandbox: "allow-same-origin",
    srcdoc: `<!doctype html>${bought.documentElement.outerHTML}`,
    title: "What you paid for",
  });
  frame.addEventListener("load", () => dress(frame, sheets, styled));
  return frame;
}

/** Tells which elements had a style of their own, in their order. */
const mark = "data-farthing-style";

function dress(
  { contentDocument, contentWindow }: HTMLIFrameElement,
  sheets: readonly string[],
  styled: readonly string[],
): void {
  const Sheet: unknown = contentWindow && Reflect.get(contentWindow, "CSSStyleSheet");
  if (!contentDocument || typeof Sheet !== "function") return;
  contentDocument.adoptedStyleSheets = sheets.map((text) => {
    const sheet: CSSStyleSheet = Reflect.construct(Sheet, []);
    sheet.replaceSync(text);
    return sheet;
  });
  for (const [at, element] of contentDocument.querySelectorAll(`[${mark}]`).entries()) {
    const style: unknown = Reflect.get(element, "style");
    if (style) Reflect.set(style, "cssText", styled[at] ?? "");
  }
}

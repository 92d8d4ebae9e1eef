/** Shows what was bought: text, JSON, an image or a page; other content is a file to save. */
import { el } from "./screen.ts";
import { fill, texts } from "./texts.ts";

const words = texts.content;

/** Longer texts are saved: browsers show a few million characters in one box at most. */
const shownBytesMax = 2 * 1024 * 1024;

/** Resolves when the content is complete. */
export async function showContent(response: Response): Promise<HTMLElement> {
  const type =
    (response.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream" && response.body) return eventBox(response.body);
  const blob = await response.blob();
  const save = saveLink(response, blob, type);
  if (blob.size === 0) return el("div", {}, el("p", {}, words.empty));
  const view = await viewOf(response, blob, type);
  return el("div", { class: "content" }, view, el("p", {}, save));
}

async function viewOf(response: Response, blob: Blob, type: string): Promise<HTMLElement> {
  const isFile = /^attachment/i.test(response.headers.get("Content-Disposition") ?? "");
  if (isFile || blob.size > shownBytesMax) return el("p", {}, words.file);
  if (type.startsWith("image/")) {
    return el("img", { src: URL.createObjectURL(blob), alt: words.bought });
  }
  if (type === "text/html") return showBoughtPage(await blob.text());
  if (/^application\/(.*\+)?json$/.test(type)) return textBox(indented(await blob.text()));
  if (/^text\/|^application\/(.*\+)?(xml|yaml|javascript|x-ndjson)$/.test(type)) {
    return textBox(await blob.text());
  }
  return el("p", {}, words.file);
}

function textBox(text: string): HTMLElement {
  return el("pre", { tabindex: "0", "aria-label": words.bought }, text);
}

/** Shows events as they arrive; the last one is not known. */
function eventBox(events: ReadableStream<Uint8Array<ArrayBuffer>>): HTMLElement {
  const box = textBox("");
  let left = shownBytesMax;
  const text = new WritableStream<string>({
    write(part) {
      box.append(part.slice(0, left));
      left -= part.length;
      // Ends the stream at its source as well.
      if (left <= 0) throw new Error("Too long to show.");
    },
  });
  events
    .pipeThrough(new TextDecoderStream())
    .pipeTo(text)
    .catch(() => box.append(`\n${words.ended}`));
  return el("div", { class: "content" }, box);
}

/** Indented unless that changes something, such as numbers too long for JavaScript. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    // Most languages write spaces between tokens; those in strings stay.
    const bare = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
    const isSame = JSON.stringify(value) === bare;
    return isSame ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

function saveLink(response: Response, blob: Blob, type: string): HTMLElement {
  const named = /filename="?([^";]+)"?/i.exec(response.headers.get("Content-Disposition") ?? "");
  const last = location.pathname.split("/").at(-1) || "content";
  const ending = last.includes(".") ? "" : `.${/\w+$/.exec(type)?.[0] ?? "bin"}`;
  const download = named?.[1] ?? `${last}${ending}`;
  return el(
    "a",
    { href: URL.createObjectURL(blob), download },
    fill(words.save, { name: download }),
  );
}

/**
 * A bought page in a frame of its own: no script runs there and nothing is loaded. This page's policy
 * applies in the frame too and would remove its styles, so they are added back as objects.
 */
function showBoughtPage(html: string): HTMLElement {
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
    // Runs nothing, but lets this page reach into the frame.
    sandbox: "allow-same-origin",
    srcdoc: `<!doctype html>${bought.documentElement.outerHTML}`,
    title: words.bought,
  });
  frame.addEventListener("load", () => restoreStyles(frame, sheets, styled));
  return frame;
}

/** Marks the elements with a style of their own, in their order. */
const mark = "data-farthing-style";

function restoreStyles(
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

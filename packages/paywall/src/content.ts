/** Shows what was bought: text, JSON, an image or a page; anything else is a file to save. */
import { showBoughtPage } from "./bought-page.ts";
import { el } from "./element.ts";

/** Longer texts are saved, not shown: a browser stops at a few million characters in one box. */
const shownBytesMax = 2 * 1024 * 1024;

/** Builds the view of an answer's content; waits until it is there. */
export async function showContent(response: Response): Promise<HTMLElement> {
  const type =
    (response.headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/event-stream" && response.body) return eventBox(response.body);
  const blob = await response.blob();
  const save = saveLink(response, blob, type);
  if (blob.size === 0) return el("div", {}, el("p", {}, "The content is empty."));
  const view = await viewOf(response, blob, type);
  return el("div", { class: "content" }, view, el("p", {}, save));
}

async function viewOf(response: Response, blob: Blob, type: string): Promise<HTMLElement> {
  const isFile = /^attachment/i.test(response.headers.get("Content-Disposition") ?? "");
  if (isFile || blob.size > shownBytesMax) return el("p", {}, "Your file is ready.");
  if (type.startsWith("image/")) {
    return el("img", { src: URL.createObjectURL(blob), alt: "What you paid for" });
  }
  if (type === "text/html") return showBoughtPage(await blob.text());
  if (/^application\/(.*\+)?json$/.test(type)) return textBox(indented(await blob.text()));
  if (/^text\/|^application\/(.*\+)?(xml|yaml|javascript|x-ndjson)$/.test(type)) {
    return textBox(await blob.text());
  }
  return el("p", {}, "Your file is ready.");
}

function textBox(text: string): HTMLElement {
  return el("pre", { tabindex: "0", "aria-label": "What you paid for" }, text);
}

/** Shows events as they arrive; there is no telling which one is the last. */
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
    .catch(() => box.append("\n… (ended)"));
  return el("div", { class: "content" }, box);
}

/** Indented where that changes nothing else: numbers too long for JavaScript stay as they came. */
function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    // Most languages put spaces between the parts of what they write; those in strings stay.
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
  return el("a", { href: URL.createObjectURL(blob), download }, `Save as ${download}`);
}

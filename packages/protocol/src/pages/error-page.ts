/** The page that people get in place of an error response: what happened, and the way back. */
import { html } from "./html.ts";
import { writePage, type PageParts } from "./page.ts";

export interface ErrorPageParts extends Pick<PageParts, "links"> {
  readonly status: number;
  /** The members of the response that programs get. */
  readonly error: string;
  readonly message: string;
  /** By which the operator finds the request in the log. */
  readonly requestId?: string | undefined;
}

interface Words {
  readonly title: string;
  readonly text: string;
}

const notAllowed = {
  title: "Not available in a browser",
  text: "This address is for programs, which sign in with an API key or a session.",
};

const away = {
  title: "Not available right now",
  text: "Nothing is wrong with the address. Try again in a moment.",
};

const wordsOf: Readonly<Record<number, Words>> = {
  401: notAllowed,
  403: notAllowed,
  404: {
    title: "Page not found",
    text: "There is nothing at this address. Check it for a typing mistake, or begin at the start page.",
  },
  405: {
    title: "Not available in a browser",
    text: "This address is for programs, which send their requests with another method.",
  },
  421: { title: "Unknown host", text: "This server does not serve the host in the address." },
  429: {
    title: "Too many requests",
    text: "Wait a few seconds, then load the page again.",
  },
  500: {
    title: "Something went wrong",
    text: "The error is in the operator's log. The details below help to find it.",
  },
  502: away,
  503: away,
  504: away,
};

const refused: Words = {
  title: "The request was refused",
  text: "The server could not use this request as it was sent.",
};

export function writeErrorPage(parts: ErrorPageParts): string {
  const { status, error, message, requestId, links } = parts;
  const { title, text } = wordsOf[status] ?? (status < 500 ? refused : away);
  return writePage({
    title: `${title} · ${status}`,
    description: text,
    links,
    body: html`<section>
        <h1>${title}</h1>
        <p class="lead">${text}</p>
      </section>
      <p class="row">
        ${status === 421 ? undefined : html`<a class="action" href="/">Go to the start page</a>`}
      </p>
      <section class="card">
        <h2>Details</h2>
        <dl class="facts">
          <dt>Status</dt>
          <dd>${status}</dd>
          <dt>Code</dt>
          <dd><code>${error}</code></dd>
          <dt>Message</dt>
          <dd>${message}</dd>
          ${
            requestId === undefined
              ? undefined
              : html`<dt>Request ID</dt>
                  <dd><code>${requestId}</code></dd>`
          }
        </dl>
      </section>`,
  });
}

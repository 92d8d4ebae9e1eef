/**
 * The pages behind the links in mails. Opening one changes nothing, because programs that check
 * mail for malware open links; the button on it does, and so does a mail program (RFC 8058).
 */
import { html, htmlPageHeaders, member, isObject, writePage, type Html } from "@farthing/protocol";
import { dashboardPath } from "../../http/site/dashboard.ts";
import type { Throttle } from "../../http/access/limits.ts";
import { siteLinks } from "../../http/site/site-links.ts";
import type { SiteAddress } from "../../http/site/site.ts";
import type { TypeBoxProvider, TypedServer } from "../../http/messages/type-provider.ts";
import { confirmPath, unsubscribePath } from "./links.ts";
import type { Emails } from "./service.ts";

/** Forms of browsers and of mail programs, whose content says nothing. */
const formTypes = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
const formBytesMax = 4_096;

/** Values of links are short. */
const valueCharsMax = 100;

interface PageDeps extends Pick<SiteAddress, "site"> {
  readonly emails: Pick<Emails, "confirm" | "unsubscribe">;
  readonly throttle: Throttle;
}

interface LinkPage {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly doneTitle: string;
  readonly doneText: string;
  /** Returns false for a link that is not valid, or not any more. */
  use(value: (name: string) => string): Promise<boolean>;
}

export async function registerEmailPages(server: TypedServer, deps: PageDeps): Promise<void> {
  const { emails } = deps;
  const pages: readonly LinkPage[] = [
    {
      path: confirmPath,
      title: "Confirm your e-mail address",
      text: "Notices about payments are sent to your address once you confirm it.",
      button: "Confirm address",
      doneTitle: "Address confirmed",
      doneText: "Notices are sent to it from now on. Each has a link to unsubscribe.",
      use: (value) => emails.confirm(value("token")),
    },
    {
      path: unsubscribePath,
      title: "Unsubscribe from notices",
      text: "Your address is removed, and no more notices are sent to it.",
      button: "Unsubscribe",
      doneTitle: "Unsubscribed",
      doneText: "No more notices are sent to your address.",
      use: (value) => emails.unsubscribe(value("id"), value("key")),
    },
  ];
  await server.register(async (plain) => {
    const scope: TypedServer = plain.withTypeProvider<TypeBoxProvider>();
    scope.addContentTypeParser(
      formTypes,
      { parseAs: "string", bodyLimit: formBytesMax },
      async () => ({}),
    );
    for (const page of pages) registerPage(scope, page, deps);
  });
}

function registerPage(server: TypedServer, page: LinkPage, { site, throttle }: PageDeps): void {
  const headers = { ...htmlPageHeaders(), "Cache-Control": "no-store" };
  const write = (title: string, body: Html) =>
    writePage({
      title: `${title} · Farthing`,
      description: page.text,
      links: siteLinks(true, site().docsUrl),
      body: html`<section><h1>${title}</h1></section>
        ${body}`,
    });
  server.get(page.path, async (request, reply) => {
    await throttle(request, reply, null);
    const form = html`<form class="card" method="post">
      <p>${page.text}</p>
      <button>${page.button}</button>
    </form>`;
    return reply.headers(headers).send(write(page.title, form));
  });
  server.post(page.path, async (request, reply) => {
    await throttle(request, reply, null);
    const { query } = request;
    const isDone = await page.use((name) => {
      const value = isObject(query) ? member(query, name) : undefined;
      return typeof value === "string" && value.length <= valueCharsMax ? value : "";
    });
    reply.status(isDone ? 200 : 400).headers(headers);
    if (isDone) {
      const done = html`<section class="card"><p>${page.doneText}</p></section>`;
      return reply.send(write(page.doneTitle, done));
    }
    const invalid = html`<section class="card">
      <p>
        The link has been used, has expired, or was replaced by a later one. A member of the account
        can send a new one on the <a href="${dashboardPath}/settings">dashboard</a>.
      </p>
    </section>`;
    return reply.send(write("This link is not valid any more", invalid));
  });
}

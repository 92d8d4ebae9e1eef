/** A mail server on this machine, for tests: real SMTP, with a password, and TLS where wanted. */
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";
import type { Browser } from "./browser.testing.ts";
import { textAt } from "./facilitator.testing.ts";
import type { ServerIdentity } from "./certificates.testing.ts";

export interface ReceivedMail {
  readonly to: readonly string[];
  /** As sent, headers and body. */
  readonly source: string;
  readonly isEncrypted: boolean;
}

export interface TestMailServer {
  /** For FARTHING_SMTP_URL. */
  readonly url: string;
  /** Of a facilitator that sends through it. */
  readonly env: Readonly<Record<string, string>>;
  readonly received: ReceivedMail[];
  /** While set, mails are refused with this status. */
  refusing: number | undefined;
  stop(): Promise<void>;
}

/** Starts one; with an identity, passwords are accepted after STARTTLS alone. */
export async function startMailServer(
  identity?: ServerIdentity,
  port = 0,
): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...identity,
    // The library brings a certificate of its own.
    ...(identity ? {} : { hideSTARTTLS: true, allowInsecureAuth: true }),
    onAuth: ({ username, password }, _, done) =>
      username === "notices" && password === "p@ss"
        ? done(null, { user: username })
        : done(new Error("wrong password")),
    onData(stream, { envelope, secure }, done) {
      const to = envelope.rcptTo.map(({ address }) => address);
      let source = "";
      stream.on("data", (chunk) => (source += String(chunk)));
      stream.on("end", () => {
        const { refusing } = mail;
        if (refusing === undefined) {
          received.push({ to, source, isEncrypted: secure });
          done();
        } else done(Object.assign(new Error("not now"), { responseCode: refusing }));
      });
    },
  });
  server.on("error", () => undefined);
  const own = await new Promise<number>((resolve) => {
    const listening = server.listen(port, "127.0.0.1", () => {
      const at = listening.address();
      resolve(typeof at === "object" && at ? at.port : 0);
    });
  });
  const url = `smtp://notices:p%40ss@127.0.0.1:${own}`;
  const from = "Pay Example <notices@pay.example>";
  const mail: TestMailServer = {
    url,
    env: { FARTHING_SMTP_URL: url, FARTHING_MAIL_FROM: from },
    received,
    refusing: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
  return mail;
}

export async function mailServerForTest(...input: Parameters<typeof startMailServer>) {
  const server = await startMailServer(...input);
  onTestFinished(() => server.stop());
  return server;
}

/** A header of a mail, unfolded; empty where there is none. */
export function headerOf({ source }: ReceivedMail, name: string): string {
  const [head = ""] = source.split("\r\n\r\n", 1);
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, " ");
  return new RegExp(`^${name}: (.*)$`, "im").exec(unfolded)?.[1] ?? "";
}

/** The whole mail with its quoted-printable text as written. */
export function readable({ source }: ReceivedMail): string {
  return source
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Every operation with an address, for the test of the description. */
export async function useEmails(browser: Browser): Promise<void> {
  const path = "/v1/account/emails";
  const made = await browser.post(path, {
    address: "anna@shop.example",
    events: ["credits.low"],
  });
  const own = `${path}/${textAt(made.body, "id")}`;
  await browser.get(path);
  await browser.send("PATCH", own, { events: ["webhook.paused"] });
  await browser.post(`${own}/link`, {});
  await browser.send("DELETE", own);
}

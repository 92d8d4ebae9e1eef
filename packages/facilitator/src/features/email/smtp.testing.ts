/** A mail server on this machine, for tests: real SMTP, with a password, and TLS where wanted. */
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";
import type { ServerIdentity } from "../../../test/support/certificates.testing.ts";

export interface ReceivedMail {
  readonly to: readonly string[];
  /** As sent, headers and body. */
  readonly source: string;
  readonly isEncrypted: boolean;
}

export interface TestMailServer {
  /** For FARTHING_SMTP_URL. */
  readonly url: string;
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
    onData(stream, session, done) {
      void text(stream).then((source) => {
        if (mail.refusing !== undefined) {
          return done(Object.assign(new Error("not now"), { responseCode: mail.refusing }));
        }
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, source, isEncrypted: session.secure });
        return done();
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
  const mail: TestMailServer = {
    url: `smtp://notices:p%40ss@127.0.0.1:${own}`,
    received,
    refusing: undefined,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
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

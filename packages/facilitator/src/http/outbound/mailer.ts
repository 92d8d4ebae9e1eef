/** Sends e-mail through the operator's SMTP server. The library is loaded with the first message. */
import { isLoopback } from "@farthing/protocol";
import type { Secret } from "@farthing/engine/base";
import type { Sender } from "../messages/email-address.ts";

/** Time for each step of SMTP, and between two pieces of a reply: a slow server answers in seconds. */
const stepTimeoutMs = 10_000;

/** Time for all of a mail, whose reply may come in pieces without end; a lease lasts longer. */
const mailTimeoutMsDefault = 60_000;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The part of the Message-ID before the sender's domain; the same in every attempt. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type MailOutcome =
  | { readonly kind: "accepted" }
  /**
   * `status` is the server's, null without a connection. `problem` names neither the address nor
   * what the server said, which may contain it.
   */
  | { readonly kind: "failed"; readonly status: number | null; readonly problem: string };

/** Its methods never throw. */
export type Mailer = ReturnType<typeof createMailer>;

export interface MailSettings {
  readonly url: Secret;
  readonly from: Sender;
  /** Additional certificate authorities, PEM. */
  readonly extraCa?: string | undefined;
  /** Time for all of a mail. */
  readonly mailTimeoutMs?: number;
}

export function createMailer(settings: MailSettings) {
  const { url, from, extraCa, mailTimeoutMs = mailTimeoutMsDefault } = settings;
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);

  async function open() {
    const [{ createTransport }, { rootCertificates }] = await Promise.all([
      import("nodemailer"),
      import("node:tls"),
    ]);
    const { protocol, hostname, port, username, password } = new URL(url.expose());
    const secure = protocol === "smtps:";
    const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    return createTransport({
      host: hostname.replaceAll(/[[\]]/g, ""),
      port: port === "" ? (secure ? 465 : 587) : Number(port),
      secure,
      // Passwords and notices pass in clear on this machine only.
      requireTLS: !secure && !isLoopback(hostname),
      ...(username !== "" && { auth }),
      ...(extraCa !== undefined && { tls: { ca: [...rootCertificates, extraCa] } }),
      connectionTimeout: stepTimeoutMs,
      greetingTimeout: stepTimeoutMs,
      socketTimeout: stepTimeoutMs,
      dnsTimeout: stepTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  let opened: ReturnType<typeof open> | undefined;
  const transport = () => (opened ??= open());

  return {
    async send({ to, id, headers = {}, ...content }: Mail): Promise<MailOutcome> {
      return attempt(async () => {
        await (
          await transport()
        ).sendMail({
          ...content,
          signal: AbortSignal.timeout(mailTimeoutMs),
          from,
          to: { name: "", address: to },
          messageId: `<${id}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated", ...headers },
        });
      });
    },
    /** Connects and signs in, and sends nothing. */
    async check(): Promise<MailOutcome> {
      return attempt(async () => {
        await within((await transport()).verify(), AbortSignal.timeout(mailTimeoutMs));
      });
    },
  };
}

/** Ends the wait for what takes no signal itself. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error("timed out"), { code: "ETIMEDOUT" });
    signal.addEventListener("abort", () => reject(late), { once: true });
    work.then(resolve, reject);
  });
}

async function attempt(work: () => Promise<void>): Promise<MailOutcome> {
  try {
    await work();
    return { kind: "accepted" };
  } catch (error) {
    return { kind: "failed", status: statusOf(error), problem: problemOf(error) };
  }
}

function member(error: unknown, name: "code" | "responseCode"): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}

function statusOf(error: unknown): number | null {
  const status = member(error, "responseCode");
  return typeof status === "number" ? status : null;
}

const problems: Readonly<Record<string, string>> = {
  EAUTH: "The mail server did not accept the user name and password.",
  ETLS: "The mail server offers no encryption, or its certificate is not trusted.",
  EDNS: "The name of the mail server was not found.",
  ETIMEDOUT: "The mail server did not answer in time.",
  EABORT: "The mail server did not answer in time.",
  ECONNECTION: "The mail server cannot be reached.",
  ESOCKET: "The mail server cannot be reached, or its certificate is not trusted.",
};

function problemOf(error: unknown): string {
  const code = member(error, "code");
  const known = typeof code === "string" ? problems[code] : undefined;
  const status = statusOf(error);
  if (known !== undefined) return known;
  return status === null
    ? "The mail server could not take the message."
    : `The mail server answered ${status}.`;
}

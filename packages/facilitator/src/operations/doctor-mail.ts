/** The mail server: whether it can be reached and signed in to. Nothing is sent. */
import { type CheckLine, fail, ok, warn } from "@farthing/engine/base";
import type { Config } from "../config/config.ts";
import { createMailer } from "../http/outbound/mailer.ts";

export async function checkMail(
  { publicUrl, outboundCa }: Pick<Config, "publicUrl" | "outboundCa">,
  mail: NonNullable<Config["mail"]>,
): Promise<CheckLine[]> {
  const { host } = new URL(mail.url.expose());
  const outcome = await createMailer({ ...mail, extraCa: outboundCa }).check();
  const server =
    outcome.kind === "accepted"
      ? ok("mail server", `signed in to ${host}, sender ${mail.from.address}`)
      : fail(
          "mail server",
          `${host}: ${outcome.problem}`,
          "check FARTHING_SMTP_URL: host, port, user and password",
        );
  if (publicUrl !== undefined) return [server];
  const text = "links in mails lead to this machine";
  return [server, warn("links", text, "set FARTHING_PUBLIC_URL to the address of the service")];
}

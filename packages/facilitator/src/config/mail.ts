/** Reads the settings of e-mail. */
import { parseSender } from "../http/messages/email-address.ts";
import type { ReadSetting } from "./settings-table.ts";
import { smtpUrl } from "./values.ts";

/** Undefined if no e-mail is sent. */
export function readMail(
  read: ReadSetting,
  texts: ReadonlyMap<string, string>,
  problems: string[],
) {
  const url = read("FARTHING_SMTP_URL", smtpUrl);
  const from = read("FARTHING_MAIL_FROM", parseSender);
  if (texts.has("FARTHING_SMTP_URL") !== texts.has("FARTHING_MAIL_FROM")) {
    problems.push("FARTHING_SMTP_URL and FARTHING_MAIL_FROM belong together; set both.");
  }
  return url && from && { url, from };
}

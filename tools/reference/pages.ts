/** The reference pages that are made from tables in the code, so that they cannot drift from it. */
import { settings } from "@farthing/facilitator";
import { refusal, refusalCodes, x402ReasonOf } from "@farthing/protocol";

/** Pages by their place in docs/reference. */
export const pages: Readonly<Record<string, () => string>> = {
  "configuration.md": configurationPage,
  "refusals.md": refusalsPage,
};

const made = "<!-- Made by `npm run reference` from the code. Do not edit. -->";

function configurationPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = "fallback" in setting ? `\`${setting.fallback}\`` : "";
    return `| \`${name}\` | \`${setting.key}\` | ${setting.shape} | ${fallback} | ${cell(setting.example)} |`;
  });
  return [
    made,
    "# Configuration of the facilitator",
    "",
    "Every setting is an environment variable. Any of them can be given as `NAME_FILE`, the path of a file that holds the value: the way for keys and URLs with passwords. `FARTHING_CONFIG` names a YAML file with the same settings under their short names, lists written as YAML lists; a variable wins over the file. Whatever is unknown or wrong stops the start with a line that says what to write.",
    "",
    "| variable | in the YAML file | value | default | example |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function refusalsPage(): string {
  const rows = refusalCodes.map(
    (code) => `| \`${code}\` | \`${x402ReasonOf(code)}\` | ${cell(refusal(code).message)} |`,
  );
  return [
    made,
    "# Refusals",
    "",
    "`invalidReason` of `/verify` and `errorReason` of `/settle` carry one of these codes, beside HTTP 200. `extra.x402Reason` is the name that other x402 software uses for it. The message of an answer usually says more than the one here: what was found, and what to change.",
    "",
    "| code | `extra.x402Reason` | message |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

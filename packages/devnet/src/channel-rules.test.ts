/**
 * The stand-in of the channel contract, and any other code: `FARTHING_CHANNEL_CODE` names a JSON file
 * with the runtime code of `contract` and `collector`, which is then held to the same rules.
 */
import { readFileSync } from "node:fs";
import { isObject } from "@farthing/protocol";
import { channelRules } from "./channel-rules.suite.ts";

channelRules("the stand-in");

const file = process.env["FARTHING_CHANNEL_CODE"];
if (file !== undefined) {
  const code: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isObject(code) || !isHex(code["contract"]) || !isHex(code["collector"])) {
    throw new Error(`${file} must have the members contract and collector, as 0x and hex digits`);
  }
  const { contract, collector } = code;
  channelRules(`the code of ${file}`, {
    contract,
    collector,
  });
}

function isHex(value: unknown): value is `0x${string}` {
  return typeof value === "string" && /^0x[0-9a-f]+$/i.test(value);
}

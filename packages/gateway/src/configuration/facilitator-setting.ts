/** The setting that says who settles. */
import { maxFacilitators } from "@farthing/seller";
import { Type } from "typebox";
import { baseUrl } from "./parse-setting.ts";
import { duration, group, oneOf, parsed, text } from "./setting-kinds.ts";

const remoteFacilitator = group(
  "a remote facilitator",
  { url: parsed(baseUrl, "its base address, http or https", "https://facilitator.example") },
  {
    apiKey: text("the seller's key there", "${X402_API_KEY}", { isSecret: true }),
    timeout: duration("longest wait for one response", "30s"),
    name: text(
      "what payment records, logs and metrics call it: its address when absent. Set the old address here when the same facilitator moves to another one",
      "main",
      { maxLength: 200 },
    ),
  },
);
const embeddedFacilitator = oneOf(
  "an engine in the same process, configured like `farthing serve`",
  ["embedded"],
);

export const facilitatorSetting = Type.Union(
  [
    remoteFacilitator,
    embeddedFacilitator,
    Type.Array(
      Type.Union([remoteFacilitator, embeddedFacilitator], {
        description: "one of several facilitators: { url: … } or embedded",
        examples: ["embedded"],
      }),
      {
        description:
          "several in the order in which they are asked; a payment is settled by the one that verified it",
        minItems: 1,
        maxItems: maxFacilitators,
      },
    ),
  ],
  {
    description:
      "who settles: { url: … } of a remote facilitator, embedded for an engine in the same process, or a list of them",
    examples: ["embedded"],
  },
);

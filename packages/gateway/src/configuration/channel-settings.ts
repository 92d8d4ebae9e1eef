/** The settings of payment channels: how a route is sold by them, and who signs for them. */
import { withdrawDelayMax, withdrawDelayMin } from "@farthing/protocol";
import { parseValidFor } from "@farthing/seller";
import { Type } from "typebox";
import { price } from "./parse-setting.ts";
import {
  group,
  headerNamePattern,
  optionalGroup,
  parsed,
  text,
  usdcPattern,
  yesOrNo,
} from "./setting-kinds.ts";

/** Returns a delay as it is written, where it is one. */
function withdrawDelay(text: string): string | undefined {
  const seconds = (parseValidFor(text) ?? 0) / 1000;
  return seconds >= withdrawDelayMin && seconds <= withdrawDelayMax ? text : undefined;
}

export const channelSetting = Type.Union(
  [
    Type.Boolean({ description: "true: with the defaults" }),
    group(
      "how it is sold by channels",
      {},
      {
        withdrawDelay: parsed(
          withdrawDelay,
          "how long a payer's own withdrawal takes, 15m to 30d and 1d when omitted; what was charged has to be claimed within it",
          "1d",
          { pattern: "^[1-9][0-9]{0,8}[smhd]$" },
        ),
        minDeposit: parsed(
          price,
          "what buyers are asked to deposit, USDC as text in quotes; ten requests when omitted",
          "0.50",
          { pattern: usdcPattern },
        ),
        only: yesOrNo("whether the route takes no single payments", false),
        costHeader: text(
          "the upstream's header with the cost of a request in USDC, at most the price; it never reaches the buyer. Without it and without costFrom, a request costs its price",
          "X-Cost",
          { pattern: headerNamePattern, maxLength: 100 },
        ),
      },
    ),
  ],
  {
    description:
      "sells by payment channels too: one deposit, then a voucher for each request, whose price is the most that it costs",
    examples: [true],
  },
);

export const channelsSettings = optionalGroup("how the gateway serves payment channels", {
  authorizerKey: text(
    "the private key that signs claims and refunds of channels, 0x and 64 hex digits; it holds no money, and channels name its address for ever. Without it, a facilitator with an apiKey signs them",
    "${CHANNEL_KEY}",
    { isSecret: true },
  ),
  maxUnvaulted: parsed(
    price,
    "with an apiKey, the most that a channel is served beyond what the facilitator has acknowledged to keep, USDC as text in quotes; 0.10 when omitted, and never less than three requests",
    "0.10",
    { pattern: usdcPattern },
  ),
});

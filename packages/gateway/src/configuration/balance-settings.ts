/** The settings of routes that are sold by use: the balance, and what requests cost. */
import { parseUsdc } from "@farthing/protocol";
import { Type } from "typebox";
import { price } from "./parse-setting.ts";
import { group, headerNamePattern, oneOf, parsed, text, usdcPattern } from "./setting-kinds.ts";

const tokenPrice = (kind: string, example: string) =>
  parsed(parseUsdc, `USDC for a million ${kind} tokens, as text in quotes`, example, {
    pattern: usdcPattern,
  });

export const balanceSettings = {
  balance: group(
    "payments top up a balance, which the header PAYMENT-PASS shows, and each request costs what it costs; takes the place of price",
    {
      topUp: parsed(price, "what one payment adds, USDC as text in quotes", "5.00", {
        pattern: usdcPattern,
      }),
      reserve: parsed(
        price,
        "held before a request and the most that it costs, USDC as text in quotes",
        "0.05",
        { pattern: usdcPattern },
      ),
    },
    {
      scope: text("routes with the same name share their balances", "models", { maxLength: 200 }),
      costHeader: text(
        "the upstream's header with the cost of a request in USDC, X-Cost when omitted; it never reaches the buyer",
        "X-Cost",
        { pattern: headerNamePattern, maxLength: 100 },
      ),
      overrun: oneOf(
        "stop: a stream that costs more than its reserve ends there with an error event; the tokens of the request and of the events are estimated until the usage of the upstream is there",
        ["stop"],
      ),
      finalAbove: Type.Optional(
        parsed(
          price,
          'USDC as text in quotes: a top-up above this price pays for requests once its payment is final, for example "100"',
          "100",
          { pattern: usdcPattern },
        ),
      ),
    },
  ),
  costFrom: group(
    "where the cost of a request comes from instead of the header",
    {
      usage: group(
        "the usage object of an OpenAI-shaped response, streamed or not",
        {
          inputPerMillion: tokenPrice("input", "0.15"),
          outputPerMillion: tokenPrice("output", "0.60"),
        },
        {},
      ),
    },
    {},
  ),
};

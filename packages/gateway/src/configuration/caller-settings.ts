/** The settings of prices by caller: who an entry is for, and what they pay. */
import { parseUsdc } from "@farthing/protocol";
import { Type } from "typebox";
import { baseUrl, price, proxyAddress } from "./parse-setting.ts";
import {
  group,
  headerNamePattern,
  named,
  oneOf,
  optionalGroup,
  optionalList,
  parsed,
  text,
  usdcPattern,
  withDefault,
} from "./setting-kinds.ts";

/** Entries are tried one after the other for every request of their route. */
const maxEntries = 20;
const maxNetworks = 100;
const maxAgents = 100;

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

/** What a multiplier of 1 is, so that six decimals are whole numbers. */
export const multiplierUnits = 1_000_000n;

/** Dearer than that is another route. */
const maxMultiplier = 100n * multiplierUnits;

/** Returns millionths, above 0. */
function multiplier(text: string): bigint | undefined {
  const millionths = parseUsdc(text) || undefined;
  return millionths !== undefined && millionths <= maxMultiplier ? millionths : undefined;
}

/** Returns the minutes since midnight. */
function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

function timeZone(text: string): string | undefined {
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }) && text;
  } catch {
    return undefined;
  }
}

/** Returns a host as certificates name it. */
function agentHost(text: string): string | undefined {
  const url = URL.parse(`https://${text}`);
  return url?.host === text.toLowerCase() && url.port === "" ? url.host : undefined;
}

const timePattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$";

const agents = Type.Union(
  [
    oneOf("any: every agent that proves who it is", ["any"]),
    Type.Array(
      parsed(
        agentHost,
        "the host at which an agent publishes its keys, without https:// and port",
        "agent.example",
      ),
      { description: "the agents of these hosts", minItems: 1, maxItems: maxAgents },
    ),
  ],
  {
    description:
      "agents whose request is signed by a key that their host publishes (Web Bot Auth). Every owner of a host can be such an agent: any proves who sends a request, and not that they can be trusted",
    examples: [["agent.example"]],
  },
);

const hours = group(
  "a time of the day",
  {
    from: parsed(timeOfDay, "the first minute, HH:MM in quotes", "22:00", { pattern: timePattern }),
    to: parsed(
      timeOfDay,
      "the minute in which it ends, HH:MM in quotes; one that is not after from is of the next day",
      "06:00",
      { pattern: timePattern },
    ),
  },
  {
    zone: withDefault(parsed(timeZone, "the time zone, by its IANA name", "Europe/Madrid"), "UTC"),
    days: optionalList(
      "the days on which it begins; every day when omitted",
      oneOf("mon, tue, wed, thu, fri, sat or sun", weekdays),
      weekdays.length,
    ),
  },
);

export const agentSettings = optionalGroup("agents that prove who they are", {
  registrationUrl: parsed(
    baseUrl,
    "a page that tells agents how to be known here; challenges of routes with a price for agents declare it (extension http-message-signatures)",
    "https://api.example.com/agents",
  ),
});

export const callerSettings = optionalList(
  "prices by caller: the first entry that fits the request applies, and the route's own price where none does. Everything that an entry names has to fit",
  group(
    "who it is for, and exactly one of free, price and multiplier",
    {},
    {
      name: text("what logs and explain call it; its place when omitted", "partners", {
        maxLength: 64,
      }),
      agents,
      headers: named(
        "headers with exactly these values, from a proxy of trustedProxies that sets or removes them itself",
        headerNamePattern,
        text("the value", "partner"),
        "the name of a header",
      ),
      networks: Type.Array(parsed(proxyAddress, "an address or a range", "192.0.2.0/24"), {
        description: "addresses of clients",
        minItems: 1,
        maxItems: maxNetworks,
      }),
      hours,
      free: Type.Literal(true, { description: "true: costs nothing" }),
      price: parsed(
        price,
        'USDC as text in quotes, with at most 6 decimals: "0.005"',
        "0.005",
        { pattern: usdcPattern },
        () => "is 0; write free: true for what costs nothing",
      ),
      multiplier: parsed(
        multiplier,
        'the route\'s price times this, rounded up to a base unit: text in quotes above 0, at most "100"',
        "0.5",
        { pattern: usdcPattern },
      ),
    },
  ),
  maxEntries,
);

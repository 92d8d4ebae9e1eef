/** When payments open channels and how much sellers may hold: from the environment, or the settings. */
import { parseChannels, type ChannelsInput } from "@farthing/buyer";
import { buyerVariables, isObject } from "@farthing/protocol";
import { ConfigurationError } from "../command/command-errors.ts";
import { readSettingsFile, readVariable } from "./buyer-settings.ts";

/** For each key in the settings its variable, its flag, and what it must be. */
export const channelTable = {
  use: {
    variable: buyerVariables.channelsUse,
    flag: "--channels",
    hint: "auto, always or never",
  },
  afterPayments: {
    variable: buyerVariables.channelsAfter,
    flag: "--channels-after",
    hint: "a whole number above 0",
  },
  depositMax: {
    variable: buyerVariables.depositPerSeller,
    flag: "--deposit-per-seller",
    hint: "an amount in USDC, such as 0.50",
  },
  depositTotalMax: {
    variable: buyerVariables.depositTotal,
    flag: "--deposit-total",
    hint: "an amount in USDC, such as 2",
  },
} as const;

export type ChannelSetting = keyof typeof channelTable;

/** The settings that apply: those of the environment before those of the file. */
export function readChannelSettings(): ChannelsInput {
  const texts = Object.entries(channelTable).map(([name, { variable }]) => {
    return [name, readVariable(variable)] as const;
  });
  return {
    ...storedChannels(),
    ...parseChannelTexts(Object.fromEntries(texts), (name) => channelTable[name].variable),
  };
}

/** Those that `farthing ledger limits set` has stored. */
export function storedChannels(): ChannelsInput {
  const stored = readSettingsFile()["channels"] ?? {};
  if (!isObject(stored)) throw new ConfigurationError("channels in the settings is not an object.");
  return parseChannelTexts(stored, (name) => `channels.${name} in the settings`);
}

/** Parses settings; the error of an invalid one names it by `nameOf`. */
export function parseChannelTexts(
  texts: Readonly<Record<string, unknown>>,
  nameOf: (name: ChannelSetting) => string,
  InvalidError: new (message: string) => Error = ConfigurationError,
): ChannelsInput {
  let input: ChannelsInput = {};
  for (const [name, text] of Object.entries(texts)) {
    // A misspelt limit would otherwise not apply.
    if (!isChannelSetting(name)) throw new ConfigurationError(`Unknown setting "${name}".`);
    if (text === undefined) continue;
    const next = { ...input, [name]: name === "afterPayments" ? Number(text) : text };
    try {
      parseChannels(next);
    } catch {
      throw new InvalidError(`${nameOf(name)} must be ${channelTable[name].hint}.`);
    }
    input = next;
  }
  return input;
}

function isChannelSetting(name: string): name is ChannelSetting {
  return Object.hasOwn(channelTable, name);
}

/** Settings that are fixed, or follow the gas price in steps. */
import { gasPriceFloorWei } from "@farthing/engine";
import { assert } from "@farthing/engine/base";

/** Up to a gas price, a value. */
interface GasPriceStep<Value> {
  readonly gasPriceWei: bigint;
  readonly value: Value;
}

/** In rising order of the gas price; above the last step its value counts. */
export type GasPriceSteps<Value> = readonly GasPriceStep<Value>[];

/** One value, or one for each step. */
export type ByGasPrice<Value extends number | bigint | null> = Value | GasPriceSteps<Value>;

/** Reads a gas price in gwei, from XDC's lowest on; returns wei. */
export function gwei(text: string): bigint | undefined {
  const match = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const wei = BigInt(`${match[1]}${(match[2] ?? "").padEnd(9, "0")}`);
  return wei >= gasPriceFloorWei ? wei : undefined;
}

/** More than the steps that anybody can explain to others. */
const stepsMax = 20;

/** Reads a value, or a table such as `12.5:1,100:8,625:60`, with gas prices in gwei. */
export function byGasPrice<Value extends number | bigint | null>(
  parse: (text: string) => Value | undefined,
): (text: string) => ByGasPrice<Value> | undefined {
  return (text) => (text.includes(":") ? parseSteps(text, parse) : parse(text));
}

function parseSteps<Value>(
  text: string,
  parse: (text: string) => Value | undefined,
): GasPriceSteps<Value> | undefined {
  const parts = text.split(",");
  const steps = parts.flatMap((part) => parseStep(part.trim(), parse) ?? []);
  const isRising = steps.every(({ gasPriceWei }, index) => {
    const before = steps[index - 1];
    return before === undefined || before.gasPriceWei < gasPriceWei;
  });
  return steps.length === parts.length && steps.length <= stepsMax && isRising ? steps : undefined;
}

function parseStep<Value>(
  text: string,
  parse: (text: string) => Value | undefined,
): GasPriceStep<Value> | undefined {
  const [, price = "", rest = ""] = /^([^:]*):(.+)$/.exec(text) ?? [];
  const [gasPriceWei, value] = [gwei(price), parse(rest)];
  return gasPriceWei === undefined || value === undefined ? undefined : { gasPriceWei, value };
}

export function isTable<Value extends number | bigint | null>(
  setting: ByGasPrice<Value>,
): setting is GasPriceSteps<Value> {
  return Array.isArray(setting);
}

/** Returns the value at a gas price in wei, which is asked for only where a table needs it. */
export function valueAt<Value extends number | bigint | null>(
  setting: ByGasPrice<Value>,
  gasPriceWei: () => bigint,
): Value {
  if (!isTable(setting)) return setting;
  const price = gasPriceWei();
  const step = setting.find((one) => price <= one.gasPriceWei) ?? setting.at(-1);
  assert(step !== undefined, "a table has a step");
  return step.value;
}

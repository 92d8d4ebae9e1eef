/** What a channel was charged, by what was sold: names may be lost where they are many, units never. */
import { expect, test } from "vitest";
import {
  addSoldPart,
  newestParts,
  parseSoldParts,
  soldPartsMax,
  toWireSoldParts,
  type SoldPart,
} from "./sold-parts.ts";

const sumOf = (parts: readonly SoldPart[]) => parts.reduce((sum, { units }) => sum + units, 0n);
const addAll = (added: readonly SoldPart[]) => added.reduce(addSoldPart, [] as readonly SoldPart[]);

const at = (id: number, route?: string): SoldPart => ({
  resource: `https://shop.example/r/${id}`,
  ...(route !== undefined && { route }),
  units: 3n,
});

test("charges of one route that follow each other are one part, in their order", () => {
  expect(addAll([at(1), at(1), at(2), at(1), { ...at(2), units: 0n }])).toEqual([
    { ...at(1), units: 6n },
    at(2),
    at(1),
  ]);
});

test("routes that take turns are one part each once there are too many parts", () => {
  const parts = addAll(Array.from({ length: 100 }, (_, nth) => at(nth % 2)));
  expect(parts.length).toBeLessThanOrEqual(soldPartsMax);
  expect(sumOf(parts.filter(({ resource }) => resource === at(0).resource))).toBe(150n);
  expect(sumOf(parts)).toBe(300n);
});

test("many addresses of a route lose the address, many routes their names, and none its units", () => {
  const addresses = addAll(Array.from({ length: 50 }, (_, nth) => at(nth, "GET /r/:id")));
  expect(addresses.length).toBeLessThanOrEqual(soldPartsMax);
  expect(addresses.every(({ route }) => route === "GET /r/:id")).toBe(true);
  expect(sumOf(addresses)).toBe(150n);
  const routes = addAll(Array.from({ length: 50 }, (_, nth) => at(nth, `GET /${nth}`)));
  expect(routes.length).toBeLessThanOrEqual(soldPartsMax);
  expect(sumOf(routes)).toBe(150n);
});

test("the newest units are those of the last parts, of which one may be cut", () => {
  const parts = [at(1), at(2), at(3)];
  expect(newestParts(parts, 4n)).toEqual([{ ...at(2), units: 1n }, at(3)]);
  expect(newestParts(parts, 0n)).toEqual([]);
  expect(newestParts(parts, -1n)).toEqual([]);
  expect(newestParts(parts, 100n)).toEqual(parts);
});

test("what is written is read, and nothing else", () => {
  const parts = [at(1, "GET /r/:id"), { units: 7n }];
  expect(parseSoldParts(toWireSoldParts(parts))).toEqual(parts);
  const [wire] = toWireSoldParts(parts);
  for (const wrong of [
    "GET /r",
    [null],
    [{ ...wire, units: "0" }],
    [{ ...wire, units: "-1" }],
    [{ ...wire, units: 3 }],
    [{ ...wire, route: "a\nb" }],
    [{ ...wire, route: "a".repeat(129) }],
    [{ ...wire, resource: "https://shop.example/r?who=me" }],
    [{ ...wire, resource: "ftp://shop.example/r" }],
    Array.from({ length: soldPartsMax + 1 }, () => wire),
  ]) {
    expect(parseSoldParts(wrong), JSON.stringify(wrong)).toBeUndefined();
  }
});

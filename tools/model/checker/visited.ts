/**
 * The visited states, by the MD5 of their JSON: 128 bits, of which no two states of a run will be equal
 * by chance. A table with open addressing takes 20 bytes and a third for each state.
 */
import { hash } from "node:crypto";

/** The table grows when it is fuller than this. */
const maxLoad = 0.75;

export class VisitedStates {
  #keys = new Uint32Array(4 * 1024);
  /** One more than the index; 0 for an empty place. */
  #indexes = new Uint32Array(1024);
  size = 0;

  /** Returns the index of a state, and whether it was added now. */
  add(text: string): { readonly index: number; readonly isNew: boolean } {
    if (this.size >= this.#indexes.length * maxLoad) this.#grow();
    const digest = hash("md5", text, "buffer");
    const key = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
    const place = this.#placeOf(this.#keys, this.#indexes, key);
    const found = this.#indexes[place] ?? 0;
    if (found > 0) return { index: found - 1, isNew: false };
    this.#keys.set(key, 4 * place);
    this.#indexes[place] = ++this.size;
    return { index: this.size - 1, isNew: true };
  }

  #placeOf(keys: Uint32Array, indexes: Uint32Array, key: ArrayLike<number>): number {
    const mask = indexes.length - 1;
    let place = (key[0] ?? 0) & mask;
    while (indexes[place] !== 0 && !isAt(keys, place, key)) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const indexes = new Uint32Array(2 * this.#indexes.length);
    const keys = new Uint32Array(4 * indexes.length);
    for (const [from, index] of this.#indexes.entries()) {
      if (index === 0) continue;
      const key = this.#keys.subarray(4 * from, 4 * from + 4);
      const place = this.#placeOf(keys, indexes, key);
      keys.set(key, 4 * place);
      indexes[place] = index;
    }
    this.#keys = keys;
    this.#indexes = indexes;
  }
}

function isAt(keys: Uint32Array, place: number, key: ArrayLike<number>): boolean {
  for (let at = 0; at < 4; at++) if (keys[4 * place + at] !== key[at]) return false;
  return true;
}

/** All values of an asynchronous sequence. */
export async function gather<T>(values: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const value of values) gathered.push(value);
  return gathered;
}

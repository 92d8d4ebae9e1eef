/** Reads the text of a response; undefined when its body is larger than `bytesMax`. */
export async function readText(
  { body }: Pick<Response, "body">,
  bytesMax: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Bytes of the answer of a list, unless one item alone is larger. */
export const listBytesMax = 8 * 1024 * 1024;

/**
 * The text of an answer. A list that would be larger than {@link listBytesMax} ends early: a page is read again with
 * as many items as fit, and its token leads to the others; where a list has no pages, its last items are left out and
 * `truncated` says so. Other answers are bounded by their own operations.
 *
 * @param input that was asked with
 * @param read answers another input
 * @param saysSo whether the operation's answers have `truncated`; a handler need not give it
 */
export async function boundedJson(
  given: object,
  input: object,
  read: (input: object) => Promise<object>,
  saysSo: boolean,
): Promise<string> {
  const answer = saysSo ? { truncated: false, ...given } : given;
  const text = JSON.stringify(answer);
  // Three bytes are the most that a unit of UTF-16 takes.
  const fits = text.length * 3 <= listBytesMax || Buffer.byteLength(text) <= listBytesMax;
  const saysMore = 'nextPageToken' in answer || 'truncated' in answer;
  const list = fits || !saysMore ? undefined : longestIn(answer);
  if (!list) return text;
  const [name, items] = list;
  const rest = bytesOf(answer) - bytesOf(items);
  const count = Math.max(1, fitting(items, listBytesMax - rest));
  if (count >= items.length) return text;
  if ('limit' in input) {
    const fewer = { ...input, limit: count };
    return boundedJson(await read(fewer), fewer, read, saysSo);
  }
  if (!('truncated' in answer)) return text;
  return JSON.stringify({ ...answer, [name]: items.slice(0, count), truncated: true });
}

/** The list of an answer that has the most bytes, and its name. */
function longestIn(answer: object): readonly [string, readonly unknown[]] | undefined {
  const lists = Object.entries(answer).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  return lists.sort(([, one], [, other]) => bytesOf(other) - bytesOf(one))[0];
}

/** Number of items, from the first on, that fit into so many bytes with their commas. */
function fitting(items: readonly unknown[], bytesMax: number): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += bytesOf(item) + 1) > bytesMax);
  return tooMany === -1 ? items.length : tooMany;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

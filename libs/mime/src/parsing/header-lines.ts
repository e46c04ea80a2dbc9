/** Decoded header fields in their order, keys in lower case. */
export type HeaderFields = readonly { readonly key: string; readonly value: string }[];

/** The first field of a name: later copies are ignored, as the MIME parser does. */
export function headerValue(headers: HeaderFields, key: string): string {
  return headers.find((field) => field.key === key)?.value ?? '';
}

/** Fields of a head as far as its lines can be read, folded lines joined (RFC 5322 §2.2.3). */
export function headerFields(lines: readonly string[]): HeaderFields {
  const fields: { key: string; value: string }[] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (last && /^[ \t]/.test(line)) {
      last.value += line;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    fields.push({ key: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) });
  }
  return fields.map(({ key, value }) => ({ key, value: value.trim() }));
}

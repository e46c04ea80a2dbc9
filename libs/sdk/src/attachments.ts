import type { BlobFile } from './types.js';

/** A body with the base64 of each file that is given as a Blob, also of those in a `draft`. */
export async function withBase64(
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { attachments, draft } = body;
  return {
    ...body,
    ...(Array.isArray(attachments) && { attachments: await Promise.all(attachments.map(encoded)) }),
    ...(isRecord(draft) && { draft: await withBase64(draft) }),
  };
}

async function encoded(file: unknown): Promise<unknown> {
  if (!isRecord(file) || !(file['content'] instanceof Blob)) return file;
  const { content, filename } = file as unknown as BlobFile;
  const name = filename ?? ('name' in content ? String(content.name) : undefined);
  return {
    contentBase64: base64Of(new Uint8Array(await content.arrayBuffer())),
    ...(name !== undefined && { filename: name }),
    ...(content.type !== '' && { mimeType: content.type }),
  };
}

/** `btoa` takes texts; a text of all bytes at once would be too many arguments. */
function base64Of(bytes: Uint8Array): string {
  const chunk = 0x6000;
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += chunk)
    texts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + chunk))));
  return texts.join('');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

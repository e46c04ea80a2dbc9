import { photoBytesMax } from '@postroom/contracts';
import { photoType } from '../contacts/index.js';

/** The photo of a card as it is written there: base64, or a URI. */
export interface WrittenPhoto {
  readonly value: string;
  readonly isBase64: boolean;
}

/** A photo that a contact can have, or why it has none. */
export type CardPhoto = { readonly bytes: Buffer } | { readonly leftOut: string };

/** Base64 in a URI (RFC 2397), whose comma may be escaped. */
const dataUri = /^data:[^,]{0,200};base64\\?,/i;

/** The photo of a card, by its bytes. A link is not fetched. */
export function photoOf({ value, isBase64 }: WrittenPhoto): CardPhoto {
  const uri = dataUri.exec(value.slice(0, 300))?.[0];
  if (uri === undefined && !isBase64) return leftOut('a link, which is not fetched');
  const bytes = Buffer.from(value.slice(uri?.length ?? 0), 'base64');
  if (bytes.length > photoBytesMax) return leftOut('more than 256 KiB');
  return photoType(bytes) === null ? leftOut('neither PNG nor JPEG') : { bytes };
}

const leftOut = (why: string): CardPhoto => ({ leftOut: `the photo left out: ${why}` });

/** The octets of a line of a card (RFC 6350 §3.2) but the blank of one that goes on. */
const folded = /.{1,74}/g;

/** A card with a photo, before its last line. */
export function withPhoto(card: string, bytes: Buffer): string {
  const type = photoType(bytes) ?? 'application/octet-stream';
  const line = `PHOTO:data:${type};base64,${bytes.toString('base64')}`;
  const end = card.lastIndexOf('END:VCARD');
  return `${card.slice(0, end)}${(line.match(folded) ?? []).join('\r\n ')}\r\n${card.slice(end)}`;
}

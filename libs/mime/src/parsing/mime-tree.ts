import { Buffer } from 'node:buffer';
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime';
import { charsetOfPage, decodedText } from './charsets.js';
import { decodeWords } from './encoded-words.js';
import { unflowed } from './flowed-text.js';
import { costLimits } from './limits.js';
import { textBytes, type PartSource } from './part-source.js';
import type { Parts } from './parts.js';

interface StructuredHeader {
  value: string;
  readonly params: Record<string, string | undefined>;
}

/** A part as postal-mime 4.0.0 keeps it. Its types leave out what a subclass may need. */
interface MimeNode {
  readonly contentType: { readonly parsed: StructuredHeader; readonly multipart: string | false };
  readonly contentTransferEncoding: { readonly encoding: string };
  readonly contentDisposition: { readonly parsed: StructuredHeader };
  readonly contentDescription?: string;
  readonly content: ArrayBuffer | null;
  readonly childNodes: readonly MimeNode[];
  getTextContent: () => string;
}

interface TreeParser {
  parse(raw: Uint8Array): Promise<Email>;
  collectNode(node: MimeNode, alternative: MimeNode | false, related: boolean): Promise<void>;
}
const TreeParser = PostalMime as unknown as new (options: PostalMimeOptions) => TreeParser;

/** RFC 2045 §5.1: a type and a subtype, each a token. */
const mediaType = /^[\w!#$%&'*+.^`{|}~-]+\/[\w!#$%&'*+.^`{|}~-]+$/;
const shownType = /^(?:text\/(?:plain|html|calendar)|multipart\/.*)$/;

/**
 * The MIME parser, with texts read by our own rules: whatever their charset, with flowed lines undone, from all
 * bytes of the part. A part with a malformed type is a text (RFC 2045 §5.2), and alternatives that nobody is shown
 * are left out.
 */
export class MimeTree extends TreeParser {
  constructor(
    private readonly raw: Uint8Array,
    private readonly parts: Parts,
  ) {
    super({
      // A forwarded message is a file of its own, not a part of this one's text.
      forceRfc822Attachments: true,
      maxNestingDepth: costLimits.nestingDepthMax,
      maxHeadersSize: costLimits.headerBytesMax,
    });
  }

  override async collectNode(
    node: MimeNode,
    alternative: MimeNode | false,
    related: boolean,
  ): Promise<void> {
    const { parsed } = node.contentType;
    if (!mediaType.test(parsed.value)) parsed.value = this.typeOfMalformed(node);
    for (const { params } of [parsed, node.contentDisposition.parsed]) {
      for (const name of ['filename', 'name']) {
        if (params[name]) params[name] = decodeWords(params[name]);
      }
    }
    if (alternative && isUnseen(node, alternative)) return;
    node.getTextContent = () => this.textOf(node);
    await super.collectNode(node, alternative, related);
  }

  private typeOfMalformed(node: MimeNode): string {
    return this.bytesOf(node).includes(0) ? 'application/octet-stream' : 'text/plain';
  }

  private sourceOf({ contentDescription = '' }: MimeNode): PartSource | null {
    return this.parts.of(contentDescription);
  }

  private bytesOf(node: MimeNode): Buffer {
    const source = this.sourceOf(node);
    if (source) return textBytes(this.raw, source, costLimits.textBytesMax);
    return Buffer.from(node.content ?? new ArrayBuffer(0));
  }

  private textOf(node: MimeNode): string {
    const { value, params } = node.contentType.parsed;
    const bytes = this.bytesOf(node);
    const sniffed = value === 'text/html' ? charsetOfPage(bytes) : '';
    const { encoding } = node.contentTransferEncoding;
    const isLast = this.sourceOf(node)?.end === this.raw.length;
    const text = wholeLines(decodedText(bytes, params['charset'], sniffed), encoding, isLast);
    if (value !== 'text/plain' || !/^flowed$/i.test(params['format'] ?? '')) return text;
    return unflowed(text, /^yes$/i.test(params['delsp'] ?? ''));
  }
}

/** A body that is not base64 consists of lines: the break before a delimiter ends its last one. */
function wholeLines(text: string, encoding: string, isLast: boolean): string {
  if (text === '' || encoding === 'base64') return text;
  return isLast && text.endsWith('\n') ? text : `${text}\n`;
}

/** True for an alternative that is neither shown nor a file, beside one that is shown (RFC 2046 §5.1.4). */
function isUnseen(node: MimeNode, alternative: MimeNode): boolean {
  const { parsed } = node.contentType;
  const disposition = node.contentDisposition.parsed;
  const hasName = parsed.params['name'] ?? disposition.params['filename'];
  if (hasName !== undefined || disposition.value === 'attachment') return false;
  if (!parsed.value.startsWith('text/') || shownType.test(parsed.value)) return false;
  return (
    alternative.childNodes.includes(node) &&
    alternative.childNodes.some(({ contentType }) => shownType.test(contentType.parsed.value))
  );
}

import { Buffer } from 'node:buffer';
import { charsetOfPage, decodedText } from './charsets.js';
import { limits } from './limits.js';

/** The place of bytes in the TNEF. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A file in a TNEF. */
export interface TnefFile extends Span {
  readonly filename: string | null;
  readonly mimeType: string | null;
  readonly contentId: string | null;
}

/** The content of a TNEF (MS-OXTNEF), the `winmail.dat` of Outlook. */
export interface Tnef {
  readonly text: string | null;
  readonly html: string | null;
  readonly files: readonly TnefFile[];
  /** False where it is cut short, or something of it is broken. */
  readonly isWhole: boolean;
}

const signature = 0x223e9f78;

/** Attributes (MS-OXTNEF §2.1.3.4), by the lower half of their ids. */
const attributes = {
  body: 0x800c,
  codepage: 0x9007,
  properties: 0x9003,
  newFile: 0x9002,
  fileTitle: 0x8010,
  fileData: 0x800f,
  fileProperties: 0x9005,
};

/** Properties (MS-OXPROPS) of a message and of its files. */
const properties = {
  body: 0x1000,
  html: 0x1013,
  internetCodepage: 0x3fde,
  fileData: 0x3701,
  filename: 0x3704,
  longFilename: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
};

const objectType = 0x0d;
const unicodeType = 0x1f;
/** By type (MS-OXCDATA §2.11.1), the bytes of a value; those of 0 are counted. */
const valueBytes: Readonly<Record<number, number>> = {
  ...{ 0x01: 4, 0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0a: 4, 0x0b: 4 },
  ...{ 0x14: 8, 0x40: 8, 0x48: 16, 0x0d: 0, 0x1e: 0, 0x1f: 0, 0x102: 0 },
};
/** More are in no message of Outlook: a file has some fifty, a message two hundred. */
const valuesMax = 10_000;

interface Value extends Span {
  readonly type: number;
}

/** A file as its attributes describe it. */
interface OpenFile {
  readonly title: Span | null;
  readonly data: Span | null;
  readonly properties: ReadonlyMap<number, Value>;
}

/** A TNEF as far as it has been read. */
interface Open {
  readonly files: OpenFile[];
  body: Span | null;
  codepage: number;
  message: ReadonlyMap<number, Value>;
}

/** The part that each attribute adds, by its id; others say nothing that is shown. */
const readers: Readonly<Record<number, (open: Open, bytes: Buffer, span: Span) => void>> = {
  [attributes.newFile]: ({ files }) => {
    files.push({ title: null, data: null, properties: new Map() });
  },
  [attributes.body]: (open, _bytes, span) => {
    open.body = span;
  },
  [attributes.codepage]: (open, bytes, { start, end }) => {
    if (end - start >= 4) open.codepage = bytes.readUInt32LE(start);
  },
  [attributes.properties]: (open, bytes, span) => {
    open.message = propertiesOf(bytes, span);
  },
  [attributes.fileTitle]: ({ files }, _bytes, title) => {
    Object.assign(files.at(-1) ?? {}, { title });
  },
  [attributes.fileData]: ({ files }, _bytes, data) => {
    Object.assign(files.at(-1) ?? {}, { data });
  },
  [attributes.fileProperties]: ({ files }, bytes, span) => {
    Object.assign(files.at(-1) ?? {}, { properties: propertiesOf(bytes, span) });
  },
};

/** Bytes before the data of an attribute (level, id, length), and the checksum behind. */
const headBytes = 9;
const checksumBytes = 2;
/** A message shows no more files than these. */
const filesMax = limits.attachmentsMax;

/** Reads a TNEF in one pass; null for what is none. Whatever is broken ends it: what stands before is kept. */
export function readTnef(bytes: Buffer): Tnef | null {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== signature) return null;
  const open: Open = { files: [], body: null, codepage: 0, message: new Map() };
  let at = 6;
  while (at + headBytes + checksumBytes <= bytes.length && open.files.length <= filesMax) {
    const start = at + headBytes;
    const end = start + bytes.readUInt32LE(at + 5);
    if (end + checksumBytes > bytes.length) break;
    readers[bytes.readUInt16LE(at + 1)]?.(open, bytes, { start, end });
    at = end + checksumBytes;
  }
  const read = new Texts(bytes, open.codepage, open.message);
  return {
    text: read.textOf(open.message.get(properties.body)) ?? read.textOf(open.body),
    html: read.html(),
    files: open.files.flatMap((file) => fileOf(file, read)),
    isWhole: at === bytes.length,
  };
}

function fileOf({ title, data, properties: values }: OpenFile, read: Texts): readonly TnefFile[] {
  const object = values.get(properties.fileData);
  // The id of an interface stands before an object.
  const skipped = object?.type === objectType ? 16 : 0;
  const span = data ?? (object && { start: object.start + skipped, end: object.end });
  if (!span || span.end < span.start) return [];
  const named = values.get(properties.longFilename) ?? values.get(properties.filename) ?? title;
  return [
    {
      ...{ start: span.start, end: span.end },
      filename: read.textOf(named),
      mimeType: read.textOf(values.get(properties.mimeType)),
      contentId: read.textOf(values.get(properties.contentId)),
    },
  ];
}

/** Texts of a TNEF: UTF-16, or in the code page that it names. */
class Texts {
  constructor(
    private readonly bytes: Buffer,
    private readonly codepage: number,
    private readonly message: ReadonlyMap<number, Value>,
  ) {}

  textOf(value: (Span & { readonly type?: number }) | null | undefined): string | null {
    if (!value) return null;
    const bytes = this.bytes.subarray(value.start, value.end);
    const text =
      value.type === unicodeType
        ? bytes.toString('utf16le')
        : decodedText(untilZero(bytes), labelOf(this.codepage));
    return text.split('\0', 1)[0] || null;
  }

  html(): string | null {
    const value = this.message.get(properties.html);
    if (!value || value.type === unicodeType) return this.textOf(value);
    const codepage = this.message.get(properties.internetCodepage);
    const isNumber = codepage && codepage.end - codepage.start >= 4;
    const label = labelOf(isNumber ? this.bytes.readUInt32LE(codepage.start) : this.codepage);
    const bytes = untilZero(this.bytes.subarray(value.start, value.end));
    return decodedText(bytes, label, charsetOfPage(bytes)) || null;
  }
}

const labelOf = (codepage: number): string => {
  if (codepage === 0) return '';
  return codepage === 65_001 ? 'utf-8' : `cp${codepage}`;
};

function untilZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** The properties of a list (MS-OXTNEF §2.1.3.5) by their ids; the first value of each, up to what is broken. */
function propertiesOf(bytes: Buffer, { start, end }: Span): ReadonlyMap<number, Value> {
  const found = new Map<number, Value>();
  const reader = new Reader(bytes, start, end);
  const count = Math.min(reader.number(), valuesMax);
  for (let i = 0; i < count && !reader.isOver(); i++) {
    const head = reader.number();
    const [type, id] = [head & 0x0fff, head >>> 16];
    if (id >= 0x8000) reader.skipName();
    const width = valueBytes[type];
    if (width === undefined) break;
    const isSeveral = (head & 0x1000) !== 0 || width === 0;
    const first = firstValue(reader, width, isSeveral ? reader.number() : 1);
    if (first) found.set(id, { ...first, type });
  }
  return found;
}

/** Reads some values, each of so many bytes, or counted where that is 0. */
function firstValue(reader: Reader, width: number, count: number): Span | null {
  let first: Span | null = null;
  for (let n = 0; n < count && !reader.isOver(); n++) {
    const span = reader.take(width === 0 ? reader.number() : width);
    first ??= span;
  }
  return first;
}

/** Reads numbers and bytes one after another; once it is over, it is over. */
class Reader {
  private hasEnded = false;

  constructor(
    private readonly bytes: Buffer,
    private at: number,
    private readonly end: number,
  ) {}

  isOver(): boolean {
    return this.hasEnded;
  }

  number(): number {
    const span = this.take(4);
    return span ? this.bytes.readUInt32LE(span.start) : 0;
  }

  /** Bytes, and what fills them up to a multiple of four. */
  take(length: number): Span | null {
    const start = this.at;
    this.hasEnded ||= start + length > this.end;
    if (this.hasEnded) return null;
    this.at = start + Math.ceil(length / 4) * 4;
    return { start, end: start + length };
  }

  /** The name of a property of one's own: a set, and a number or a text. */
  skipName(): void {
    this.take(16);
    const isText = this.number() === 1;
    const length = this.number();
    if (isText) this.take(length);
  }
}

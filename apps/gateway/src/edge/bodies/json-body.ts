import { scan } from 'secure-json-parse';
import { none } from 'stream-chain/core';
import { jsonParser, type Token } from 'stream-json/core/parser.js';
import { notJson, unreadable } from './read-body.js';

/** Names from the body's root to a string, `*` for each item of a list. */
export type Path = readonly string[];

/** Takes the strings at the given places, one after the other, each in pieces. */
export interface StringSink {
  begin(): void;
  add(text: string): void;
  /** @returns what stands in the value in place of the string */
  end(): unknown;
}

interface Container {
  readonly value: unknown[] | Record<string, unknown>;
  /** The rest of each path that leads into it. */
  readonly paths: readonly Path[];
  /** The name of the current member of an object. */
  name: string;
}

/**
 * The value of a JSON text, built as its bytes arrive; strings at given places go to a sink. It finds and refuses
 * what Fastify's parser does: `__proto__` and `constructor.prototype` are errors, and of members of the same name the last one counts. A fault is thrown at the end, so that a limit of the body is judged first.
 */
export class JsonBody {
  private readonly parse = jsonParser({
    packStrings: false,
    streamKeys: false,
    streamNumbers: false,
  });
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private isUtf8 = true;
  private isJson = true;
  private readonly containers: Container[] = [];
  private root: unknown;
  /** The string that is being read, if it stays; null for one that goes to the sink. */
  private text: string | null = null;
  private valueCount = 0;
  private characterCount = 0;

  constructor(
    private readonly paths: readonly Path[],
    private readonly sink: StringSink,
  ) {}

  /** Values so far; names are none. */
  get values(): number {
    return this.valueCount;
  }

  /** Characters so far of what stays. */
  get characters(): number {
    return this.characterCount;
  }

  push(chunk: Buffer): void {
    if (!this.isUtf8) return;
    try {
      this.read(this.decoder.decode(chunk, { stream: true }));
    } catch {
      this.isUtf8 = false;
    }
  }

  /** @throws Problem INVALID_REQUEST */
  end(): unknown {
    try {
      this.read(this.decoder.decode());
    } catch {
      this.isUtf8 = false;
    }
    if (!this.isUtf8) throw unreadable('texte UTF-8 attendu', 'expected UTF-8 text');
    // The parser's types do not name what ends a text.
    this.read(none as unknown as string);
    if (this.containers.length > 0 || this.valueCount === 0) this.isJson = false;
    if (!this.isJson || isPoisoned(this.root)) throw notJson();
    return this.root;
  }

  private read(text: string): void {
    if (!this.isJson) return;
    try {
      const tokens = this.parse(text);
      if (tokens !== none) for (const token of tokens.values) this.take(token);
    } catch {
      this.isJson = false;
    }
  }

  private take(token: Token): void {
    switch (token.name) {
      case 'startObject':
        return this.open({});
      case 'startArray':
        return this.open([]);
      case 'endObject':
      case 'endArray':
        this.containers.pop();
        return;
      case 'keyValue':
        return this.beginMember(token.value);
      default:
        return this.takeScalar(token);
    }
  }

  private takeScalar(token: Token): void {
    switch (token.name) {
      case 'startString':
        return this.beginString();
      case 'stringChunk':
        return this.addToString(token.value);
      case 'endString':
        return this.put(this.text === null ? this.sink.end() : detached(this.text));
      case 'numberValue':
        this.characterCount += token.value.length;
        return this.put(Number(token.value));
      case 'trueValue':
      case 'falseValue':
      case 'nullValue':
        return this.put(token.value);
      default:
        throw new Error(`unexpected token ${token.name}`);
    }
  }

  private open(value: Container['value']): void {
    const paths = this.pathsHere().filter((path) => path.length > 0);
    this.put(value);
    this.containers.push({ value, paths, name: '' });
  }

  private beginMember(name: string): void {
    this.characterCount += name.length;
    const container = this.containers.at(-1);
    if (container) container.name = name;
  }

  private beginString(): void {
    const isForSink = this.pathsHere().some((path) => path.length === 0);
    this.text = isForSink ? null : '';
    if (isForSink) this.sink.begin();
  }

  private addToString(piece: string): void {
    if (this.text === null) return this.sink.add(piece);
    this.text += piece;
    this.characterCount += piece.length;
  }

  private put(value: unknown): void {
    this.valueCount += 1;
    const container = this.containers.at(-1);
    if (!container) this.root = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else Object.defineProperty(container.value, container.name, { value, ...ofObject });
  }

  /** The rest of each path that leads to the value that begins here. */
  private pathsHere(): readonly Path[] {
    const container = this.containers.at(-1);
    if (!container) return this.paths;
    if (container.paths.length === 0) return [];
    const isList = Array.isArray(container.value);
    // A member that is named `*` is no item of a list.
    if (!isList && container.name === '*') return [];
    const wanted = isList ? '*' : container.name;
    return container.paths.flatMap(([first, ...rest]) => (first === wanted ? [rest] : []));
  }
}

/** A copy: a part of a string would keep the whole chunk that it came with in memory. */
const detached = (text: string): string =>
  text.isWellFormed()
    ? Buffer.from(text).toString()
    : Buffer.from(text, 'utf16le').toString('utf16le');

/** As in an object literal, also where a member is named `__proto__`. */
const ofObject = { configurable: true, enumerable: true, writable: true };

function isPoisoned(value: unknown): boolean {
  try {
    if (typeof value === 'object' && value !== null) scan(value);
    return false;
  } catch {
    return true;
  }
}

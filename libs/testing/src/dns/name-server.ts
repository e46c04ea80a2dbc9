import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The records of a name at this question, numbered from 1; null: there is no such name. */
export type Zone = (name: string, question: number) => readonly string[] | null;

/** The texts (TXT) of a name; null: there is no such name. */
export type Texts = (name: string) => readonly string[] | null;

export interface NameServer {
  /** `address:port`, for a resolver. */
  readonly address: string;
  close(): void;
}

const types = { a: 1, txt: 16, aaaa: 28 } as const;

/** A name server (RFC 1035) on loopback that answers A, AAAA and TXT as a spec says. */
export async function startNameServer(zone: Zone, texts: Texts = () => null): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const key = `${name} ${type}`;
    asked.set(key, (asked.get(key) ?? 0) + 1);
    const found = type === types.txt ? texts(name) : zone(name, asked.get(key) ?? 1);
    const wanted = (found ?? []).filter(
      (value) => type === types.txt || value.includes(':') === (type === types.aaaa),
    );
    socket.send(
      answer(query.subarray(0, end), type, wanted, found === null),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(
  question: Buffer,
  type: number,
  values: readonly string[],
  isUnknown: boolean,
): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(values.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...values.map((value) => record(type, value))]);
}

function record(type: number, value: string): Buffer {
  const bytes = bytesOf(type, value);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

function bytesOf(type: number, value: string): Buffer {
  if (type === types.txt) return strings(Buffer.from(value));
  return type === types.a ? Buffer.from(value.split('.').map(Number)) : ipv6(value);
}

/** A text in strings of 255 bytes at most, each after its length (RFC 1035 §3.3.14). */
function strings(text: Buffer): Buffer {
  const count = Math.max(1, Math.ceil(text.length / 255));
  const parts = Array.from({ length: count }, (_, i) => text.subarray(i * 255, (i + 1) * 255));
  return Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), part]));
}

/** The groups of an address with one `::` at most. */
function ipv6(address: string): Buffer {
  const [left = '', right] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right ?? '')];
  const zeros = Array<number>(8 - head.length - tail.length).fill(0);
  const bytes = Buffer.alloc(16);
  [...head, ...zeros, ...tail].forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}

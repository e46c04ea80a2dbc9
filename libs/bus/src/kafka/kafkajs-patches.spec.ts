import { afterEach, describe, expect, it, jest } from '@jest/globals';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { correctKafkajs } from './kafkajs-patches.js';

/** What an encoder writes, in hex. */
const written = (write: (encoder: InstanceType<typeof Encoder>) => unknown): string => {
  const encoder = new Encoder();
  write(encoder);
  return encoder.buffer.toString('hex');
};

const bounds = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1fffff, 0xfffffff, 0x7fffffff];

const everything = () => ({
  unsigned: [...bounds, 0xffffffff].map((value) => written((e) => e.writeUVarInt(value))),
  signed: bounds
    .flatMap((value) => [value, -value])
    .map((value) => [written((e) => e.writeVarInt(value)), Encoder.sizeOfVarInt(value)]),
  long: [0, 1, -1, 300, 2 ** 40].map((value) => [
    written((e) => e.writeVarLong(value)),
    Encoder.sizeOfVarLong(value),
  ]),
  grown: written((e) => {
    for (let i = 0; i < 2_000; i += 1) e.writeVarInt(i).writeVarIntString('é'.repeat(i % 50));
    e.writeVarIntString('x'.repeat(100_000)).writeVarInt(-1);
  }),
});

describe("kafkajs's encoder", () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('writes the same bytes corrected as it did before', () => {
    const before = everything();
    const { ensureAvailable } = Encoder.prototype;
    correctKafkajs();
    expect(Encoder.prototype.ensureAvailable).not.toBe(ensureAvailable);
    // Memory that held something else before.
    jest.spyOn(Buffer, 'allocUnsafe').mockImplementation((size) => Buffer.alloc(size, 0xff));
    expect(everything()).toEqual(before);
  });

  it('writes varints as Kafka reads them', () => {
    correctKafkajs();
    expect(written((e) => e.writeUVarInt(300))).toBe('ac02');
    expect(written((e) => e.writeVarInt(-1))).toBe('01');
    expect(written((e) => e.writeVarLong(0))).toBe('00');
  });
});

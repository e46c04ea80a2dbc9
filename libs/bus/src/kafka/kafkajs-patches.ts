import { setImmediate as turn } from 'node:timers/promises';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';

/** Bytes of an encoder's first buffer; most of what is encoded is a header or a few numbers. */
const smallest = 256;
/** Bytes of 32 bits, seven in each. */
const longestVarint = 5;

let done = false;

/** Puts right what kafkajs 2.2.4 does wrong and offers no setting for. */
export function correctKafkajs(): void {
  if (done) return;
  done = true;
  quietTimers();
  keepLastBroker();
  fetchBehindTheWork();
  leaveOutEmpty();
  encodeInThePool();
  writeVarintsInPlace();
}

/**
 * It looks for held-back requests on a timer that it arms again after every answer, with a negative
 * time when nothing was ever held back: Node warns once and runs it every millisecond on every
 * connection (3.4 % of a core, idle). With nothing held back there is nothing to look for.
 */
function quietTimers(): void {
  const { prototype } = RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests() {
    if (this.pending.length > 0) schedule.call(this);
  };
}

/**
 * It forgets a broker that closes the connection; a consumer that knows none any more crashes, and
 * starts over as a new member of its group, which then waits for the old one's session to end. The
 * last broker stays known, to be tried again.
 */
function keepLastBroker(): void {
  const { prototype } = BrokerPool;
  const remove = prototype.removeBroker;
  prototype.removeBroker = function removeBroker(broker) {
    if (this.getNodeIds().length > 1) remove.call(this, broker);
    else this.metadataExpireAt = null;
  };
}

/**
 * It builds the next fetch before what the last one brought has been answered, so that replies
 * waited: one request at a time took a quarter longer. Two turns of the event loop are enough for
 * what is answered at once to leave, with all that `Batch` gathers in a turn.
 */
function fetchBehindTheWork(): void {
  const { prototype } = ConsumerGroup;
  const fetch = prototype.fetch;
  prototype.fetch = async function later(nodeId) {
    await turn();
    await turn();
    return fetch.call(this, nodeId);
  };
}

/** It takes every partition through its queue, most of them without a record. */
function leaveOutEmpty(): void {
  const { prototype } = ConsumerGroup;
  const fetch = prototype.fetch;
  prototype.fetch = async function withRecords(nodeId) {
    const batches = await fetch.call(this, nodeId);
    return batches.filter(({ rawMessages }) => rawMessages.length > 0);
  };
}

/**
 * It gives every part of a request, down to a header, half a kilobyte of zeroed memory of its own, and
 * more each time it grows: half of what encoding a record costs. Nothing of a buffer leaves that was
 * not written, so that Node's pool will do.
 */
function encodeInThePool(): void {
  // What an encoder begins with.
  Encoder.nextPowerOfTwo = () => 0;
  Encoder.prototype.ensureAvailable = function ensureAvailable(length) {
    const needed = this.offset + length;
    if (needed <= this.buf.length) return;
    const larger = Buffer.allocUnsafe(Math.max(smallest, Math.ceil(1.5 * needed)));
    this.buf.copy(larger, 0, 0, this.offset);
    this.buf = larger;
  };
}

/**
 * It makes a list and a buffer of every varint, and reckons with big integers for a record's time in
 * its batch, which is none.
 */
function writeVarintsInPlace(): void {
  const { prototype } = Encoder;
  const [writeVarLong, sizeOfVarLong] = [prototype.writeVarLong, Encoder.sizeOfVarLong];
  prototype.writeUVarInt = function writeUVarInt(value) {
    this.ensureAvailable(longestVarint);
    let rest = value >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.buf[this.offset++] = (rest & 0x7f) | 0x80;
    this.buf[this.offset++] = rest;
    return this;
  };
  prototype.writeVarLong = function writeZero(value) {
    return value === 0 ? this.writeUVarInt(0) : writeVarLong.call(this, value);
  };
  Encoder.sizeOfVarLong = (value) => (value === 0 ? 1 : sizeOfVarLong.call(Encoder, value));
}

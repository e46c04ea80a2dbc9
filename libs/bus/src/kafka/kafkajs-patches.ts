import { setImmediate as turn } from 'node:timers/promises';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let done = false;

/** Puts right what kafkajs 2.2.4 does wrong and offers no setting for. */
export function correctKafkajs(): void {
  if (done) return;
  done = true;
  quietTimers();
  keepLastBroker();
  fetchBehindTheWork();
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

import { setImmediate as turn } from 'node:timers/promises';
import BrokerPool from 'kafkajs/src/cluster/brokerPool.js';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let done = false;

/** Patches kafkajs 2.2.4 where it has no setting; README.md names the goal of each patch. */
export function patchKafkajs(): void {
  if (done) return;
  done = true;
  stopIdleTimer();
  keepLastBroker();
  fetchAfterReplies();
}

/**
 * kafkajs checks for throttled requests on a timer that it arms again after every response, with a
 * negative delay when nothing was ever throttled: Node 24 warns, and runs the timer every millisecond
 * on every connection. Without a pending request there is nothing to check.
 */
function stopIdleTimer(): void {
  const { prototype } = RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests() {
    if (this.pending.length > 0) schedule.call(this);
  };
}

/**
 * kafkajs removes a broker that closes its connection; a consumer without a broker crashes, and
 * restarts as a new member of its group, which then waits for the old member's session to end. The last
 * broker is kept, so that the consumer reconnects.
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
 * kafkajs encodes the next fetch before the replies to the last one are sent, which delays them. Two
 * turns of the event loop are enough for handlers that answer at once, and for `Batch` to send what it
 * has collected in a turn.
 */
function fetchAfterReplies(): void {
  const { prototype } = ConsumerGroup;
  const fetch = prototype.fetch;
  prototype.fetch = async function delayed(nodeId) {
    await turn();
    await turn();
    return fetch.call(this, nodeId);
  };
}

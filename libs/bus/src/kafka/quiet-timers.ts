import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

let done = false;

/**
 * kafkajs 2.2.4 looks for held-back requests on a timer that it arms again after every answer, with
 * a negative time when nothing was ever held back: Node warns once and runs it every millisecond on
 * every connection (3.4 % of a core, idle). With nothing held back there is nothing to look for.
 */
export function quietTimers(): void {
  if (done) return;
  done = true;
  const { prototype } = RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests() {
    if (this.pending.length > 0) schedule.call(this);
  };
}

/** The part of kafkajs's own request queue that `quiet-timers` corrects; kafkajs has no types for it. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface RequestQueue {
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests(): void;
  }
  const queue: { readonly prototype: RequestQueue };
  export default queue;
}

/** The parts of kafkajs's own that `corrections` replaces; kafkajs has no types for them. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface RequestQueue {
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests(): void;
  }
  const queue: { readonly prototype: RequestQueue };
  export default queue;
}

declare module 'kafkajs/src/cluster/brokerPool.js' {
  interface BrokerPool {
    metadataExpireAt: number | null;
    getNodeIds(): readonly string[];
    removeBroker(broker: { readonly host: string; readonly port: number }): void;
  }
  const pool: { readonly prototype: BrokerPool };
  export default pool;
}

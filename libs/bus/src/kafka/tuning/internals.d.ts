/** The internals of kafkajs that `kafkajs-patches` replaces; kafkajs has no types for them. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface RequestQueue {
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests: (this: RequestQueue) => void;
  }
  const queue: { readonly prototype: RequestQueue };
  export default queue;
}

declare module 'kafkajs/src/cluster/brokerPool.js' {
  interface Address {
    readonly host: string;
    readonly port: number;
  }
  interface BrokerPool {
    metadataExpireAt: number | null;
    getNodeIds: (this: BrokerPool) => readonly string[];
    removeBroker: (this: BrokerPool, broker: Address) => void;
  }
  const pool: { readonly prototype: BrokerPool };
  export default pool;
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  interface ConsumerGroup {
    fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly unknown[]>;
  }
  const group: { readonly prototype: ConsumerGroup };
  export default group;
}

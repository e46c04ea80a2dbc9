/** The parts of kafkajs's own that `corrections` replaces; kafkajs has no types for them. */
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
  interface PartitionBatch {
    readonly rawMessages: readonly unknown[];
  }
  interface ConsumerGroup {
    fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly PartitionBatch[]>;
  }
  const group: { readonly prototype: ConsumerGroup };
  export default group;
}

declare module 'kafkajs/src/protocol/encoder.js' {
  type Long = number | string | bigint;
  interface Encoder {
    offset: number;
    buf: Buffer;
    readonly buffer: Buffer;
    ensureAvailable: (this: Encoder, length: number) => void;
    writeUVarInt: (this: Encoder, value: number) => Encoder;
    writeVarInt: (this: Encoder, value: number) => Encoder;
    writeVarLong: (this: Encoder, value: Long) => Encoder;
    writeVarIntString: (this: Encoder, value: string) => Encoder;
  }
  const encoder: {
    new (): Encoder;
    readonly prototype: Encoder;
    nextPowerOfTwo: (bytes: number) => number;
    sizeOfVarInt: (value: number) => number;
    sizeOfVarLong: (value: Long) => number;
  };
  export default encoder;
}

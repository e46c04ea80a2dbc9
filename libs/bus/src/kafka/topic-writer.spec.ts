import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keptLog } from '../testing/messages.js';
import { kafkaClient } from './client.js';
import { TopicWriter } from './topic-writer.js';

describe('a write to a broker that accepts connections and says nothing', () => {
  const sockets: Socket[] = [];
  let server: Server;
  let writer: TopicWriter;

  beforeEach(async () => {
    server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const client = { brokers: [`127.0.0.1:${port}`], instance: 'spec', log: keptLog() };
    writer = new TopicWriter({ kafka: kafkaClient(client, { retries: 25 }), topic: 't' });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await writer.close();
  });

  it('fails by itself', async () => {
    const record = { key: null, headers: {}, value: Buffer.from('') };
    await expect(writer.write(record)).rejects.toMatchObject({ reason: 'deadline' });
  });
});

import { Controller, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientKafka, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { firstValueFrom, timeout } from 'rxjs';
import { replyTimeoutMs, type Answer, type Carrier } from './carrier.js';
import { clientOptions, consumerOptions, type BenchTopic } from './kafka-client.js';

const pattern = 'bench.nest';
const answering = Symbol('answering');

export const nestTopics: readonly BenchTopic[] = [
  { topic: pattern, numPartitions: 6 },
  { topic: `${pattern}.reply`, numPartitions: 1 },
];

/**
 * Every setting that Nest documents for its transport: unparsed bytes, partitions consumed
 * concurrently, commits on a timer, the settings of consumer and client.
 */
const optionsOf = (brokers: string) => ({
  client: clientOptions(brokers, 'nest'),
  consumer: consumerOptions('nest'),
  subscribe: { fromBeginning: true },
  run: { autoCommitInterval: 500, partitionsConsumedConcurrently: 6 },
  parser: { keepBinary: true },
});

@Controller()
class BenchController {
  constructor(@Inject(answering) private readonly answer: Answer) {}

  @MessagePattern(pattern)
  handle(@Payload() request: Buffer): Promise<Buffer> {
    return this.answer(request);
  }
}

/** Nest's own transport. */
export const nest: Carrier = {
  async serve({ brokers }, answer) {
    @Module({
      controllers: [BenchController],
      providers: [{ provide: answering, useValue: answer }],
    })
    class BenchModule {}

    const app = await NestFactory.createMicroservice(BenchModule, {
      logger: false,
      transport: Transport.KAFKA,
      options: optionsOf(brokers),
    });
    await app.listen();
    return { address: null, close: () => app.close() };
  },

  async call({ brokers }) {
    const client = new ClientKafka(optionsOf(brokers));
    client.subscribeToResponseOf(pattern);
    await client.connect();
    return {
      ask: (request) =>
        firstValueFrom(client.send<Buffer, Buffer>(pattern, request).pipe(timeout(replyTimeoutMs))),
      close: () => client.close(),
    };
  },
};

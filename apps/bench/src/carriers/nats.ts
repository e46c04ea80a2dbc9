import { connect } from '@nats-io/transport-node';
import { replyTimeoutMs, type Carrier, type Place } from './carrier.js';

const subject = 'bench';

/** NATS's built-in request and reply. */
export const nats: Carrier = {
  async serve(place, answer) {
    const connection = await join(place);
    connection.subscribe(subject, {
      callback: (_error, message) => {
        void answer(bytes(message.data)).then((reply) => message.respond(reply));
      },
    });
    return { address: null, close: () => connection.close() };
  },

  async call(place) {
    const connection = await join(place);
    return {
      ask: async (request) =>
        bytes((await connection.request(subject, request, { timeout: replyTimeoutMs })).data),
      close: () => connection.close(),
    };
  },
};

const join = ({ nats: servers }: Place) => connect(servers === null ? {} : { servers });

const bytes = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

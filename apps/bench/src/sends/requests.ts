import type { NextRequest } from '../rig/load.js';
import type { SeededFacts } from '../rig/setup.js';

/** Base64 characters of a message's files at most (public-api.md §8). */
const attachedMax = 26_214_400;

const answer =
  '<p>Bonjour,</p><p>Votre avoir est parti ce matin ; il sera sur votre compte dans trois jours. ' +
  'Merci de votre patience, et dites-nous si la facture corrigée ne vous est pas parvenue.</p>' +
  '<p>Bien à vous,<br>Claire</p>';

/** A small answer to an external correspondent. */
const smallSend = (mailbox: string): string =>
  JSON.stringify({
    mailbox,
    to: [{ email: 'camille.martin@example.com', name: 'Camille Martin' }],
    subject: 'Votre avoir sur la facture n° 2026-118',
    body: answer,
  });

/** One file of the largest allowed size. */
export const largeSend = (mailbox: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      mailbox,
      to: 'camille.martin@example.com',
      subject: 'Les plans',
      body: answer,
      attachments: [{ filename: 'plans.bin', contentBase64: 'UG9z'.repeat(attachedMax / 4) }],
    }),
  );

/** The head of `POST /v1/send` with the empty line. */
export const sendHead = (apiKey: string, bytes: number, idempotencyKey: string): string =>
  `POST /public/v1/send HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
  `X-Api-Key: ${apiKey}\r\nContent-Length: ${bytes}\r\nIdempotency-Key: ${idempotencyKey}\r\n\r\n`;

/** Sends, each with an Idempotency-Key of its own. */
export function freshSends({ mailbox, apiKey }: SeededFacts): NextRequest {
  const body = smallSend(mailbox);
  let sent = 0;
  return () => sendHead(apiKey, Buffer.byteLength(body), `bench-${(sent += 1)}-fresh`) + body;
}

/** The same send repeatedly. */
export function repeatedSend({ mailbox, apiKey }: SeededFacts): NextRequest {
  const body = smallSend(mailbox);
  const request = sendHead(apiKey, Buffer.byteLength(body), 'bench-repeated') + body;
  return () => request;
}

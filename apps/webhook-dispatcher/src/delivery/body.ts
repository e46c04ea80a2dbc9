/**
 * The body of a delivery, the same bytes on every attempt: the envelope as the outbox had it, under the name of its type that the
 * subscription asks for.
 */
export function bodyOf(envelope: string, name: string): Buffer {
  const event = JSON.parse(envelope) as { readonly type: string };
  return Buffer.from(event.type === name ? envelope : JSON.stringify({ ...event, type: name }));
}

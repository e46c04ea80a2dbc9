import type { ReplyEnvelope } from '@postroom/bus';

/** What an operation that is done in steps says: its answer so far, and where it goes on. */
interface Step {
  readonly after: number | null;
}

/**
 * Asks for one step after the other, as far as there are any: none holds the service for longer than
 * an operation may. The answer is the last one's, without the place.
 */
export async function lastStep(
  first: ReplyEnvelope,
  next: (after: number) => Promise<ReplyEnvelope>,
): Promise<ReplyEnvelope> {
  for (let reply = first; ;) {
    const { after, ...answer } = JSON.parse(reply.body.toString()) as Step;
    if (after === null) return { ...reply, body: Buffer.from(JSON.stringify(answer)) };
    reply = await next(after);
  }
}

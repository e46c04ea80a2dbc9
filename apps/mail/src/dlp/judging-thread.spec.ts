import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { JudgingThread } from './dlp.js';

/** On a busy machine a thread takes seconds to start: what counts is whose turn it is. */
class UnhurriedThread extends JudgingThread {
  protected override readonly timeLimitMs = 240_000;
}

describe('the judging thread', () => {
  const thread = new UnhurriedThread();

  afterAll(() => thread.onModuleDestroy());

  const trial = (pattern: string, text: string, count = 1) => ({
    rules: Array.from({ length: count }, () => ({
      id: newId('dlp'),
      name: 'A rule',
      detector: 'pattern' as const,
      pattern,
      action: 'warn' as const,
      mailboxes: [],
      enabled: true,
      version: 1,
    })),
    text,
  });

  it('serves a workspace between the turns of another one, whose slow expressions are tried to the end', async () => {
    const slow = trial('(a|b|ab)*[ab]{50}c|needle', `c${'ab'.repeat(49_000)} needle`, 4);
    const ids = slow.rules.map(({ id }) => id);
    let ended = 0;
    const trying = Array.from({ length: 3 }, () =>
      thread.judge('attacker', slow).finally(() => ended++),
    );
    for (let i = 0; i < 5; i++) {
      const { trials } = await thread.judge('other', trial('needle', 'a needle in the hay'));
      expect(trials).toHaveLength(1);
      expect(ended).toBe(0);
    }
    for (const { trials } of await Promise.all(trying))
      expect(trials.map(({ ruleId }) => ruleId)).toEqual(ids);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { DlpDetector } from '@postroom/contracts';
import { isFullRun } from '@postroom/testing/repetitions';
import { judgeMessage, tryRules } from './judge-message.js';
import { judgementOf, type JudgedMessage, type JudgingRule } from './judgement.js';

let made = 0;
const aRule = (given: Partial<JudgingRule & { enabled: boolean }> = {}) => ({
  ...{ id: `dlp_${made++}`, version: 1, name: 'Cards', detector: 'card_number' as DlpDetector },
  ...{ pattern: null, action: 'warn' as const, enabled: true },
  ...given,
});

const aMessage = (given: Partial<JudgedMessage> = {}): JudgedMessage => ({
  ...{ mailbox: 'support@acme.test', subject: 'Hello', html: null, text: null },
  ...{ recipients: [], attachments: [] },
  ...given,
});

const card = '4111 1111 1111 1111';
const iban = 'FR76 3000 6000 0112 3456 7890 189';
const aFile = (filename: string, mimeType = 'text/plain') => ({ filename, mimeType });

describe('a message is judged', () => {
  it('by each rule in each place, and says how many different things it found there', () => {
    const rule = aRule({ name: 'No cards', action: 'block' });
    const message = aMessage({
      subject: `Card ${card}`,
      html: `<p>${card}, 5555555555554444, ${card}</p>`,
      text: `${card}, 5555555555554444`,
      attachments: [aFile('4111111111111111.txt')],
      recipients: [{ email: 'ada@correspondent.example', name: card }],
    });
    const { id: ruleId, name, detector, action } = rule;
    const hit = { ruleId, ruleVersion: 1, name, detector, action };
    expect(judgeMessage([rule, aRule({ detector: 'iban' })], message)).toEqual([
      { ...hit, where: 'subject', count: 1, excerpt: '41•••••••••••••••11' },
      { ...hit, where: 'body', count: 2, excerpt: '41•••••••••••••••11' },
      { ...hit, where: 'attachments', count: 1, excerpt: '41••••••••••••11' },
      { ...hit, where: 'recipients', count: 1, excerpt: '41•••••••••••••••11' },
    ]);
  });

  it.each([
    ['zero-width characters', '4111\u200b1111\u200d1111\ufeff1111'],
    ['full-width digits', '４１１１ １１１１ １１１１ １１１１'],
    ['digits of another script', '٤١١١ ١١١١ ١١١١ ١١١١'],
    ['entities', '&#52;111&#x31;11111&#49;11111'],
    ['entities that show nothing', '4111&zwnj;1111&shy;1111&#8203;1111'],
    ['tags', '4111<b></b>1111<span>1111</span><x>1111'],
    ['tags instead of spaces', '4111&nbsp;1111<b>1111</b> 1111'],
    ['comments', '4111<!-- x -->1111<!---->1111 1111'],
    ['cells', '<td>4111</td><td>1111</td><td>1111</td><td>1111</td>'],
    ['line breaks', '4111 1111<br>\n1111 1111'],
    ['strokes', '4̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶1̶'],
    ['exotic dashes', '4111‑1111‑1111‑1111'],
    ['a style that hides', '<p style="display:none">4111111111111111</p>'],
    ['an attribute', '<a href="https://x.test/?c=4111111111111111">x</a>'],
    ['an image’s text', '<img alt="4111 1111 1111 1111">'],
    ['a comment', '<!-- 4111111111111111 -->'],
    ['an unfinished tag', '<a href="4111111111111111'],
  ])('a card is found through %s', (_what, html) => {
    expect(judgeMessage([aRule()], aMessage({ html }))).toMatchObject([{ where: 'body' }]);
  });

  it.each([
    'FR76&nbsp;3000&nbsp;6000&nbsp;0112&nbsp;3456&nbsp;7890&nbsp;189',
    'FR76&#160;3000&#xa0;6000&ensp;0112&thinsp;3456&nbsp;7890&nbsp;189',
    'FR76&#8239;3000&#8239;6000&#8239;0112&#8239;3456&#8239;7890&#8239;189',
    '&#70;R76&#32;3000&shy;6000&zwnj;0112&#45;3456&period;7890&Tab;189',
    '<p>FR76&nbsp;3000 6000<b>&nbsp;</b>0112&nbsp;3456&nbsp;7890&nbsp;189</p>',
  ])('an account number is found through entities, in HTML and in plain text: %s', (body) => {
    const rule = aRule({ detector: 'iban' });
    expect(judgeMessage([rule], aMessage({ html: body }))).toMatchObject([{ where: 'body' }]);
    expect(judgeMessage([rule], aMessage({ text: body }))).toMatchObject([{ where: 'body' }]);
  });

  it('each detector finds its own', () => {
    const cases: readonly [Partial<JudgingRule>, Partial<JudgedMessage>, string][] = [
      [{ detector: 'iban' }, { text: iban }, 'body'],
      [{ detector: 'fr_ssn' }, { subject: '1 85 05 78 006 084 91' }, 'subject'],
      [{ detector: 'secret_key' }, { text: '-----BEGIN RSA PRIVATE KEY-----' }, 'body'],
      [{ detector: 'pattern', pattern: '(?i)projet lune' }, { html: 'Pro<i>jet</i> Lune' }, 'body'],
      [
        { detector: 'attachment_type', pattern: 'exe' },
        { attachments: [aFile('a.exe')] },
        'attachments',
      ],
      [
        { detector: 'external_domain', pattern: 'acme.test' },
        {
          recipients: [
            { email: 'a@acme.test', name: null },
            { email: 'b@else.test', name: null },
          ],
        },
        'recipients',
      ],
    ];
    for (const [rule, message, where] of cases) {
      const hits = judgeMessage([aRule(rule)], aMessage(message));
      expect(hits).toMatchObject([{ detector: rule.detector, where, count: 1 }]);
      expect(judgeMessage([aRule(rule)], aMessage())).toEqual([]);
    }
  });

  it('a file without a name is judged by what it is', () => {
    const file = { filename: null, mimeType: 'application/zip' };
    const rule = aRule({ detector: 'attachment_type', pattern: 'application/zip' });
    expect(judgeMessage([rule, aRule()], aMessage({ attachments: [file] }))).toMatchObject([
      { where: 'attachments', count: 1 },
    ]);
  });

  it('an expression sees lines and characters as they were written, too, and shows what is near', () => {
    const rule = aRule({ detector: 'pattern', pattern: '(?m)^— …$' });
    const excerpts = ['a', 'a'.repeat(40_000)].map((before) =>
      judgeMessage([rule], aMessage({ text: `${before}\n— …\nb` })).map(({ excerpt }) => excerpt),
    );
    expect(excerpts).toEqual([['•••'], ['']]);
  });

  it('a changed rule is another one', () => {
    const rule = aRule({ detector: 'pattern', pattern: 'one' });
    expect(judgeMessage([rule], aMessage({ subject: 'two' }))).toEqual([]);
    const changed = { ...rule, pattern: 'two', version: 2 };
    expect(judgeMessage([changed], aMessage({ subject: 'two' }))).toHaveLength(1);
  });

  it('ten and more finds are ten', () => {
    const text = Array.from({ length: 30 }, (_, i) => `key-${String(i).padStart(32, '0')}`).join(
      ' ',
    );
    expect(judgeMessage([aRule({ detector: 'secret_key' })], aMessage({ text }))).toMatchObject([
      { count: 10 },
    ]);
  });

  it('blocks when one rule blocks, warns when one warns, and lets the rest leave', () => {
    const [warn, block] = [aRule(), aRule({ action: 'block' })];
    const message = aMessage({ subject: card });
    expect(judgementOf(judgeMessage([warn, block], message)).verdict).toBe('blocked');
    expect(judgementOf(judgeMessage([warn], message)).verdict).toBe('warning');
    expect(judgementOf(judgeMessage([warn, block], aMessage())).verdict).toBe('ok');
  });
});

describe('a megabyte, a quarter of it in a quick check,', () => {
  const share = isFullRun() ? 1 : 1 / 4;
  const pieces = [
    ...['4111111111111111', '4 1 1 1 ', '4111 1111 ', '4.1.', '1 85 05 78 006 084 91 ', '1 '],
    ...[
      'FR76',
      'FR76 3000 6000 0112 3456 7890 18 ',
      'IBAN',
      '-----BEGIN ',
      'sk-',
      'xoxb-',
      'ghp_a',
    ],
    ...[
      '<',
      '<b>',
      '</i>',
      '<!--',
      '<a b="',
      '&#',
      '&#52;',
      '\u0301\u0316',
      '4\u200b',
      '٤',
      '😀',
      ' \n',
    ],
  ];

  it.each(pieces)('of "%s" is judged in a moment', (piece) => {
    const rules = (['card_number', 'iban', 'fr_ssn', 'secret_key'] as const).map((detector) =>
      aRule({ detector }),
    );
    const expression = aRule({ detector: 'pattern', pattern: '(?:[a-z0-9 ]+,)+z' });
    const html = piece.repeat(Math.ceil((share * 1_048_576) / piece.length));
    const begun = process.cpuUsage();
    judgeMessage([...rules, expression], aMessage({ html }));
    // CPU, in µs, for other suites use the machine as well. What is not linear takes minutes here.
    expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
  });
});

describe('a text is tried', () => {
  it('by all rules, those that are off too, and its finds are masked', () => {
    const off = aRule({ enabled: false, name: 'Off' });
    const trials = tryRules([off, aRule({ detector: 'iban' })], `My card: <b>${card}</b>`);
    expect(trials).toEqual([
      {
        ...{ ruleId: off.id, name: 'Off', detector: 'card_number', action: 'warn' },
        ...{ enabled: false, count: 1, excerpts: ['41•••••••••••••••11'] },
      },
    ]);
  });

  it('as the names of files, as media types, and as recipients', () => {
    const files = aRule({ detector: 'attachment_type', pattern: 'exe, image/*' });
    const people = aRule({ detector: 'external_domain', pattern: 'acme.test' });
    const text = 'setup.exe\nimage/png\nAda <ada@else.test>, bob@acme.test';
    expect(tryRules([files, people], text)).toMatchObject([
      { detector: 'attachment_type', count: 2, excerpts: ['se•••••xe', 'im•••••ng'] },
      { detector: 'external_domain', count: 1, excerpts: ['ad•••••••••st'] },
    ]);
  });

  it('by expressions, whose finds it shows', () => {
    const rule = aRule({ detector: 'pattern', pattern: 'lune-\\d+' });
    expect(tryRules([rule], 'lune-1, lune-1000')).toMatchObject([
      { count: 2, excerpts: ['l••••1', 'lu•••••00'] },
    ]);
  });
});

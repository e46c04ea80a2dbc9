/** UTF-8 text of a message, by its number; the same in each run, with Message-IDs of a run's own. */
export function messageOf(run: string, n: number): Buffer {
  const thread = Math.floor(n / perThread);
  const references = Array.from({ length: n % perThread }, (_, i) => thread * perThread + i);
  const head = [
    `Received: from mx.example by in.example; ${dateOf(n)}`,
    `From: Camille Martin ${thread} <client${thread}@example.com>`,
    'To: support@bench.example',
    `Subject: ${references.length > 0 ? 'Re: ' : ''}${words(thread, 6)}`,
    `Message-ID: ${idOf(run, n)}`,
    ...(references.length > 0
      ? [`References: ${references.map((one) => idOf(run, one)).join(' ')}`]
      : []),
    `Date: ${dateOf(n)}`,
    'MIME-Version: 1.0',
  ];
  const paragraphs = Array.from({ length: 2 + (n % 7) }, (_, i) => words(n * 16 + i, 50));
  return Buffer.from([...head, ...bodyOf(n, paragraphs), ''].join('\r\n'));
}

const perThread = 4;
const idOf = (run: string, n: number): string => `<${n}.${run}@example.com>`;
const dateOf = (n: number): string => new Date(1_700_000_000_000 + n * 95_000).toUTCString();

/** A third is plain; the others have HTML, and one of six a file: 14 KB on average, as in real mailboxes. */
function bodyOf(n: number, paragraphs: readonly string[]): string[] {
  const text = ['Content-Type: text/plain; charset=utf-8', '', ...paragraphs];
  if (n % 3 === 0) return text;
  const style = 'font-family:Arial,sans-serif;font-size:14px;line-height:20px;color:#333333';
  const html = paragraphs.map((one) => `<tr><td style="${style}"><p>${one}</p></td></tr>`);
  const shown = ['Content-Type: text/html; charset=utf-8', '', '<table>', ...html, '</table>'];
  const file = [
    'Content-Type: application/pdf; name="facture.pdf"',
    'Content-Disposition: attachment; filename="facture.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    ...Array.from(
      { length: 1_000 },
      (_, i) => `${'JVBERi0xLjQKJcOkw7zDtsOfCjIg'.repeat(2)}${i % 9}AAA`,
    ),
  ];
  const parts = n % 4 === 1 ? [text, shown, file] : [text, shown];
  const type = n % 4 === 1 ? 'mixed' : 'alternative';
  const body = parts.flatMap((part) => ['--part', ...part]);
  return [`Content-Type: multipart/${type}; boundary=part`, '', ...body, '--part--'];
}

const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te', 'vi'];

/** Words of a vocabulary of 20,000, the short ones more frequent. */
function words(seed: number, count: number): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let word = '';
    for (let left = Math.floor(20_000 ** (state / 2 ** 32)); left > 0; left = Math.floor(left / 13))
      word += syllables[left % 13] ?? '';
    return `${word}s`;
  }).join(' ');
}

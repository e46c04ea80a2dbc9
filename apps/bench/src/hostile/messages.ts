import { randomUUID } from 'node:crypto';

const lines = (...all: readonly string[]): string => all.join('\r\n');
const head = ['From: a@b.example', 'Subject: Hostile', 'MIME-Version: 1.0'];

const repeated = (count: number, line: (index: number) => string): string =>
  lines(...Array.from({ length: count }, (_, index) => line(index)));

/** One multipart within another. */
const nested = (depth: number): string =>
  lines(
    ...head,
    repeated(depth, (i) => lines(`Content-Type: multipart/mixed; boundary="b${i}"`, '', `--b${i}`)),
    lines('Content-Type: text/plain', '', 'deep'),
  );

const parts = (count: number, part: string): string =>
  lines(
    ...head,
    lines('Content-Type: multipart/mixed; boundary=b', ''),
    repeated(count, () => `--b\r\n${part}`),
    '--b--',
  );

const html = (text: string): string => lines(...head, 'Content-Type: text/html', '', text);

/** The most expensive messages of the end-to-end suite, ready for DATA. */
export const worstMessages = (): readonly Buffer[] =>
  [
    nested(5_000),
    lines(
      repeated(300_000, (i) => `X-${i}: a`),
      '',
      'x',
    ),
    lines(...head, `To: ${'a@b.example, '.repeat(100_000)}`, '', 'x'),
    parts(50_000, '\r\nx\r\n'),
    parts(20_000, 'Content-Disposition: attachment; filename=a\r\n\r\nx\r\n'),
    html('<div>'.repeat(50_000)),
    html(`<a href="${'<'.repeat(500_000)}`),
    lines(...head, '', 'x'.repeat(5_000_000)),
    lines(`From: ${'('.repeat(50_000)}a@b.example`, 'Subject: Hostile', '', 'x'),
  ].map((message) => Buffer.from(`${message.replaceAll(/^\./gm, '..')}\r\n.\r\n`));

/** A small message that begins a conversation, ready for DATA. */
export const ordinaryMessage = (mailbox: string): string =>
  lines(
    ...['From: Camille Martin <camille@correspondent.example>', `To: ${mailbox}`],
    ...[`Message-ID: <${randomUUID()}@correspondent.example>`, `Subject: Question ${randomUUID()}`],
    ...['', 'Bonjour, où en est ma commande ? Merci de votre réponse.', '.', ''],
  );

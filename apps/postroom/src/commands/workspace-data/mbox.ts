/** A message as it was kept: its trace header, and its bytes. */
export interface KeptMessage {
  readonly trace: string;
  readonly raw: Buffer;
  readonly receivedAt: Date;
}

/** Lines end with a line feed alone: after another carriage return nothing would be taken away again. */
const quoted = /(^|\n)(>*From )/g;

/** A message of an mbox file in the dialect mboxrd, which loses nothing when it is read again. */
export function mboxEntry({ trace, raw, receivedAt }: KeptMessage): Buffer {
  // Bytes as characters, so that any byte stays what it is.
  const text = (trace + raw.toString('latin1')).replace(quoted, '$1>$2');
  const [day = '', month = '', date = '', time = ''] = clockOf(receivedAt);
  const separator = `From postroom ${day} ${month} ${date} ${time} ${receivedAt.getUTCFullYear()}`;
  const end = text.endsWith('\n') ? '\n' : '\n\n';
  return Buffer.from(`${separator}\n${text}${end}`, 'latin1');
}

/** Day, month, day of the month and time, as `asctime` writes them (RFC 4155). */
function clockOf(at: Date): string[] {
  const [weekday = '', date = '', month = '', , time = ''] = at.toUTCString().split(' ');
  return [weekday.slice(0, 3), month, date.replace(/^0/, ' '), time];
}

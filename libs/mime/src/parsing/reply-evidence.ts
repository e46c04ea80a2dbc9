/** The evidence in a message that it answers another, or that it passes one on. */
export type ReplyEvidence = 'reply' | 'forward' | 'none';

// prettier-ignore
const replies = [
  're', 'aw', 'sv', 'antw(?:oord)?\\.?', 'res?p?', 'r', 'rif', 'odp', 'odpověď', 'ynt', 'cvp', 'yan', 'vá', 'vastaus', 'bls',
  'atb', 'odg', 'na', 'ad', 'απ', 'σχετ', 'отв(?:ет)?', 'ответ', 'відп', 'на', '回复', '回覆', '答复', '答覆', '返信',
  '회신', '답장', 'رد', 'השב', 'תגובה', 'trả lời', 'balas', 'réf?', 'rép',
];
// prettier-ignore
const forwards = [
  'fwd?', 'wg', 'tr', 'i', 'rv', 'enc', 'doorst(?:uren)?', 'vs', 'vb', 'vl', 'pd', 'podaj dalej', 'přep', 'fs', 'ilt',
  'i̇lt', 'tov(?:ábbítva)?', 'redir', 'πρθ', 'προώθ', 'пересл', 'пер', 'препр', '转发', '轉寄', '轉發', '転送', '전달',
  'إعادة توجيه', 'הועבר', 'chuyển tiếp', 'trs?', 'prosl',
];

/** A tag of a list or a ticket may stand before the prefix; counters are of `Re[2]:` and `AW(3):`. */
const prefixed = (words: readonly string[]): RegExp =>
  new RegExp(
    `^(?:\\[[^\\]]{0,60}\\]\\s*)?(?:${words.join('|')})\\s?(?:[[(^]\\d{1,3}[\\])]?)?\\s?[:：]`,
    'iu',
  );

const reply = prefixed(replies);
const forward = prefixed(forwards);

/** The evidence of a subject's first prefix: `FW: Re: x` passes an answer on. */
export function evidenceOfSubject(subject: string): ReplyEvidence {
  const start = subject.slice(0, 200).trim();
  if (forward.test(start)) return 'forward';
  return reply.test(start) ? 'reply' : 'none';
}

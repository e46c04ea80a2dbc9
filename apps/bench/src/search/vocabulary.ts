/** A fragment of messages, and its search document in the text form of `tsvector`. */
export interface Piece {
  readonly text: string;
  /** The name of a sender; of a searched sentence, how many of 10,000 messages contain it. */
  readonly name: string;
  readonly document: string;
}

export const pools = ['sentences', 'subjects', 'senders', 'sought'] as const;

const sizes = { sentences: 20_000, subjects: 8_000, senders: 50_000 } as const;
const words = 30_000;

/** The terms that the bench searches, with how many of 10,000 messages contain them. */
const sought: readonly (readonly [string, number])[] = [
  ['commande', 5_000],
  ['remboursement', 300],
  ['litige', 10],
  ['numero de suivi', 400],
  ['livraison', 1_000],
  ['livreur', 200],
  ['livret', 30],
];

/** The fragments that messages are made of; the same in each run. */
export function pool(name: (typeof pools)[number]): Piece[] {
  const random = randomOf(name.length * 7919);
  const word = (): string => wordOf(Math.floor(words ** random()));
  const phrase = (least: number, most: number): string[] =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, word);
  switch (name) {
    case 'sentences':
      return Array.from({ length: sizes.sentences }, () => piece(phrase(6, 24)));
    case 'subjects':
      return Array.from({ length: sizes.subjects }, () => piece(phrase(3, 8), { field: 's' }));
    case 'senders':
      return Array.from({ length: sizes.senders }, (_, n) => {
        const named = [...phrase(2, 2), `client${n}`, 'example', 'com'];
        const { document } = piece(named, { field: 'f' });
        const name = named.slice(0, 2).join(' ');
        return { text: `client${n}@example.com`, name, document };
      });
    case 'sought':
      return sought.map(([text, share]) => piece(text.split(' '), { name: String(share) }));
  }
}

/** The words of a field are in the document twice: plain, and prefixed with the field. */
function piece(words: readonly string[], { field = '', name = '' } = {}): Piece {
  const entries = words.flatMap((word, i) => [
    `'${word}':${i + 1}`,
    ...(field === '' ? [] : [`'${field}:${word}':${i + 1}`]),
  ]);
  return { text: words.join(' '), name, document: entries.join(' ') };
}

/** The word of a rank: the frequent ones are short, as in every language. */
function wordOf(rank: number): string {
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te', 'vi'];
  let word = '';
  for (let left = rank; left > 0; left = Math.floor(left / syllables.length)) {
    word += syllables[left % syllables.length] ?? '';
  }
  return `${word}s`;
}

/** Numbers from 0 to 1, always the same (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { describe, expect, it } from '@jest/globals';
import { Nothing } from '../inputs.js';
import { family, operation, type EventsOf, type InputOf, type OutputOf } from '../operation.js';
import { Count, fieldsOf, Flag, Id, ListOf, OneOf, Part, SomeOf, Text } from './index.js';

/*
 * Guarantees of the compiler: a line under `@ts-expect-error` must not compile, or `tsc -b` fails.
 */

class Inner {
  @Text('A text.', { max: 5 })
  text!: string;
}

class Right {
  @Text('A text.', { max: 5 })
  text!: string;

  @Text('A text or null.', { max: 5, nullable: true })
  nullable!: string | null;

  @Text('Perhaps a text.', { max: 5, optional: true })
  optional?: string;

  @Flag('Has a default, so it is always there.', { default: true })
  preset!: boolean;

  @OneOf(['a', 'b'], 'A word.')
  word!: 'a' | 'b';

  @Part(() => Inner, 'A part.', { optional: true, nullable: true })
  part?: Inner | null;
}

class Wrong {
  // @ts-expect-error -- a text is no number
  @Text('A text.', { max: 5 })
  text!: number;

  // @ts-expect-error -- a flag is no text
  @Flag('A flag.')
  flag!: string;

  // @ts-expect-error -- a count is no bigint
  @Count('A count.', { max: 5 })
  count!: bigint;

  // @ts-expect-error -- one of a and b is not just any text
  @OneOf(['a', 'b'], 'A word.')
  word!: string;

  // @ts-expect-error -- the property allows a word that the field refuses
  @OneOf(['a', 'b'], 'A word.')
  otherWord!: 'a' | 'b' | 'c';

  // @ts-expect-error -- several words are a list
  @SomeOf(['a', 'b'], 'Words.')
  words!: 'a' | 'b';

  // @ts-expect-error -- null is not declared
  @Text('A text.', { max: 5, nullable: true })
  nullable!: string;

  // @ts-expect-error -- the field never gives null
  @Text('A text.', { max: 5 })
  neverNull!: string | null;

  // @ts-expect-error -- what may be absent is declared optional
  @Text('A text.', { max: 5, optional: true })
  optional!: string;

  // @ts-expect-error -- what is always there is not declared optional
  @Text('A text.', { max: 5 })
  required?: string;

  // @ts-expect-error -- with a default it is always there
  @Flag('A flag.', { default: true })
  preset?: boolean;

  // @ts-expect-error -- the part is of another class
  @Part(() => Inner, 'A part.')
  part!: Right;

  // @ts-expect-error -- a list is no single part
  @ListOf(() => Inner, 'Parts.', { max: 5 })
  parts!: Inner;

  // @ts-expect-error -- there is no such kind of identifier
  @Id('xyz', 'An identifier.')
  id!: string;

  // @ts-expect-error -- every text is bounded
  @Text('A text.', {})
  unbounded!: string;

  // @ts-expect-error -- every list is bounded
  @ListOf(() => Inner, 'Parts.', {})
  unboundedList!: Inner[];

  // @ts-expect-error -- the default is one of the words
  @OneOf(['a', 'b'], 'A word.', { default: 'c' })
  defaulted!: 'a' | 'b';
}

const facts = { effect: 'write', summary: 'Do it', output: Inner } as const;

const right = family('mail', 'things', {
  change: operation({
    ...facts,
    http: 'POST /v1/things/:text/parts/:word',
    input: Right,
    emits: ['task.created'],
  }),
  quiet: operation({ ...facts, http: 'POST /v1/things', input: Inner }),
  bare: operation({ ...facts, http: 'POST /v1/things/all' }),
});

const wrong = (): readonly unknown[] => [
  // @ts-expect-error -- the input has no `id`
  operation({ ...facts, http: 'POST /v1/things/:id', input: Right }),
  // @ts-expect-error -- nothing is given, and no `id` in it
  operation({ ...facts, http: 'POST /v1/things/:id' }),
  // @ts-expect-error -- the input has no `other`
  operation({ ...facts, http: 'POST /v1/things/:text/:other', input: Right }),
  // @ts-expect-error -- there is no such method
  operation({ ...facts, http: 'LIST /v1/things', input: Right }),
  // @ts-expect-error -- a path begins with a slash
  operation({ ...facts, http: 'GET v1/things', input: Right }),
  // @ts-expect-error -- there is no such scope
  operation({ ...facts, http: 'POST /v1/things', input: Right, scope: 'write:things' }),
  // @ts-expect-error -- there is no such event
  operation({ ...facts, http: 'POST /v1/things', input: Right, emits: ['thing.changed'] }),
  // @ts-expect-error -- there is no such problem
  operation({ ...facts, http: 'POST /v1/things', input: Right, problems: ['NO_SUCH_THING'] }),
];

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

describe('the types', () => {
  it('let right pairs of decorator and property compile, and no wrong one', () => {
    expect(fieldsOf(Right)).toHaveLength(6);
    expect(fieldsOf(Wrong)).toHaveLength(17);
    expect(wrong).toBeInstanceOf(Function);
  });

  it('carry input, output and events of an operation', () => {
    const guarantees = [
      true satisfies Same<InputOf<typeof right.change>, Right>,
      true satisfies Same<OutputOf<typeof right.change>, Inner>,
      true satisfies Same<EventsOf<typeof right.change>, 'task.created'>,
      true satisfies Same<EventsOf<typeof right.quiet>, never>,
      true satisfies Same<keyof InputOf<typeof right.bare>, never>,
    ];
    expect(guarantees).toEqual([true, true, true, true, true]);
    expect(right.change.emits).toEqual(['task.created']);
    expect(right.quiet.emits).toEqual([]);
    expect(right.bare.input).toBe(Nothing);
  });
});

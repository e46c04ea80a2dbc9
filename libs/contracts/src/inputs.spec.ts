import { describe, expect, it } from '@jest/globals';
import { decode, Text } from './fields/index.js';
import { ChangeOf } from './inputs.js';

class CreateThing {
  @Text('Name.', { max: 5, filled: true })
  name!: string;
}

class UpdateThing extends ChangeOf('tea', 'The thing.', CreateThing, ['name']) {}

const id = 'tea_01JAAAAAAAAAAAAAAAAAAAAAAA';

describe('the input of a change', () => {
  it('may leave out what creation demands', () => {
    expect(decode(UpdateThing, { texts: { id } }).input).toEqual({ id });
  });

  it.each([1, null, 'longer', ''])('holds what is given to the rules of creation: %p', (name) => {
    const { violations } = decode(UpdateThing, { texts: { id }, body: { name } });
    expect(violations?.map(({ field }) => field)).toEqual(['name']);
  });
});

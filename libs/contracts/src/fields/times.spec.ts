import { describe, expect, it } from '@jest/globals';
import { Day } from './times.js';
import { decode } from './decode.js';
import { jsonSchema } from './schema.js';

class OneDay {
  @Day('The day.')
  day!: string;
}

const isTaken = (day: unknown): boolean =>
  decode(OneDay, { body: { day } }).violations === undefined;

describe('a day', () => {
  it.each(['2026-01-31', '2024-02-29', '1000-01-01', '2999-12-31'])('is %s', (day) => {
    expect(decode(OneDay, { texts: { day } }).input).toEqual({ day });
  });

  it.each([
    ...['2026-02-29', '2026-02-30', '2026-13-01', '2026-00-10', '2026-01-00', '0999-12-31'],
    ...['3000-01-01', '2026-1-1', '20260101', '2026-W01-1', '2026-01-01T00:00:00Z', ' 2026-01-01'],
    ...['2026-01-01\n', '٢٠٢٦-٠١-٠١', '', null, 20260101, ['2026-01-01'], {}],
  ])('is not %j', (day) => {
    expect(isTaken(day)).toBe(false);
  });

  it('is published as the date of JSON Schema', () => {
    expect(jsonSchema(OneDay).properties).toEqual({
      day: { type: 'string', format: 'date', maxLength: 10, description: 'The day.' },
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ibans } from './iban.js';

const found = (text: string): string[] => [...ibans(text)];

/** Check digits as ISO 13616 makes them, in whole numbers of any size. */
function withCheckDigits(country: string, account: string): string {
  const value = (text: string): string =>
    [...text].map((sign) => String(Number.parseInt(sign, 36))).join('');
  const check = 98n - (BigInt(value(`${account}${country}00`)) % 97n);
  return `${country}${String(check).padStart(2, '0')}${account}`;
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const french = fc
  .tuple(digits(10), fc.stringMatching(/^[0-9A-Z]{11}$/), digits(2))
  .map((parts) => withCheckDigits('FR', parts.join('')));

describe('account numbers', () => {
  it.each([
    'FR7630006000011234567890189',
    'FR1420041010050500013M02606',
    'DE89370400440532013000',
    'GB29NWBK60161331926819',
    'BE68539007547034',
    'CH9300762011623852957',
    'ES9121000418450200051332',
    'IT60X0542811101000000123456',
    'NL91ABNA0417164300',
    'LU280019400644750000',
    'MC5811222000010123456789030',
    'MT84MALT011000012345MTLCAST001S',
    'NO9386011117947',
    'PL61109010140000071219812874',
    'SA0380000000608010167519',
    'TR330006100519786457841326',
    'BR9700360305000010009795493P1',
    'SE4550000000058398257466',
  ])('are found: %s', (number) => {
    expect(found(number)).toEqual([number]);
    expect(found(`Sur le compte ${number}, merci.`)).toEqual([number]);
    const grouped = number.replaceAll(/(.{4})(?=.)/g, '$1 ');
    expect(found(`IBAN: ${grouped} (BIC ABCDFRPP)`)).toEqual([grouped]);
    expect(found(`IBAN${number}`)).toEqual([number]);
    expect(found(number.toLowerCase())).toEqual([number.toLowerCase()]);
  });

  it('are found with a separator between any two signs', () => {
    const dashed = [...'BE68539007547034'].join('-');
    expect(found(dashed)).toEqual([dashed]);
  });

  it('are none of an unknown country, of a wrong length, or within a word', () => {
    for (const text of [
      'ZZ7630006000011234567890189',
      'FR763000600001123456789018',
      'FR76300060000112345678901890',
      'XFR7630006000011234567890189',
      'DE8937040044053201300A',
      'le 12 de 20 personnes au plus pour la salle',
    ]) {
      expect(found(text)).toEqual([]);
    }
  });

  it('of any signs are found exactly when the check digits are right', () => {
    fc.assert(
      fc.property(french, fc.integer({ min: 1, max: 96 }), (number, off) => {
        const check = ((Number(number.slice(2, 4)) + off - 2) % 97) + 2;
        expect(found(number)).toEqual([number]);
        const wrong = `FR${String(check).padStart(2, '0')}${number.slice(4)}`;
        if (wrong !== number) expect(found(wrong)).toEqual([]);
      }),
    );
  });
});

/**
 * The format after the check digits, by country (ISO 13616, SWIFT IBAN registry): digits `n`, capital
 * letters `a`, either `c`, each with how many.
 */
const accounts: readonly (readonly [string, string])[] = (
  'AD n8c12, AE n19, AL n8c16, AT n16, AZ a4c20, BA n16, BE n12, BG a4n6c8, BH a4c14, ' +
  'BI n23, BR n23a1c1, BY c4n4c16, CH n5c12, CR n18, CY n8c16, CZ n20, DE n18, DJ n23, ' +
  'DK n14, DO c4n20, EE n16, EG n25, ES n20, FI n14, FK a2n12, FO n14, FR n10c11n2, ' +
  'GB a4n14, GE a2n16, GI a4c15, GL n14, GR n7c16, GT c4c20, HN a4n20, HR n17, HU n24, ' +
  'IE a4n14, IL n19, IQ a4n15, IS n22, IT a1n10c12, JO a4n4c18, KW a4c22, KZ n3c13, ' +
  'LB n4c20, LC a4c24, LI n5c12, LT n16, LU n3c13, LV a4c13, LY n21, MC n10c11n2, MD c20, ' +
  'ME n18, MK n3c10n2, MN n16, MR n23, MT a4n5c18, MU a4n19a3, NI a4n20, NL a4n10, NO n11, ' +
  'OM n3c16, PK a4c16, PL n24, PS a4c21, PT n21, QA a4c21, RO a4c16, RS n18, RU n14c15, ' +
  'SA n2c18, SC a4n20a3, SD n14, SE n20, SI n15, SK n20, SM a1n10c12, SO n19, ST n21, ' +
  'SV a4n20, TL n19, TN n20, TR n6c16, UA n6c19, VA n18, VG a4n16, XK n16, YE a4n4c18'
)
  .split(', ')
  .map((row) => [row.slice(0, 2), row.slice(3)]);

const classes: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[0-9A-Z]' };

/** One expression a country: the whole number, without separators. */
const forms = new Map(
  accounts.map(([country, account]) => {
    const rest = account.replaceAll(
      /([nac])(\d+)/g,
      (_, kind: string, many: string) => `${classes[kind] ?? ''}{${many}}`,
    );
    return [country, new RegExp(`^${country}[0-9]{2}${rest}$`)] as const;
  }),
);

const lengths = new Map(
  accounts.map(([country, account]) => [
    country,
    (account.match(/\d+/g) ?? []).reduce((sum, many) => sum + Number(many), 4),
  ]),
);

// Two letters and two digits that no word runs into, but for the word itself.
const start = /(?<![0-9A-Z])(?:IBAN)?(?=[A-Z][ ._-]?[A-Z][ ._-]?[0-9][ ._-]?[0-9])/gi;
const isSeparator = /[ ._-]/;
const isSign = /[0-9A-Z]/i;

/**
 * Account numbers of a judged text (ISO 13616): of a country's form and length, with the right check
 * digits (mod 97), upper or lower case, whatever groups they are written in.
 */
export function* ibans(text: string): Generator<string> {
  let after = 0;
  for (const { index, 0: word } of text.matchAll(start)) {
    const at = index + word.length;
    if (at < after) continue;
    const end = endOfIban(text, at);
    if (end === null) continue;
    yield text.slice(at, end);
    after = end;
  }
}

function endOfIban(text: string, at: number): number | null {
  const country = compactFrom(text, at, 2).signs;
  const length = lengths.get(country);
  if (length === undefined) return null;
  const { signs, end } = compactFrom(text, at, length);
  const isWhole = !isSign.test(text.charAt(end));
  return isWhole && forms.get(country)?.test(signs) && remainder(signs) === 1 ? end : null;
}

/** Reads `length` letters and digits, in capitals, with at most one separator between two. */
function compactFrom(text: string, at: number, length: number): { signs: string; end: number } {
  let signs = '';
  let end = at;
  while (signs.length < length) {
    if (signs !== '' && isSeparator.test(text.charAt(end))) end++;
    const sign = text.charAt(end);
    if (!isSign.test(sign)) break;
    signs += sign.toUpperCase();
    end++;
  }
  return { signs, end };
}

/** The remainder of the number with its first four signs at the end, letters as 10 to 35 (ISO/IEC 7064, mod 97-10). */
function remainder(iban: string): number {
  let rest = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

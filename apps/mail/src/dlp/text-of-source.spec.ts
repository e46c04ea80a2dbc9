import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import { textOfSource } from './text-of-source.js';

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describe('the text of a source', () => {
  it('runs on over what parts no words, and stops where a line ends', () => {
    expect(
      words(textOfSource('<p>41<b>11</b><!-- x -->1<span>1</span></p><p>2</p>').shown),
    ).toEqual(['411111', '2']);
    expect(words(textOfSource('41<br>11<td>1</td><div>1').shown)).toEqual(['41', '11', '1', '1']);
  });

  it('has entities as what they stand for', () => {
    expect(textOfSource('&#52;&#x31;1&lt;&nbsp;&eacute;').shown).toBe('411<\u00a0é');
  });

  it('has what a style hides, since it leaves', () => {
    expect(textOfSource('<p style="display:none">4111</p>').shown).toContain('4111');
  });

  it.each([
    ['an attribute', '<a href="x" title="41&#49;1">a</a>'],
    ['an attribute without quotes', '<a title=4111>a</a>'],
    ['the name of an attribute', '<a 4111>a</a>'],
    ['a comment', 'a<!-- 4111 -->'],
    ['a comment that does not end', 'a<!-- 4111'],
    ['a tag that does not end', 'a<a href="4111'],
    ['a tag that hardly begins', 'a<a4111'],
    ['a declaration', '<!doctype 4111>'],
    ['an instruction', '<?x 4111?>'],
    ['a section', '<![CDATA[4111]]>'],
    ['a closing tag', '</a 4111>'],
    ['a closing tag that does not end', 'a</a 4111'],
  ])('has what %s holds aside', (_what, source) => {
    const { shown, aside } = textOfSource(source);
    expect(`${shown} ${aside}`).toContain('4111');
  });

  it.each(['script', 'style', 'textarea', 'title', 'template', 'noscript', 'xmp'])(
    'has what stands in a %s',
    (name) => {
      const { shown, aside } = textOfSource(`<${name}>4111</${name}>`);
      expect(`${shown} ${aside}`).toContain('4111');
    },
  );

  it('loses no run of digits, whatever stands around it', () => {
    const noise = fc.array(
      fc.constantFrom(
        ...'<>/!-"\'=&;#?[] ab\n',
        '<!--',
        '-->',
        '<a ',
        '<![CDATA[',
        ']]>',
        '</',
        '<script>',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(noise, noise, (before, after) => {
        const { shown, aside } = textOfSource(`${before.join('')} 4111 ${after.join('')}`);
        expect(`${shown} ${aside}`).toContain('4111');
      }),
      { numRuns: repetitions(2_000) },
    );
  });
});

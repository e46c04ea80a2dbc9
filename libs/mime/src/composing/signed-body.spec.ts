import { describe, expect, it } from '@jest/globals';
import { signedBody } from './signed-body.js';

const signature = { html: '<p>Ann, <b>Acme</b></p>', text: 'Ann, Acme\n' };
const below = '<br>\n<div class="signature"><p>Ann, <b>Acme</b></p></div>\n';

describe('a body with a signature', () => {
  it('has it behind the mark of RFC 3676 where it is plain text', () => {
    const { html, text } = signedBody('  Hello,\r\nit left.\n\n', signature);
    expect({ html, text }).toEqual({
      html: null,
      text: '  Hello,\nit left.\n\n-- \nAnn, Acme\n',
    });
  });

  it('has it below its HTML and below the plain alternative', () => {
    expect(signedBody('<p>It left.</p>', signature)).toEqual({
      html: `<p>It left.</p>${below}`,
      text: 'It left.\n\n-- \nAnn, Acme\n',
    });
  });

  it.each([
    ['<html><body><p>a</p>', '</body></html>'],
    ['<BODY><p>a</p>', '</BODY >\n'],
    ['<body><code>&lt;/body></code></body><p>a</p>', '</body>'],
  ])('has it within %s', (above, end) => {
    expect(signedBody(above + end, signature).html).toBe(above + below + end);
  });

  it('is the signature alone where it says nothing', () => {
    for (const body of ['', '\n \r\n']) {
      expect(signedBody(body, signature)).toEqual({ html: null, text: '-- \nAnn, Acme\n' });
    }
  });

  it('has no mark in its text where the signature has none', () => {
    const image = { html: '<img src="cid:logo">', text: '\n' };
    expect(signedBody('<p>It left.</p>', image).text).toBe('It left.');
  });

  it('has line feeds alone, also of the signature', () => {
    const { html, text } = signedBody('<p>a\rb</p>', { html: '<i>c\r\nd</i>', text: 'c\rd' });
    expect(html).not.toContain('\r');
    expect(text).toBe('a b\n\n-- \nc\nd\n');
  });
});

describe('a body without one', () => {
  it('is as it was given', () => {
    expect(signedBody('a\n\n', null)).toEqual({ html: null, text: 'a\n\n' });
    expect(signedBody('<p>a</p></body>', null)).toMatchObject({ html: '<p>a</p></body>' });
  });
});

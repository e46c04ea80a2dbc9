import { describe, expect, it } from '@jest/globals';
import { textOfHtml } from './text-of-html.js';

describe('textOfHtml', () => {
  it.each([
    ['<p>One</p><p>Two<br>Three</p>', 'One\n\nTwo\nThree'],
    ['<a href="https://x.test">link</a><img src="cid:x" alt="logo">', 'link [https://x.test]'],
    ['<a href="https://x.test">https://x.test</a> <a href="#top">up</a>', 'https://x.test up'],
    ['<a href="mailto:a@x.test">a@x.test</a><a name="x">y</a>', 'a@x.testy'],
    ['<table><tr><td>Total</td><td>12 €</td></tr></table>', 'Total\n12 €'],
    ['<h1>Title</h1>x<hr>y', 'Title\n\nx\ny'],
    ['<ul><li>a</li><li>b</li></ul>', ' * a\n * b'],
    ['', ''],
  ])('reads %s as words and lines', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

import { describe, expect, it } from '@jest/globals';
import { remoteImageOf } from './remote-image.js';
import { sanitiseHtml } from './sanitise-html.js';

describe('remoteImageOf', () => {
  it('finds the remote images of a message, and nothing that only looks like one', () => {
    const { html } = sanitiseHtml(
      [
        '<p title=\'<img data-remote-src="https://x.test/0">\'>&lt;img data-remote-src="https://x.test/1"></p>',
        '<img alt=\' data-remote-src="https://x.test/2"\' src="cid:a">',
        '<img data-remote-src="https://x.test/3">',
        '<img alt="One" src="https://x.test/a?b=c&amp;d=%22#e&quot;f"><img src="data:image/png;base64,AA">',
        '<img src="//x.test/b" width="1"><img src="file:///etc/passwd"><img src="http://x.test/c">',
      ].join(''),
    );
    const all = [0, 1, 2, 3].map((n) => remoteImageOf(html, n));
    const [first, second, third] = ['a?b=c&d=%22#e%22f', 'b', 'c'];
    expect(all).toEqual([
      ...[`https://x.test/${first}`, `https://x.test/${second}`, `http://x.test/${third}`],
      null,
    ]);
  });
});
